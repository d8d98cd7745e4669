import { readFileSync } from "node:fs";
import { loadConfig } from "../../app/config/config.ts";
import { Api } from "./api.ts";
import { remoteServer } from "./client-options.ts";
import { connect, type Connection } from "./connection.ts";
import { remark, type CommandContext } from "./context.ts";
import { connectionOptions } from "./flags.ts";

/** Parsed flags of commands with connection flags. */
export type ConnectionFlags = { config?: string; url?: string; apiKeyFile?: string } & {
  [Name in keyof typeof connectionOptions]?: string;
};

type ConnectionNeeds = {
  mayCreateData?: boolean;
  isLong?: boolean;
  needsServer?: boolean;
  /** Whether the command waits for jobs, which the service in this process then runs if no other node does. */
  runsJobs?: boolean;
  /** Whether the command leaves files in the data directory, even if its data is elsewhere. */
  keepsDataDir?: boolean;
  /** Email of the admin of an empty data directory, whose key the command shows itself. */
  firstAdmin?: string;
};

/** Runs `command` with the API selected by flags and environment, and always closes the connection. */
export async function withApi(
  context: CommandContext,
  flags: ConnectionFlags,
  command: (api: Api) => Promise<void>,
  needs: ConnectionNeeds = {},
): Promise<void> {
  const connection = await openConnection(context, flags, needs);
  try {
    await command(new Api(connection));
  } finally {
    await connection.close();
  }
}

/** Opens the connection selected by flags and environment; the caller must close it. */
export async function openConnection(
  context: CommandContext,
  { config: configFile, url, apiKeyFile, ...flags }: ConnectionFlags,
  { firstAdmin, ...needs }: ConnectionNeeds = {},
): Promise<Connection> {
  const { env, backend } = context;
  const { mayCreateData = false, isLong = false, needsServer = false, runsJobs = isLong, keepsDataDir = false } = needs;
  const remote = remoteServer({ flags: { url, apiKeyFile }, env, readFile: (path) => readFileSync(path, "utf8") });
  // Only these flags: a command's own --time-zone or --source is not a server setting.
  const config = loadConfig({ flags: { ...namedIn(connectionOptions, flags), config: configFile }, env });
  return connect({
    config: { ...config, ...(firstAdmin !== undefined && { adminEmail: firstAdmin }) },
    showsFirstKey: firstAdmin !== undefined,
    ...{ remote, backend, mayCreateData, isLong, needsServer, runsJobs, keepsDataDir },
    tell: (text) => remark(context, text),
  });
}

function namedIn(options: object, flags: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => name in options));
}
