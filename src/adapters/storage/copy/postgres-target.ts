import type { Sql } from "postgres";
import { StartError } from "../../../platform/base/start-error.ts";
import { connect, type EngineOptions } from "../postgres/engine.ts";
import { codeOf, sqlStates } from "../postgres/error-codes.ts";
import { copyState, migrate, migrations } from "../postgres/migrate.ts";
import { buildPostgres, dropSecondary } from "./postgres-build.ts";
import { dropEverything, ownTables, refuseData } from "./postgres-contents.ts";
import { refuseRunningNodes } from "./postgres-nodes.ts";
import { copyIn } from "./postgres-copy.ts";
import { postgresRows } from "./postgres-rows.ts";
import { hasTable, inLongTransaction, postgresState } from "./postgres-state.ts";
import type { CopiedTable } from "./copied-table.ts";
import type { CopyTarget, Loaded, Rows } from "./sides.ts";

/** A batch is lost if the copy is interrupted. */
const bytesOfBatch = 64 * 2 ** 20;
/** Any constant that nothing else uses. */
const copyLock = 7_263_448_115;

export type PostgresTargetOptions = {
  url: string;
  shown: string;
  /** Identifies the source, so that an attempt that did not finish is continued only with the same one. */
  from: string;
  /** Deletes what is in the database. */
  isReplaced: boolean;
  /** For the table of migrations. */
  now: number;
  engine: EngineOptions;
};

/** Fills a database. Throws `StartError` if it is in use or contains data. */
export async function openPostgresTarget(options: PostgresTargetOptions): Promise<CopyTarget> {
  const client = connect(options.url, { ...options.engine, poolSize: 4 });
  try {
    await lockCopy(client, options.shown);
    if (await hasTable(client, "nodes")) await refuseRunningNodes(client, options.shown);
    await prepare(client, options);
  } catch (error) {
    await client.end({ timeout: 0 });
    throw error;
  }
  return {
    shown: options.shown,
    loaded: ({ name }) => postgresState.loaded(client, name),
    load: (table, rows) => load(client, table, rows),
    build: (onStep) => buildPostgres(client, onStep),
    rows: (table) => storedRows(client, table),
    complete: () => postgresState.drop(client),
    close: () => client.end({ timeout: 0 }),
  };
}

/** Holds a lock on one connection until it closes. The server may take a moment to notice that an earlier copy was killed. */
async function lockCopy(client: Sql, shown: string): Promise<void> {
  const connection = await client.reserve();
  // In a transaction, because a pooler may give the connection to others between transactions.
  await connection`BEGIN`;
  await connection`SET LOCAL idle_in_transaction_session_timeout = 0`;
  await connection`SET LOCAL lock_timeout = '5s'`;
  try {
    await connection`SELECT pg_advisory_xact_lock(${copyLock}::bigint)`;
  } catch (error) {
    if (codeOf(error) !== sqlStates.lockTimeout) throw error;
    throw new StartError(`Another copy to ${shown} is in progress.`, {
      hint: "Wait until it has finished, or stop it.",
      cause: error,
    });
  }
}

async function prepare(client: Sql, { shown, from, isReplaced, now }: PostgresTargetOptions): Promise<void> {
  if (isReplaced) await inLongTransaction(client, dropEverything);
  if (await hasTable(client, copyState)) return await refuseOther(client, from, shown);
  if (await hasTable(client, "schema_migrations")) await refuseData(client, shown, notEmptyHint);
  await migrate(client, migrations, now);
  await inLongTransaction(client, async (transaction) => {
    await postgresState.create(transaction);
    await postgresState.write(transaction, "source", from);
    await postgresState.write(transaction, "restore", await dropSecondary(transaction));
    // What migrations have inserted, or a server that has started once.
    await transaction.unsafe(`TRUNCATE ${[...ownTables.copied, "prospect_blocks", "prospect_changes"].join(", ")}`);
  });
}

const notEmptyHint = "Copy to an empty database, or add --replace, which deletes that data first.";

async function refuseOther(client: Sql, from: string, shown: string): Promise<void> {
  const source = await postgresState.read<string>(client, "source");
  if (source === from) return;
  throw new StartError(`The copy to ${shown} is not complete, and its source was ${source}.`, {
    hint: "To continue it, name the same source. To start over, add --replace.",
  });
}

async function load(client: Sql, table: CopiedTable, rows: AsyncIterable<Rows>): Promise<void> {
  const { name, columns, postgres } = table;
  const into = `${postgres.table ?? name} (${columns.map((column) => column.name).join(", ")})`;
  const loaded: Loaded = { ...(await postgresState.loaded(client, name)) };
  const source = rows[Symbol.asyncIterator]();
  async function* batch(): AsyncGenerator<Buffer, void, void> {
    for (let bytes = 0; bytes < bytesOfBatch;) {
      const next = await source.next();
      loaded.isComplete = next.done === true;
      if (next.done === true) return;
      const { lines, count, after } = next.value;
      loaded.after = after;
      loaded.rows += count;
      bytes += lines.length;
      yield lines;
    }
  }
  do
    await inLongTransaction(client, async (transaction) => {
      await copyIn(transaction, into, batch());
      await postgresState.note(transaction, name, loaded);
    });
  while (!loaded.isComplete);
}

/** COPY takes a connection until its end, and settings of a pool don't reach it. */
async function* storedRows(client: Sql, table: CopiedTable): AsyncGenerator<Rows, void, void> {
  const connection = await client.reserve();
  try {
    await connection`BEGIN READ ONLY`;
    await connection`SET LOCAL statement_timeout = 0`;
    yield* postgresRows(connection, table, null);
    await connection`COMMIT`;
  } finally {
    connection.release();
  }
}
