import type { Command } from "commander";
import type { NodeList, NodeView } from "../../platform/cluster/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags } from "./flags.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

export function addNodesCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("nodes")
    .description("List the processes that share the database, and which of them runs recurring chores.");
  addConnectionFlags(command).action((flags: ConnectionFlags) =>
    withApi(context, flags, async (api) => {
      const list = await runningNodes(api);
      await present(context, list, textOf(list));
    }),
  );
}

/** Without this command, which is a node itself if it found no server to ask. */
async function runningNodes(api: Api): Promise<NodeList> {
  const list = await api.get<NodeList>("/nodes");
  if (api.connection.kind !== "own") return list;
  return { ...list, nodes: list.nodes.filter(({ isSelf }) => !isSelf) };
}

function textOf({ clustered, claimLagMs, nodes }: NodeList): string {
  if (nodes.length === 0) return "No server is running. Start one with `outreachd serve`.";
  const headings = [
    "HOST",
    "PROCESS",
    "ROLE",
    "STATE",
    "LEAD",
    "VERSION",
    "STARTED (UTC)",
    "CLOCK",
    "KEYS",
    "CONNECTIONS",
    "ID",
  ];
  const lag =
    claimLagMs === 0 ? "No due job is waiting." : `The oldest due job has been waiting for ${seconds(claimLagMs)}.`;
  const only = clustered ? [] : ["The embedded database is used by one process only."];
  const goneLast = nodes.toSorted((a, b) => Number(a.state === "gone") - Number(b.state === "gone"));
  return [renderTable(headings, goneLast.map(rowOf)), "", lag, ...only].join("\n");
}

function rowOf(node: NodeView): string[] {
  const { host, pid, role, state, hasLead, version, startedAt, clockAheadMs, hasCurrentKeys, pool, id } = node;
  const isGone = state === "gone";
  const waiting = pool !== null && pool.waiting > 0 ? `, ${pool.waiting} waiting` : "";
  return [
    host,
    `${pid}`,
    role,
    state,
    hasLead ? "yes" : "no",
    version,
    startedAt.slice(0, 19).replace("T", " "),
    isGone ? "-" : `${clockAheadMs >= 0 ? "+" : ""}${clockAheadMs} ms`,
    isGone ? "-" : hasCurrentKeys ? "current" : "behind",
    isGone || pool === null ? "-" : `${pool.busy} of ${pool.size} busy${waiting}`,
    id,
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} seconds`;
}
