import type { NodeList as Nodes, NodeView } from "../../../../../platform/cluster/model.ts";
import { api } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";

/** The processes that share the database, for admins. */
export function NodeTable() {
  const list = useResource((signal) => api.get<Nodes>("/nodes", { signal }), [], { pollMs: 5_000 });
  const { data } = list;
  if (list.error && data === undefined) return <ErrorState error={list.error} retry={list.reload} />;
  return (
    <>
      <div class="part-head faint">
        <p>
          {data && describe(data)}
          {data && !data.clustered && (
            <>
              {" "}
              To run several nodes on one database, see <code>docs/scale-out.md</code>.
            </>
          )}
        </p>
      </div>
      <DataTable
        label="Nodes"
        columns={columns}
        rows={data?.nodes.toSorted((a, b) => Number(a.state === "gone") - Number(b.state === "gone"))}
        rowKey={({ id }) => id}
        isLoading={list.isLoading && data === undefined}
        isStacked
        empty={<EmptyState icon="settings" title="No nodes" />}
      />
    </>
  );
}

function describe({ clustered, claimLagMs, nodes }: Nodes): string {
  const running = nodes.filter(({ state }) => state === "running").length;
  const who = clustered
    ? `${counted(running, "node")} ${running === 1 ? "shares" : "share"} the database.`
    : "This server uses the embedded database, so it is the only node.";
  const seconds = Math.round(claimLagMs / 1000);
  const lag =
    seconds === 0 ? "No job is late." : `The oldest due job has been waiting for ${counted(seconds, "second")}.`;
  return `${who} ${lag}`;
}

/** From here on, logs and certificates of a machine are off enough to matter. */
const notableSkewMs = 1_000;

const columns: readonly Column<NodeView>[] = [
  {
    id: "host",
    header: "Machine",
    cell: ({ host, pid, isSelf }) => (
      <span>
        {host}
        {isSelf && <span class="faint"> (this one)</span>} <span class="faint">process {pid}</span>
      </span>
    ),
  },
  { id: "state", header: "State", cell: (node) => <StateOf node={node} /> },
  {
    id: "work",
    header: "Work",
    cell: ({ role, hasLead, chores }) => (
      <span title={chores.join(", ")}>
        {roleLabels[role] ?? role}
        {hasLead && ", recurring chores, webhooks"}
      </span>
    ),
  },
  { id: "version", header: "Version", hideBelow: "medium", cell: ({ version }) => version },
  {
    id: "startedAt",
    header: "Started",
    hideBelow: "medium",
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
  {
    id: "clock",
    header: "Clock",
    hideBelow: "medium",
    cell: ({ clockAheadMs }) =>
      Math.abs(clockAheadMs) < notableSkewMs ? (
        "Correct"
      ) : (
        <Badge tone="warn">
          {(Math.abs(clockAheadMs) / 1000).toFixed(1)} s {clockAheadMs > 0 ? "ahead" : "behind"}
        </Badge>
      ),
  },
  {
    id: "pool",
    header: "Connections",
    align: "right",
    cell: ({ state, pool }) => <PoolOf pool={state === "gone" ? null : pool} />,
  },
];

const roleLabels: Record<NodeView["role"], string> = {
  all: "Requests, jobs",
  api: "Requests",
  worker: "Jobs",
};

const stateLabels: Record<NodeView["state"], { tone: Tone; label: string }> = {
  running: { tone: "good", label: "Running" },
  draining: { tone: "info", label: "Stopping" },
  gone: { tone: "bad", label: "Not responding" },
};

function StateOf({ node: { state, seenAt, hasCurrentKeys } }: { node: NodeView }) {
  const { tone, label } = stateLabels[state];
  return (
    <span>
      <Badge tone={tone}>{label}</Badge>
      {state === "gone" && (
        <span class="faint">
          {" "}
          Last seen <RelativeTime at={seenAt} />
        </span>
      )}
      {state === "running" && !hasCurrentKeys && <span class="faint"> Updating keys</span>}
    </span>
  );
}

function PoolOf({ pool }: { pool: NodeView["pool"] }) {
  if (pool === null) return <span class="faint">None</span>;
  return (
    <span title={`${count(pool.open)} open`}>
      {count(pool.busy)} of {count(pool.size)} busy{" "}
      {pool.waiting > 0 && <Badge tone="warn">{count(pool.waiting)} waiting</Badge>}
    </span>
  );
}
