import type { Sql } from "postgres";
import { StartError } from "../../../platform/base/start-error.ts";
import { DirectoryIndex } from "../postgres/directory/directory-index.ts";
import { connect, openEngine, type EngineOptions } from "../postgres/engine.ts";
import { numberEvents } from "../postgres/event-numbers.ts";
import { appliedMigrations, migrations } from "../postgres/migrate.ts";
import { copiedTables } from "./copied-tables.ts";
import { refuseRunningNodes } from "./postgres-nodes.ts";
import { postgresRows } from "./postgres-rows.ts";
import type { CopySource } from "./sides.ts";

/**
 * Opens a database that no server uses, and reads it as of one moment. First writes to it what servers have put off: the
 * positions of events, and the index of prospects. Throws `StartError` if a server uses it, or another version has written
 * it.
 */
export async function openPostgresSource(url: string, shown: string, options: EngineOptions): Promise<CopySource> {
  const client = connect(url, { ...options, poolSize: 1 });
  try {
    await refuseOtherVersion(client, shown);
    await refuseRunningNodes(client, shown);
    await settle(client, url, options);
    return await snapshotOf(client, shown);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function snapshotOf(client: Sql, shown: string): Promise<CopySource> {
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
      const names = copiedTables.map(({ name, postgres }) => postgres.table ?? name);
      const [row] = await connection<{ rows: number }[]>`
        SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(${names})`;
      return row!.rows;
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
    while ((await numberEvents(engine)) > 0);
    for (const { owner } of owners) {
      await directories.prepare(owner);
      await directories.settle(owner);
    }
  } finally {
    await directories.close();
    await engine.close();
  }
}
