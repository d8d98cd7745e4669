import type { Command } from "commander";
import { describeConfig, loadConfig, type Config, type ConfigInput } from "../../app/config/config.ts";
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
      "Server to check. [OUTREACHD_URL, default: the server of the data directory, or the listen address on this machine]",
      parsed(baseUrl),
    );
  addListenFlags(command).action((flags: Record<string, unknown> & { url?: string }) => checkHealth(flags, context));
}

async function checkHealth(flags: Record<string, unknown> & { url?: string }, context: CommandContext): Promise<void> {
  const url = flags.url ?? (context.env["OUTREACHD_URL"] || (await ownUrl({ flags, env: context.env }, context)));
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

/**
 * The URL for --listen, or of the server of the data directory. Without one, the listen address on this machine, unless
 * only the directory was chosen: any other server could be listening there.
 */
async function ownUrl(input: ConfigInput, { backend }: CommandContext): Promise<string> {
  const { listen, dataDir } = loadConfig(input);
  const running = isGiven(listen, input) ? null : await backend.readRunningServer(dataDir);
  const isDirectoryChosen = isSet("data", input) && !isSet("listen", input);
  const url = running?.url ?? (isDirectoryChosen || listen.port === 0 ? undefined : listenUrl(listen));
  if (url === undefined)
    throw new CommandError(exitCodes.failed, `No server is running on the data directory ${dataDir}.`, {
      hint: "If it runs as another user, run this command as that user, or name it with --url URL or --listen HOST:PORT.",
    });
  bypassProxy(url);
  return url;
}

/** Whether an address was named on the command line. The port is unknown if the server picked it. */
function isGiven({ port }: Config["listen"], { flags }: ConfigInput): boolean {
  return flags["listen"] !== undefined && port !== 0;
}

function isSet(name: string, input: ConfigInput): boolean {
  return describeConfig(input).find((option) => option.name === name)?.origin !== "default";
}

function listenUrl({ host, port }: Config["listen"]): string {
  // The wildcard addresses are for listening only.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${showListenAddress({ host: reachable, port })}`;
}
