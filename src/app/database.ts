import type { EngineOptions } from "../adapters/storage/postgres/engine.ts";
import { openPostgresStorage, type PostgresStorage } from "../adapters/storage/postgres/postgres-storage.ts";
import { readServerFacts, type ServerFacts } from "../adapters/storage/postgres/server-facts.ts";
import type { ServerDatabase } from "../features/backup/snapshot-store.ts";
import { durationText } from "../platform/operations/duration-text.ts";
import { StartError } from "../platform/base/start-error.ts";
import { systemClock, type Clock } from "../platform/base/clock.ts";
import { ClusterClock } from "../platform/cluster/cluster-clock.ts";
import type { Log } from "../platform/base/log.ts";
import type { PhoneRegion } from "../platform/identity/phone.ts";
import { shownDatabase, type DatabaseConfig } from "./config/database-options.ts";

const oldestVersion = 15;
const never = new AbortController().signal;
/** Services such as S3 refuse requests whose signature is further off (RequestTimeTooSkewed). */
const maxClockErrorMs = 900_000;
/** Nodes use the time of the database, so this only matters where the machine's is used: log lines and certificates. */
const notableClockErrorMs = 10_000;

/** A connected and migrated database, and the time that its nodes share. */
export type OpenedDatabase = {
  storage: PostgresStorage;
  /** How to connect to it once more. */
  server: ServerDatabase;
  clock: Clock;
  /** Reads the time of the database again. */
  sampleTime: () => Promise<void>;
  /** How far the clock of this machine is ahead. */
  clockAheadMs: () => number;
  /** Why the time of the database is unknown, as a clause for a message; null if it is known. */
  timeProblem: () => string | null;
};

/**
 * Connects to PostgreSQL and migrates the database if necessary. `ownClock` replaces the time of the database, for tests.
 * Throws `StartError` if the database cannot be used, and the reason of `stop` within two seconds after its abortion.
 */
export async function openDatabase(
  { url, poolSize, prepare }: DatabaseConfig,
  phoneRegion: PhoneRegion | null,
  ownClock: Clock | null,
  log: Log,
  stop: AbortSignal = never,
): Promise<OpenedDatabase> {
  const shown = shownDatabase(url);
  const failed = (error: unknown): never => {
    throw stop.aborted ? stop.reason : startErrorOf(error, shown);
  };
  const clusterClock = new ClusterClock(systemClock);
  const reading = readServerFacts(url, { prepare }, (read) => clusterClock.sample(read));
  const facts = await Promise.race([reading, abortionOf(stop)]).catch(failed);
  requireUsable(facts, shown);
  if (ownClock === null) checkClock(clusterClock.systemAheadMs(), log);
  if (facts.refusesSettings && !facts.endsIdleTransactions) log.warn(poolerHint);
  const clock = ownClock ?? clusterClock;
  const options = { poolSize, prepare, phoneRegion, hasSettings: !facts.refusesSettings };
  const onWait = (message: string) => log.warn(message);
  const storage = await openPostgresStorage(url, clock, options, { onWait, stop }).catch(failed);
  return {
    storage,
    server: { url, shown, prepare, hasSettings: !facts.refusesSettings },
    clock,
    sampleTime: () => clusterClock.sample(() => storage.cluster.time()),
    clockAheadMs: () => clusterClock.systemAheadMs(),
    timeProblem: () => (clusterClock.isKnown ? null : "the time of the database was not read for a minute"),
  };
}

/** Rejects once the signal is aborted. */
function abortionOf(stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(stop.reason as Error);
    if (stop.aborted) abort();
    else stop.addEventListener("abort", abort, { once: true });
  });
}

/** Whether the database has the tables of this program. Throws `StartError` if it cannot be used. */
export async function hasTables({ url, prepare }: Pick<DatabaseConfig, "url" | "prepare">): Promise<boolean> {
  return (await usableFacts(url, prepare)).hasTables;
}

/** How to connect to a database, for commands. Throws `StartError` if it cannot be used. */
export async function usableConnection(url: string, prepare: boolean): Promise<EngineOptions> {
  return { prepare, hasSettings: !(await usableFacts(url, prepare)).refusesSettings };
}

async function usableFacts(url: string, prepare: boolean): Promise<ServerFacts> {
  const shown = shownDatabase(url);
  const facts = await readServerFacts(url, { prepare }, async () => {}).catch((error: unknown) => {
    throw startErrorOf(error, shown);
  });
  requireUsable(facts, shown);
  return facts;
}

const poolerHint =
  "the connection pooler ignores the timeouts of sessions; set them for the database user: " +
  "ALTER ROLE … SET idle_in_transaction_session_timeout = '10s'; ALTER ROLE … SET statement_timeout = '30s'";

/** Throws `StartError` if the program cannot work with such a server. */
export function requireUsable(facts: ServerFacts, shown: string): void {
  const { versionNumber, version, isReadOnly, encoding, schema, mayCreate } = facts;
  if (Math.floor(versionNumber / 10_000) < oldestVersion)
    throw new StartError(`The database ${shown} runs PostgreSQL ${version}, which is too old.`, {
      hint: `Upgrade it to PostgreSQL ${oldestVersion} or later.`,
    });
  if (isReadOnly)
    throw new StartError(`The database ${shown} is read-only.`, {
      hint: "Connect to the primary server rather than to a replica; after a failover, check where the host name points.",
    });
  if (encoding !== "UTF8")
    throw new StartError(`The database ${shown} stores text as ${encoding}, not as UTF8.`, {
      hint: "Create another one with `createdb --encoding=UTF8 --template=template0`.",
    });
  if (schema === null)
    throw new StartError(`The database ${shown} has no schema that its user may use.`, {
      hint:
        "As the owner of the database, run CREATE SCHEMA IF NOT EXISTS public and GRANT CREATE, USAGE ON SCHEMA public " +
        "TO this user. If OUTREACHD_DATABASE or the user sets search_path, check it.",
    });
  if (!mayCreate)
    throw new StartError(`The database user of ${shown} may not create tables.`, {
      hint: `As the owner of the database, run GRANT CREATE, USAGE ON SCHEMA ${schema} TO this user, or make it the owner.`,
    });
}

/** Warns about a clock that is off, and throws `StartError` for one that is too far off. */
export function checkClock(aheadMs: number, log: Log): void {
  const errorMs = Math.abs(aheadMs);
  if (errorMs < notableClockErrorMs) return;
  const off = `${durationText(errorMs)} ${aheadMs > 0 ? "ahead of" : "behind"}`;
  const problem = `The clock of this machine is ${off} the clock of the database.`;
  if (errorMs >= maxClockErrorMs)
    throw new StartError(problem, { hint: "Synchronize both machines with a time server (NTP), then start again." });
  log.warn(
    { clockAheadMs: Math.round(aheadMs) },
    `${problem} Nodes use the latter; synchronize both with a time server.`,
  );
}

/** Reasons by error code: of PostgreSQL (Appendix A of its manual), of the driver, and of the operating system. */
const reasons: { codes: RegExp; message: (shown: string) => string; hint: string }[] = [
  {
    codes: /^(28P01|28000)$/,
    message: (shown) => `The database ${shown} refused the user or the password.`,
    hint:
      "Check both in OUTREACHD_DATABASE (special characters must be percent-encoded), and the rules in pg_hba.conf, " +
      "which may require TLS (sslmode=require).",
  },
  {
    codes: /^3D000$/,
    message: (shown) => `The database ${shown} does not exist.`,
    hint: "Create it with `createdb`, or correct its name in OUTREACHD_DATABASE.",
  },
  {
    codes: /^42501$/,
    message: (shown) => `The database user of ${shown} lacks a privilege.`,
    hint: "Make it the owner of the database and of its tables.",
  },
  {
    codes: /^53300$/,
    message: (shown) => `The database ${shown} accepts no more connections.`,
    hint:
      "Lower database-pool on each node, or raise max_connections of PostgreSQL and the CONNECTION LIMIT of the user " +
      "and the database.",
  },
  {
    codes: /^(53100|58030)$/,
    message: (shown) => `The disk of the database ${shown} is full or failing.`,
    hint: "Free up space on the machine of PostgreSQL.",
  },
  {
    codes: /^(25006)$/,
    message: (shown) => `The database ${shown} is read-only.`,
    hint: "Connect to the primary server rather than to a replica.",
  },
  {
    codes:
      /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA|CERT_SIGNATURE_FAILURE)/,
    message: (shown) => `The certificate of the database ${shown} is not from an authority that this machine trusts.`,
    hint: "Add sslrootcert=FILE to OUTREACHD_DATABASE, with the certificate of the authority in PEM format.",
  },
  {
    codes: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    message: (shown) => `The certificate of the database ${shown} has expired or is not valid yet.`,
    hint: "Renew the certificate of PostgreSQL, and check the clock of this machine.",
  },
  {
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    message: (shown) => `The certificate of the database ${shown} is for another host name.`,
    hint: "Connect by a name in the certificate, or verify only its authority: sslmode=verify-ca.",
  },
  {
    codes: /^42P07$/,
    message: (shown) => `The database ${shown} has tables of another program.`,
    hint: "Create a database for outreachd alone, and direct OUTREACHD_DATABASE to it.",
  },
  {
    codes: /^(CONNECTION_CLOSED|ECONNRESET|EPIPE)$/,
    message: (shown) => `The server of the database ${shown} closed the connection.`,
    hint:
      "Check that PostgreSQL listens on this port, rather than another program or a proxy that cannot reach it, and " +
      "that sslmode fits the server.",
  },
  {
    codes: /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECT|57P0|08|FailedToOpenSocket|ERR_)/,
    message: (shown) => `Cannot connect to the database ${shown}.`,
    hint: "Check that PostgreSQL is running and reachable from this machine, its host and port, and sslmode.",
  },
];

/**
 * Converts an error of the database into a reason not to start; returns other errors unchanged. PostgreSQL says itself
 * what is wrong if its code is not listed.
 */
export function startErrorOf(error: unknown, shown: string): unknown {
  if (error instanceof StartError) return error;
  const chain = [...causesOf(error)];
  for (const each of chain) {
    const reason = reasons.find(({ codes }) => codes.test(textOf(each, "code")));
    if (reason === undefined) continue;
    const message = `${reason.message(shown)} (${each.message || textOf(each, "code")})`;
    return new StartError(message, { hint: reason.hint, cause: error });
  }
  const reported = chain.find((each) => "severity" in each);
  if (reported === undefined) return error;
  const message = `Cannot use the database ${shown}: ${reported.message} (PostgreSQL error ${textOf(reported, "code")}).`;
  const hints = [textOf(reported, "detail"), textOf(reported, "hint"), unlistedHint];
  return new StartError(message, { hint: hints.filter((hint) => hint !== "").join(" "), cause: error });
}

const unlistedHint =
  "Correct this in the settings of PostgreSQL, the privileges of the database user, or OUTREACHD_DATABASE and its " +
  "parameters, then start again. The log of PostgreSQL has the statement.";

function* causesOf(error: unknown): Iterable<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

/** A field of an error, which the driver takes from the message of PostgreSQL; "" if it is missing. */
function textOf(error: Error, name: "code" | "detail" | "hint"): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : "";
}
