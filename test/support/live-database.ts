import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Sql } from "postgres";

export const databaseName = "outreachd.db";

const patienceMs = 20_000;

/** The database of a service that may be running: waits while the service writes. Hold it with `using`. */
export function openLiveDatabase(dataDir: string, { readonly = false } = {}): Database {
  const database = new Database(join(dataDir, databaseName), { readonly, readwrite: !readonly, strict: true });
  database.run(`PRAGMA busy_timeout = ${patienceMs}`);
  return database;
}

export type Value = string | number | null;

/** The database of a running service on any engine, for SQL that both understand. Hold it with `await using`. */
export type LiveDatabase = {
  /** Parameters are $1, $2 …, in the order of their first use. */
  all<Row>(sql: string, parameters?: Value[]): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, parameters?: Value[]): Promise<number>;
  columnsOf(table: string): Promise<string[]>;
  /** Whether the text is anywhere in it: in its files, or in any column of any table. */
  has(text: string): Promise<boolean>;
  /** SQL for the numbers from 1 to `count`, as column `n` of table `k`. */
  numbers(count: number): string;
  /** Until disposed of, the database refuses to insert a row of the table for which `when`, about `new`, holds. */
  refuse(table: string, when: string): Promise<AsyncDisposable>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Where a service has its database. */
export type DatabasePlace = Readonly<{ url: string } | { dataDir: string }>;

export async function openDatabaseOf(place: DatabasePlace): Promise<LiveDatabase> {
  if ("dataDir" in place) return embedded(openLiveDatabase(place.dataDir), place.dataDir);
  const { connect } = await import("../../src/adapters/storage/postgres/engine.ts");
  return shared(connect(place.url, { poolSize: 1, hasSettings: false }));
}

const refusal = "refused_by_a_test";

function embedded(database: Database, dataDir: string): LiveDatabase {
  return {
    all: async <Row>(sql: string, parameters: Value[] = []) => database.query(sql).all(...parameters) as Row[],
    run: async (sql, parameters = []) => database.query(sql).run(...parameters).changes,
    columnsOf: async (table) =>
      database
        .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => name),
    async has(text) {
      for (const suffix of ["", "-wal"]) {
        const file = Bun.file(join(dataDir, databaseName + suffix));
        if ((await file.exists()) && Buffer.from(await file.bytes()).includes(text)) return true;
      }
      return false;
    },
    numbers: (count) =>
      `(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${count}) SELECT n FROM c) AS k`,
    async refuse(table, when) {
      database.run(
        `CREATE TRIGGER ${refusal} BEFORE INSERT ON ${table} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'no room'); END`,
      );
      return { [Symbol.asyncDispose]: async () => void database.run(`DROP TRIGGER ${refusal}`) };
    },
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

/** What PostgreSQL reports when its disk is full. */
const diskFull = "53100";

function shared(client: Sql): LiveDatabase {
  return {
    all: async <Row>(sql: string, parameters: Value[] = []) => [...(await client.unsafe(sql, parameters))] as Row[],
    run: async (sql, parameters = []) => (await client.unsafe(sql, parameters)).count,
    columnsOf: async (table) =>
      (
        await client<{ name: string }[]>`
          SELECT column_name AS name FROM information_schema.columns WHERE table_name = ${table} ORDER BY ordinal_position`
      ).map(({ name }) => name),
    async has(text) {
      const tables = await client<{ name: string }[]>`
        SELECT format('%I', relname) AS name FROM pg_stat_user_tables WHERE schemaname = current_schema()`;
      // Columns with bytes are written in hexadecimal.
      const searched = [text, Buffer.from(text).toString("hex")];
      for (const { name } of tables) {
        const found = await client.unsafe(
          `SELECT 1 FROM ${name} AS row WHERE strpos(row::text, $1) > 0 OR strpos(row::text, $2) > 0 LIMIT 1`,
          searched,
        );
        if (found.length > 0) return true;
      }
      return false;
    },
    numbers: (count) => `generate_series(1, ${count}) AS k (n)`,
    async refuse(table, when) {
      await client.unsafe(`
        CREATE FUNCTION ${refusal}() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '${diskFull}'; END $$;
        CREATE TRIGGER ${refusal} BEFORE INSERT ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${refusal}()`);
      return { [Symbol.asyncDispose]: async () => void (await client.unsafe(`DROP FUNCTION ${refusal} CASCADE`)) };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** A value of a column with JSON: parsed by PostgreSQL's driver, text in SQLite. */
export function jsonOf(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : value;
}
