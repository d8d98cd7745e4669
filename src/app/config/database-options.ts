import { driverConnection } from "../../platform/base/database-url.ts";
import { nodeRoles, type NodeRole } from "../../platform/cluster/model.ts";
import type { Option, Problem } from "./sources.ts";
import { oneOf, trueOrFalse, wholeNumber, type Parse } from "./values.ts";

/** Options for several nodes on one database; part of `serverOptions`. */
export const databaseOptions = {
  database: option<string | null>({
    argument: "URL",
    parse: databaseUrl,
    default: null,
    secret: true,
    hasFlag: true,
    description:
      "PostgreSQL database that several nodes share, as postgres://USER:PASSWORD@HOST:PORT/NAME. Flags are visible in the process list, so put a password in the variable or a file. Default: an embedded database in the data directory.",
  }),
  databasePool: option({
    argument: "NUMBER",
    parse: wholeNumber(3, 1000),
    default: 10,
    unit: "connections",
    description: "Maximum number of connections of this node to PostgreSQL.",
  }),
  databasePrepare: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: true,
    show: String,
    description:
      "Use prepared statements. Set it to false behind pgbouncer 1.20 or older in transaction mode, which does not support them.",
  }),
  role: option<NodeRole>({
    argument: "ROLE",
    parse: oneOf(nodeRoles),
    default: "all",
    description:
      "What a node on PostgreSQL does: api answers requests, worker runs jobs and answers only health checks, all does both.",
  }),
};

export type DatabaseConfig = Readonly<{ url: string; poolSize: number; prepare: boolean; role: NodeRole }>;

type Values = {
  database: string | null;
  databasePool: number;
  databasePrepare: boolean;
  role: NodeRole;
  simulate: boolean;
  backupSchedule: string | null;
};

/** Splits the values of these options off from all values. Null: the embedded database. */
export function databaseConfig<T extends Values>(values: T) {
  const { database: url, databasePool: poolSize, databasePrepare: prepare, role, ...rest } = values;
  const problems: Problem[] = [];
  if (url === null && role !== "all")
    problems.push({
      option: "role",
      message: "Only nodes on PostgreSQL have roles. Set database as well, or remove role.",
    });
  if (url !== null && values.simulate)
    problems.push({
      option: "simulate",
      message: "A simulation runs on the embedded database. Remove database or simulate.",
    });
  const database: DatabaseConfig | null = url === null ? null : Object.freeze({ url, poolSize, prepare, role });
  return { database, rest, problems };
}

const expected =
  "Expected a URL such as postgres://USER:PASSWORD@HOST:5432/NAME, with special characters percent-encoded";

/** The text is not repeated: it may contain a password. */
function databaseUrl(value: string): ReturnType<Parse<string>> {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) throw new RangeError(`${expected}.`);
  if (![url.username, url.password, url.pathname].every(isDecodable))
    throw new RangeError(
      "Percent-encode special characters of the user, the password, and the name, such as % as %25.",
    );
  if (url.hostname === "") throw new RangeError(`${expected}; the host is missing.`);
  if (url.pathname.replace(/^\//, "") === "") throw new RangeError(`${expected}; the name of the database is missing.`);
  driverConnection(value);
  return value;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** The database without its password, for messages. */
export function shownDatabase(value: string): string {
  const { protocol, username, host, pathname } = new URL(value);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
