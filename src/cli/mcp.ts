import type { Command } from "commander";
import { actingUserId } from "./acting-user.ts";
import { Api } from "./api.ts";
import { remark, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { openConnection, type ConnectionFlags } from "./session.ts";

type McpFlags = ConnectionFlags & { user?: string };

export function addMcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("mcp")
    .description(
      "Serve the Model Context Protocol on standard input and output, for AI assistants on this machine. Passes everything on to a running server.",
    );
  addConnectionFlags(addUserFlag(command)).action((flags: McpFlags) => serveMcp(flags, context));
}

async function serveMcp(flags: McpFlags, context: CommandContext): Promise<void> {
  const open = () => openEndpoint(flags, context);
  const first = await open();
  // Loaded here, so that the other commands start without it.
  const { relayStdio } = await import("../mcp/stdio-relay.ts");
  const stop = new AbortController();
  const release = context.signals.listen(() => stop.abort());
  try {
    await relayStdio(first, open, (text) => remark(context, text), stop.signal);
  } finally {
    release();
  }
}

/** The endpoint of a running server, with the user that a global key acts for. Only looked for: none is started. */
async function openEndpoint(flags: McpFlags, context: CommandContext) {
  const connection = await openConnection(context, flags, { needsServer: true });
  const userId = await actingUserId(new Api(connection), flags.user, (text) => remark(context, text));
  const path = userId === undefined ? "/mcp" : `/mcp?${new URLSearchParams({ userId })}`;
  return (init: RequestInit) => connection.fetch(path, init);
}
