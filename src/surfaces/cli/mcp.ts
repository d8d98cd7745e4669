import type { Command } from "commander";
import { actingUserId } from "./acting-user.ts";
import { Api } from "./api.ts";
import { remark, type CommandContext } from "./context.ts";
import type { Connection } from "./connection.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import type { Endpoint } from "../mcp/stdio-relay.ts";
import { openConnection, type ConnectionFlags } from "./session.ts";

type McpFlags = ConnectionFlags & { user?: string };

export function addMcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("mcp")
    .description("Serve the Model Context Protocol on standard input and output, for AI assistants on this machine.");
  addConnectionFlags(addUserFlag(command)).action((flags: McpFlags) => serveMcp(flags, context));
}

async function serveMcp(flags: McpFlags, context: CommandContext): Promise<void> {
  const stop = new AbortController();
  const release = context.signals.listen(() => stop.abort());
  const connection = await openConnection(context, flags, { isLong: true });
  try {
    // Loaded here, so that other commands start without it.
    const { relayStdio } = await import("../mcp/stdio-relay.ts");
    const first = await endpointOf(connection, flags, context);
    await relayStdio(
      first,
      () => reopen(flags, context),
      (text) => remark(context, text),
      stop.signal,
    );
  } finally {
    await connection.close();
    release();
  }
}

/** The endpoint of the restarted server. Never the service in this process, which would lock the server out. */
async function reopen(flags: McpFlags, context: CommandContext): Promise<Endpoint> {
  return endpointOf(await openConnection(context, flags, { needsServer: true }), flags, context);
}

/** The endpoint, with the user that a global key acts as. */
async function endpointOf(connection: Connection, { user }: McpFlags, context: CommandContext): Promise<Endpoint> {
  const userId = await actingUserId(new Api(connection), user, (text) => remark(context, text));
  const path = userId === undefined ? "/mcp" : `/mcp?${new URLSearchParams({ userId })}`;
  return (init) => connection.fetch(path, init);
}
