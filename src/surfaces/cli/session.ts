import { readFileSync } from "node:fs";
import { loadConfig } from "../../app/config/config.ts";
import { Api } from "./api.ts";
import { remoteServer } from "./client-options.ts";
import { connect, type Connection } from "./connection.ts";
import { remark, type CommandContext } from "./context.ts";

/** Parsed flags of commands with connection flags. */
export type ConnectionFlags = { data?: string; config?: string; url?: string; apiKeyFile?: string };

type ConnectionNeeds = {
  mayCreateData?: boolean;
  isLong?: boolean;
  needsServer?: boolean;
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
  { data, config, url, apiKeyFile }: ConnectionFlags,
  { mayCreateData = false, isLong = false, needsServer = false, firstAdmin }: ConnectionNeeds = {},
): Promise<Connection> {
  const { env, backend } = context;
  return connect({
    // Only these flags: a command's own --time-zone or --source is not a server setting.
    config: {
      ...loadConfig({ flags: { data, config }, env }),
      ...(firstAdmin !== undefined && { adminEmail: firstAdmin }),
    },
    showsFirstKey: firstAdmin !== undefined,
    remote: remoteServer({ flags: { url, apiKeyFile }, env, readFile: (path) => readFileSync(path, "utf8") }),
    backend,
    mayCreateData,
    isLong,
    needsServer,
    tell: (text) => remark(context, text),
  });
}
