import { copyState } from "../postgres/migrate.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { copiedTables } from "./copied-tables.ts";
import type { Copier } from "./postgres-copy.ts";
import { uncopiedTables } from "./uncopied-tables.ts";

const copied = copiedTables.map(({ name, postgres }) => postgres.table ?? name);
const uncopied = Object.keys(uncopiedTables.postgres).filter((name) => name !== "schema_migrations");

/** The tables of outreachd: those that are copied, all with data, and all. */
export const ownTables = {
  copied,
  data: [...copied, ...uncopied],
  all: [...copied, ...uncopied, "schema_migrations", copyState],
};

/** These have rows in every database that a migration or a server has prepared. */
const seeded = ["audit_end", "server_state", "event_positions"];

/** Throws `StartError` if there is data. An older version may have had fewer tables. */
export async function refuseData(client: Copier, shown: string, hint: string): Promise<void> {
  const existing = await client.unsafe<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ANY($1)`,
    [copied.filter((name) => !seeded.includes(name))],
  );
  const parts = existing.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`);
  const [row] = await client.unsafe<{ found: boolean }[]>(`SELECT ${[...parts, "false"].join(" OR ")} AS found`);
  if (row?.found !== true) return;
  throw new StartError(`The database ${shown} already contains data.`, { hint });
}

/** Drops all tables of outreachd with their functions. */
export async function dropEverything(transaction: Copier): Promise<void> {
  const functions = await transaction.unsafe<{ name: string }[]>(
    `SELECT DISTINCT trigger.tgfoid::regprocedure::text AS name FROM pg_trigger AS trigger
     JOIN pg_class ON pg_class.oid = trigger.tgrelid
     WHERE NOT trigger.tgisinternal AND relnamespace = current_schema()::regnamespace AND relname = ANY($1)`,
    [ownTables.all],
  );
  await transaction.unsafe(`DROP TABLE IF EXISTS ${ownTables.all.join(", ")} CASCADE`);
  for (const { name } of functions) await transaction.unsafe(`DROP FUNCTION ${name}`);
}
