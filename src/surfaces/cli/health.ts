import type { Command } from "commander";
import { loadConfig, type Config } from "../../app/config/config.ts";
import { baseUrl, showListenAddress } from "../../app/config/values.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addListenFlags, parsed } from "./flags.ts";
import { bypassProxy } from "./proxy.ts";
import { reasonOf } from "./reason.ts";

// Shorter than the usual timeout of a container engine, so that the reason is reported instead of just "timed out".
const timeoutMs = 2500;

export function addHealthCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("health")
    .description("Check whether a server responds; exits with 0 if it does, otherwise 1. For container health checks.")
    .option(
      "--url <URL>",
      "Server to check. [OUTREACHD_URL, default: the listen address on this machine]",
      parsed(baseUrl),
    );
  addListenFlags(command).action((flags: Record<string, unknown> & { url?: string }) => checkHealth(flags, context));
}

async function checkHealth(flags: Record<string, unknown> & { url?: string }, context: CommandContext): Promise<void> {
  const url =
    flags.url ?? (context.env["OUTREACHD_URL"] || (await ownUrl(loadConfig({ flags, env: context.env }), context)));
  const problem = await problemOf(url);
  if (problem === null) return await present(context, { healthy: true, url }, `The server at ${url} is healthy.`);
  throw new CommandError(exitCodes.failed, `The server at ${url} is not healthy: ${problem}`);
}

/** Returns null if the server passes its liveness check, otherwise why not. */
async function problemOf(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(timeoutMs) });
    return response.ok ? null : `it responded with ${response.status}.`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The URL of a server with this configuration, as seen from this machine. */
async function ownUrl({ listen, dataDir }: Config, { backend }: CommandContext): Promise<string> {
  const url = listen.port === 0 ? (await backend.readRunningServer(dataDir))?.url : listenUrl(listen);
  if (url === undefined)
    throw new CommandError(exitCodes.failed, `No server is running on the data directory ${dataDir}.`);
  bypassProxy(url);
  return url;
}

function listenUrl({ host, port }: Config["listen"]): string {
  // The wildcard addresses are for listening only.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${showListenAddress({ host: reachable, port })}`;
}
