import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions as TlsOptions } from "node:tls";

/** How the URL of a database asks for TLS. Files are paths. */
export type UrlTls = {
  /** Certificates are verified with `verify-ca` and `verify-full`, host names only with `verify-full`. */
  mode: "disable" | "prefer" | "require" | "verify-ca" | "verify-full";
  /** Certificates of the authorities to trust; null: those that the runtime trusts. */
  rootFile: string | null;
  certificateFile: string | null;
  keyFile: string | null;
};

export type ConnectionUrl = {
  /** Without the parameters that the driver would send to the server as settings. */
  url: string;
  /** Null if the URL says nothing about TLS. */
  tls: UrlTls | null;
};

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
const sessionKinds = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"];
/** Parameters of libpq that change nothing here, whatever their value. */
const ignored =
  /^(channel_binding|gssencmode|gsslib|gssdelegation|krbsrvname|keepalives(_idle|_interval|_count)?|tcp_user_timeout|sslcompression|sslsni|load_balance_hosts|fallback_application_name)$/;
/** Parameters of libpq that would have to change something. */
const unsupported =
  /^(host|hostaddr|port|dbname|user|password|passfile|service|servicefile|sslcrl|sslcrldir|sslpassword|sslcertmode|requirepeer|require_auth|requiressl|replication|ssl_(min|max)_protocol_version)$/;

/**
 * Separates the parameters of libpq, which other programs accept in the same URL, from settings of the server. `sslmode`
 * and the files mean what they mean to libpq (PostgreSQL manual, "SSL Support"), with two differences: without `sslmode`,
 * connections are not encrypted, and without `sslrootcert`, the authorities that the runtime trusts are used.
 * Throws `RangeError` with a message for people, which repeats no value that may be secret.
 */
export function parseConnectionUrl(text: string): ConnectionUrl {
  const queryAt = text.indexOf("?");
  if (queryAt === -1) return { url: text, tls: null };
  const given = new URLSearchParams(text.slice(queryAt + 1));
  const tls = tlsOf(given);
  const binding = given.get("channel_binding");
  if (binding === "require" && (tls === null || tls.mode === "disable" || tls.mode === "prefer"))
    throw new RangeError("channel_binding=require needs TLS; add sslmode=require or sslmode=verify-full.");
  if (given.get("gssencmode") === "require")
    throw new RangeError("GSSAPI encryption is not supported; remove gssencmode and set sslmode.");
  const session = given.get("target_session_attrs");
  if (session !== null && !sessionKinds.includes(session))
    throw new RangeError(`Expected one of ${sessionKinds.join(", ")} as target_session_attrs.`);
  const refused = [...given.keys()].find((name) => unsupported.test(name));
  if (refused !== undefined)
    throw new RangeError(`The parameter ${refused} is not supported in the URL of the database; remove it.`);
  const kept = [...given].filter(
    ([name, value]) =>
      !/^(ssl|sslmode|sslrootcert|sslcert|sslkey)$/.test(name) &&
      !ignored.test(name) &&
      !(name === "target_session_attrs" && value === "any"),
  );
  const query = new URLSearchParams(kept).toString();
  return { url: text.slice(0, queryAt) + (query === "" ? "" : `?${query}`), tls };
}

function tlsOf(given: URLSearchParams): UrlTls | null {
  const rootFile = given.get("sslrootcert");
  const certificateFile = given.get("sslcert");
  const keyFile = given.get("sslkey");
  if ((certificateFile === null) !== (keyFile === null))
    throw new RangeError("sslcert and sslkey belong together; set both or neither.");
  const mode = modeOf(given);
  if (rootFile === "system") {
    if (mode !== null && mode !== "verify-full") throw new RangeError("sslrootcert=system needs sslmode=verify-full.");
    return { mode: "verify-full", rootFile: null, certificateFile, keyFile };
  }
  if (mode === null) {
    if (rootFile !== null || certificateFile !== null)
      throw new RangeError("sslrootcert and sslcert need sslmode; add sslmode=verify-full.");
    return null;
  }
  // libpq verifies with `require`, too, if it is given authorities.
  return { mode: mode === "require" && rootFile !== null ? "verify-ca" : mode, rootFile, certificateFile, keyFile };
}

/** `ssl` is the driver's name for `sslmode`. `allow` is `prefer`: both accept either. */
function modeOf(given: URLSearchParams): UrlTls["mode"] | null {
  const text = given.get("sslmode") ?? given.get("ssl");
  if (text === null) return null;
  if (!given.has("sslmode") && text === "true") return "verify-full";
  if (!given.has("sslmode") && text === "false") return "disable";
  const mode = modes.find((each) => each === text);
  if (mode === undefined) throw new RangeError(`Expected one of ${modes.join(", ")} as sslmode.`);
  return mode === "allow" ? "prefer" : mode;
}

/** The driver's option `ssl`. Reads the files; throws `RangeError` if one cannot be read. */
function tlsOptions({ mode, rootFile, certificateFile, keyFile }: UrlTls, host: string): TlsOptions | "prefer" | false {
  if (mode === "disable") return false;
  if (mode === "prefer") return "prefer";
  const options: TlsOptions = { rejectUnauthorized: mode !== "require" };
  if (rootFile !== null) options.ca = read("sslrootcert", rootFile);
  if (certificateFile !== null) options.cert = read("sslcert", certificateFile);
  if (keyFile !== null) options.key = read("sslkey", keyFile);
  if (mode === "verify-ca") options.checkServerIdentity = () => undefined;
  // The driver passes no server name if the host is an address, so the check receives the address here.
  if (mode === "verify-full" && isIP(host) !== 0)
    options.checkServerIdentity = (_, certificate) => checkServerIdentity(host, certificate);
  return options;
}

function read(parameter: string, path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    if (text.includes("-----BEGIN ")) return text;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new RangeError(`Cannot read the file of ${parameter}, ${path} (${code}).`, { cause: error });
  }
  throw new RangeError(`The file of ${parameter}, ${path}, is not in PEM format.`);
}

/** What the driver connects with. Throws `RangeError`, see above. */
export function driverConnection(text: string) {
  const { url, tls } = parseConnectionUrl(text);
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return { url, ...(tls !== null && { ssl: tlsOptions(tls, host) }) };
}
