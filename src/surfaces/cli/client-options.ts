import { ConfigError } from "../../app/config/config.ts";
import { resolveOptions, type Option, type Sources } from "../../app/config/sources.ts";
import { baseUrl, text } from "../../app/config/values.ts";

/** A server elsewhere and the key that it knows us by. */
export type RemoteServer = { url: string; apiKey: string };

const url: Option<string | null> = {
  argument: "URL",
  parse: baseUrl,
  default: null,
  description: "Talk to the server at this URL instead of the data directory; needs an API key.",
};

const apiKey: Option<string | null> = {
  argument: "FILE",
  parse: text,
  default: null,
  secret: true,
  description:
    "File that holds the API key for --url. There is no flag for the key itself: flags show in the process list.",
};

export const clientOptions = { url, apiKey };

/**
 * The server that --url and --api-key-file, or OUTREACHD_URL and OUTREACHD_API_KEY (or OUTREACHD_API_KEY_FILE), name;
 * null when nobody named one. Throws `ConfigError` when only one half is there: acting on the local data instead
 * would be a surprise.
 */
export function remoteServer(input: Pick<Sources, "flags" | "env" | "readFile">): RemoteServer | null {
  const { values, problems } = resolveOptions(clientOptions, { ...input, file: null });
  if (problems.length > 0) throw new ConfigError(problems);
  if (values.url === null && values.apiKey === null) return null;
  if (values.apiKey === null)
    throw missing(
      "OUTREACHD_API_KEY",
      "A server is named but no key for it. Set this variable, or give --api-key-file FILE.",
    );
  if (values.url === null)
    throw missing("OUTREACHD_URL", "A key is given but no server for it. Set this variable, or give --url URL.");
  return { url: values.url, apiKey: values.apiKey };
}

function missing(option: string, message: string): ConfigError {
  return new ConfigError([{ option, message }]);
}
