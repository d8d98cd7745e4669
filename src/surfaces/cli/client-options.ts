import { ConfigError } from "../../app/config/config.ts";
import { resolveOptions, type Option, type Sources } from "../../app/config/sources.ts";
import { baseUrl, text } from "../../app/config/values.ts";

/** A remote server and the API key for it. */
export type RemoteServer = { url: string; apiKey: string };

const url: Option<string | null> = {
  argument: "URL",
  parse: baseUrl,
  default: null,
  description: "Use the server at this URL instead of the data directory. Requires an API key.",
};

const apiKey: Option<string | null> = {
  argument: "FILE",
  parse: text,
  default: null,
  secret: true,
  description:
    "File that contains the API key for --url. There is no flag for the key itself, because flags are visible in the process list.",
};

export const clientOptions = { url, apiKey };

/**
 * Returns the server set by --url and --api-key-file, or by OUTREACHD_URL and OUTREACHD_API_KEY (or
 * OUTREACHD_API_KEY_FILE); null if none is set. Throws `ConfigError` if only one of the two is set: falling back to the
 * local data would be a surprise.
 */
export function remoteServer(input: Pick<Sources, "flags" | "env" | "readFile">): RemoteServer | null {
  const { values, problems } = resolveOptions(clientOptions, { ...input, file: null });
  if (problems.length > 0) throw new ConfigError(problems);
  if (values.url === null && values.apiKey === null) return null;
  if (values.apiKey === null)
    throw missing("OUTREACHD_API_KEY", "The server has no API key. Set this variable or --api-key-file FILE.");
  if (values.url === null) throw missing("OUTREACHD_URL", "The API key has no server. Set this variable or --url URL.");
  return { url: values.url, apiKey: values.apiKey };
}

function missing(option: string, message: string): ConfigError {
  return new ConfigError([{ option, message }]);
}
