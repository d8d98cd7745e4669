import { codeOf, sqlStates } from "./error-codes.ts";
import { drizzle } from "drizzle-orm/postgres-js";
import { readTime } from "./cluster.ts";
import { connect, type ConnectionOptions } from "./engine.ts";

/** What decides whether a database can be used. */
export type ServerFacts = {
  /** 150004 for 15.4. */
  versionNumber: number;
  version: string;
  isReadOnly: boolean;
  /** Name of the encoding of text, such as UTF8. */
  encoding: string;
  /** Schema that tables are created in; null if the search path names none that exists and that the user may use. */
  schema: string | null;
  /** Whether the user may create tables. */
  mayCreate: boolean;
  /** Whether the tables of this program exist, of whatever version. */
  hasTables: boolean;
  /** Whether a session that is idle in a transaction ends on its own, so that a stopped node holds no locks forever. */
  endsIdleTransactions: boolean;
  /** Whether settings of a session are lost, because a pooler refuses them. */
  refusesSettings: boolean;
};

const closeTimeoutSeconds = 1;

/** Connects once, and lets `sampleTime` read the time of the database. Throws the error of the driver. */
export async function readServerFacts(
  url: string,
  options: ConnectionOptions,
  sampleTime: (read: () => Promise<number>) => Promise<void>,
): Promise<ServerFacts> {
  try {
    return { ...(await read(url, options, sampleTime)), refusesSettings: false };
  } catch (error) {
    if (codeOf(error) !== sqlStates.unsupportedParameter) throw error;
    return { ...(await read(url, { ...options, hasSettings: false }, sampleTime)), refusesSettings: true };
  }
}

async function read(
  url: string,
  options: ConnectionOptions,
  sampleTime: Parameters<typeof readServerFacts>[2],
): Promise<Omit<ServerFacts, "refusesSettings">> {
  const client = connect(url, { ...options, poolSize: 1 });
  try {
    const [row] = await client<Omit<ServerFacts, "refusesSettings">[]>`SELECT
      current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
      pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly",
      current_setting('server_encoding') AS encoding, current_schema() AS schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
      to_regclass('schema_migrations') IS NOT NULL AS "hasTables",
      current_setting('idle_in_transaction_session_timeout') <> '0' AS "endsIdleTransactions"`;
    const orm = drizzle(client);
    await sampleTime(() => readTime(orm));
    return row!;
  } finally {
    // A connection that failed is not closed by the other side.
    await client.end({ timeout: closeTimeoutSeconds });
  }
}
