import type { Sql } from "postgres";
import { copyState } from "../postgres/migrate.ts";
import type { Copier } from "./postgres-copy.ts";
import type { Loaded } from "./sides.ts";

const nothing: Loaded = { after: null, rows: 0, isComplete: false };

/** How far a copy is, stored beside its rows, and removed at the end. Each method runs on the given connection. */
export const postgresState = {
  async create(connection: Copier): Promise<void> {
    await connection.unsafe(`CREATE TABLE ${copyState} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`);
  },
  async drop(connection: Copier): Promise<void> {
    await connection.unsafe(`DROP TABLE ${copyState}`);
  },
  async read<T>(connection: Copier, name: string): Promise<T | null> {
    const rows = await connection.unsafe<{ value: string }[]>(`SELECT value FROM ${copyState} WHERE name = $1`, [name]);
    return rows[0] === undefined ? null : (JSON.parse(rows[0].value) as T);
  },
  async write(connection: Copier, name: string, value: unknown): Promise<void> {
    await connection.unsafe(
      `INSERT INTO ${copyState} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, JSON.stringify(value)],
    );
  },
  loaded: async (connection: Copier, table: string): Promise<Loaded> =>
    (await postgresState.read<Loaded>(connection, `table ${table}`)) ?? nothing,
  note: (connection: Copier, table: string, loaded: Loaded): Promise<void> =>
    postgresState.write(connection, `table ${table}`, loaded),
};

export async function hasTable(client: Copier, name: string): Promise<boolean> {
  const [row] = await client.unsafe<{ found: boolean }[]>(`SELECT to_regclass('${name}') IS NOT NULL AS found`);
  return row!.found;
}

/** Runs `work` in one transaction that may take long. */
export function inLongTransaction<T>(client: Sql, work: (transaction: Copier) => Promise<T>): Promise<T> {
  return client.begin(async (transaction) => {
    await transaction`SET LOCAL statement_timeout = 0`;
    await transaction`SET LOCAL idle_in_transaction_session_timeout = 0`;
    await transaction`SET LOCAL maintenance_work_mem = '256MB'`;
    return await work(transaction);
  }) as Promise<T>;
}
