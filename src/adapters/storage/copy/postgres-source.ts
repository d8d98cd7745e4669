import type { Sql } from "postgres";
import { StartError } from "../../../platform/base/start-error.ts";
import { DirectoryIndex } from "../postgres/directory/directory-index.ts";
import { connect, openEngine, type EngineOptions } from "../postgres/engine.ts";
import { appliedMigrations, migrations } from "../postgres/migrate.ts";
import { ownTables } from "./postgres-contents.ts";
import { refuseRunningNodes } from "./postgres-nodes.ts";
import { postgresRows } from "./postgres-rows.ts";
import type { CopySource } from "./sides.ts";

/**
 * Opens a database that no server uses, and reads it as of one moment. First writes to it what servers have put off: the
 * index of prospects. Throws `StartError` if a server uses it, or another version has written it.
 */
export async function openPostgresSource(url: string, shown: string, options: EngineOptions): Promise<CopySource> {
  return await opened(url, options, async (client) => {
    await refuseOtherVersion(client, shown);
    await refuseRunningNodes(client, shown);
    await settle(client, url, options);
    return await snapshotOf(client, shown);
  });
}

/** A source that servers use meanwhile. */
export type LiveSource = CopySource & {
  /** Size of the tables that are copied, with their indexes. */
  bytes(): Promise<number>;
};

/**
 * Opens a database that servers may use, and reads it as of one moment, without writing to it. The index of a directory of
 * prospects is left out if changes wait to be folded into it. Throws `StartError` if another version has written it.
 */
export async function openLiveSource(url: string, shown: string, options: EngineOptions): Promise<LiveSource> {
  return await opened(url, options, async (client) => {
    await refuseOtherVersion(client, shown);
    return await snapshotOf(client, shown);
  });
}

async function opened<T>(url: string, options: EngineOptions, open: (client: Sql) => Promise<T>): Promise<T> {
  const client = connect(url, { ...options, poolSize: 1 });
  try {
    return await open(client);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function snapshotOf(client: Sql, shown: string): Promise<LiveSource> {
  const connection = await client.reserve();
  await connection`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
  await connection`SET LOCAL statement_timeout = 0`;
  await connection`SET LOCAL idle_in_transaction_session_timeout = 0`;
  // Sorts are large.
  await connection`SET LOCAL work_mem = '64MB'`;
  let isOpen = true;
  return {
    shown,
    rows: (table, after) => postgresRows(connection, table, after),
    async estimate() {
      const [row] = await connection<{ rows: number }[]>`
        SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(${ownTables.copied})`;
      return row!.rows;
    },
    async bytes() {
      const [row] = await connection<{ bytes: number }[]>`
        SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes FROM pg_class
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ANY(${ownTables.copied})`;
      return row!.bytes;
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      // Also ends a COPY that was not read to its end.
      await client.end({ timeout: 0 });
    },
  };
}

async function refuseOtherVersion(client: Sql, shown: string): Promise<void> {
  const applied = await appliedMigrations(client);
  const text = (list: readonly { number: number; hash: string }[]) =>
    list.map(({ number, hash }) => `${number} ${hash}`).join();
  if (applied === null)
    throw new StartError(`The database ${shown} contains no data of outreachd.`, {
      hint: "Check its name, and the options --from and --to: data is copied from the former to the latter.",
    });
  if (text(applied) !== text(migrations))
    throw new StartError(`The database ${shown} was written by another version of outreachd.`, {
      hint: "Start a server of this version on it once, which upgrades it, or copy it with that version.",
    });
}

async function settle(client: Sql, url: string, options: EngineOptions): Promise<void> {
  const owners = await client<{ owner: number }[]>`SELECT owner FROM prospect_directories ORDER BY owner`;
  const engine = openEngine(url, { ...options, poolSize: 2 });
  const directories = new DirectoryIndex(engine);
  try {
    for (const { owner } of owners) {
      await directories.prepare(owner);
      await directories.settle(owner);
    }
  } finally {
    await directories.close();
    await engine.close();
  }
}
