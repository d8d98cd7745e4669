import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Sql } from "postgres";
import type { CommitMetrics } from "../../../lib/group-commit/writer.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { PoolUse } from "../../../platform/cluster/model.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import { watch, type Connection } from "./connection.ts";
import { driverConnection } from "../../../platform/base/database-url.ts";
import { codeOf, DatabaseUnreachable, isConnectionCode } from "./error-codes.ts";
import { ownersOf } from "./owners.ts";
import { EventSignal, hasNewEvents } from "./event-signal.ts";
import { currentAttempt } from "./keyed-attempt.ts";
import { preparing } from "./prepared-statements.ts";
import { PoolMeter } from "./pool-meter.ts";

export type { Connection } from "./connection.ts";

/** What every PostgreSQL store works with. */
export type Engine = {
  /** For statements outside a transaction: each runs on any connection of the pool. */
  orm: PostgresJsDatabase;
  /**
   * Runs `work` in one transaction on one connection and commits, or rolls back if `work` throws. READ COMMITTED: each
   * statement sees what is committed when it starts, so whatever a decision depends on must be locked before it is read.
   */
  transact<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** The number that large tables know a user by; null if the user doesn't exist. It never changes, so it is remembered. */
  ownerOf(workspaceId: WorkspaceId): Promise<number | null>;
  /** Announces after each commit with new events. Those of other nodes: see `EventLog.poll`. */
  newEvents: EventSignal;
  measureCommits(metrics: CommitMetrics): void;
  /** Use of the connections of the pool. */
  poolUse(): PoolUse;
  /** Country of phone numbers without a country code; null if none is configured. */
  phoneRegion: PhoneRegion | null;
  /** Waits for running statements. */
  close(): Promise<void>;
};

export type ConnectionOptions = {
  /** Connections at most. */
  poolSize?: number;
  /** False behind pgbouncer 1.20 and older in transaction mode, where prepared statements break. */
  prepare?: boolean;
  /** False behind a pooler that refuses settings at the start of a session; its database user should have them. */
  hasSettings?: boolean;
};

export type EngineOptions = ConnectionOptions & { phoneRegion?: PhoneRegion | null };

/** 10 nodes with such a pool stay within the 100 connections that PostgreSQL allows by default. */
const defaultPoolSize = 10;
const connectTimeoutSeconds = 10;
/** Pause before a connection that failed is tried again: requests wait for it, and a database that is back is noticed. */
const maxBackoffSeconds = 1;
/** A statement that takes longer is a mistake, and a node that stops in a transaction must not hold its locks. */
export const sessionSettings = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 10_000 };
/** For running statements when the pool closes. */
const closeTimeoutSeconds = 5;

/** Connects lazily: the first statement opens the first connection. */
export function openEngine(url: string, options: EngineOptions = {}): Engine {
  const meter = new PoolMeter(options.poolSize ?? defaultPoolSize);
  const client = connect(url, options, () => meter.connectionClosed());
  const mayShare = options.prepare !== false && options.hasSettings !== false;
  const orm = drizzle(preparing(meter.watch(client), mayShare));
  const newEvents = new EventSignal();
  let metrics: CommitMetrics | null = null;
  return {
    orm,
    async transact(work) {
      const startedAt = performance.now();
      const attempt = currentAttempt();
      const { result, isNews, isRecorded } = await orm
        .transaction(async (connection) => {
          const watched = attempt === null ? null : watch(connection);
          const outcome = await work(watched ?? connection);
          const isRecorded = watched?.hasWritten() === true && (await attempt!.store(connection));
          return { result: outcome, isNews: hasNewEvents(watched ?? connection), isRecorded };
        })
        .catch((error: unknown) => {
          throw isConnectionCode(codeOf(error)) ? new DatabaseUnreachable(error) : error;
        });
      if (isRecorded) attempt!.committed();
      if (isNews) newEvents.announce();
      metrics?.units.observe(1);
      metrics?.seconds.observe((performance.now() - startedAt) / 1000);
      return result;
    },
    ownerOf: rememberingOwners(orm),
    measureCommits: (given) => void (metrics = given),
    poolUse: () => meter.use(),
    newEvents,
    phoneRegion: options.phoneRegion ?? null,
    close: () => client.end({ timeout: closeTimeoutSeconds }),
  };
}

/** Users whose numbers are remembered. */
const maxOwners = 10_000;

function rememberingOwners(orm: Connection): Engine["ownerOf"] {
  const known = new Map<WorkspaceId, number>();
  return async (workspaceId) => {
    const remembered = known.get(workspaceId);
    if (remembered !== undefined) return remembered;
    const owner = (await ownersOf(orm, [workspaceId])).get(workspaceId) ?? null;
    if (known.size >= maxOwners) known.clear();
    if (owner !== null) known.set(workspaceId, owner);
    return owner;
  };
}

/** A pool of connections without drizzle. The caller ends it. */
export function connect(
  url: string,
  { poolSize = defaultPoolSize, prepare = true, hasSettings = true }: ConnectionOptions = {},
  onClose: () => void = () => {},
): Sql {
  const { url: driverUrl, ...tls } = driverConnection(url);
  return postgres(driverUrl, {
    ...tls,
    max: poolSize,
    prepare,
    connect_timeout: connectTimeoutSeconds,
    backoff: (failures: number) => Math.min(3 ** failures / 100, maxBackoffSeconds),
    connection: { application_name: "outreachd", ...(hasSettings && sessionSettings) },
    // Instants and counts are bigint in the tables, and numbers here: none comes near 2^53.
    types: { bigint: { to: bigintType, from: [bigintType], serialize: String, parse: Number } },
    onnotice: () => {},
    onclose: onClose,
  });
}

/** The number of the type in PostgreSQL's catalog. */
const bigintType = 20;
