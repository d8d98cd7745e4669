import type { Sql } from "postgres";
import { codeOf, sqlStates } from "../postgres/error-codes.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { copiedTables } from "./copied-tables.ts";
import { ownTables } from "./postgres-contents.ts";
import type { Copier } from "./postgres-copy.ts";
import { inLongTransaction, postgresState } from "./postgres-state.ts";

/** A statement that creates what was dropped. */
type Restore = { name: string; sql: string };

/** Drops indexes and constraints, so that rows are loaded faster and in any order. Returns how to create them. */
export async function dropSecondary(transaction: Copier): Promise<Restore[]> {
  const constraints = await transaction.unsafe<{ table: string; name: string; type: string; definition: string }[]>(
    `SELECT relname AS table, conname AS name, contype AS type, pg_get_constraintdef(pg_constraint.oid) AS definition
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u', 'f') AND relname = ANY($1)
     ORDER BY contype = 'f', relname, conname`,
    [ownTables.data],
  );
  const indexes = await transaction.unsafe<{ name: string; definition: string }[]>(
    `SELECT own.relname AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class AS own ON own.oid = indexrelid JOIN pg_class AS indexed ON indexed.oid = indrelid
     WHERE indexed.relnamespace = current_schema()::regnamespace AND indexed.relname = ANY($1)
       AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
     ORDER BY own.relname`,
    [ownTables.data],
  );
  // References need the keys that they refer to, which are either.
  for (const { table, name } of constraints.toReversed())
    await transaction.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { name } of indexes) await transaction.unsafe(`DROP INDEX ${name}`);
  for (const { name, postgres } of copiedTables)
    for (const [column, value] of Object.entries(postgres.defaults ?? {}))
      await transaction.unsafe(`ALTER TABLE ${postgres.table ?? name} ALTER COLUMN ${column} SET DEFAULT ${value}`);
  const restored = constraints.map(({ table, name, type, definition }) => ({
    ...{ name, type, sql: `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}` },
  }));
  return [
    ...restored.filter(({ type }) => type !== "f"),
    ...indexes.map(({ name, definition }) => ({ name, sql: definition })),
    ...restored.filter(({ type }) => type === "f"),
  ].map(({ name, sql }) => ({ name, sql }));
}

/** Creates them, and what is derived from rows. Continues if it was interrupted. */
export async function buildPostgres(client: Sql, onStep: (step: string) => Promise<void>): Promise<void> {
  if (!(await postgresState.loaded(client, "derived")).isComplete) {
    await onStep("derived tables");
    await inLongTransaction(client, async (transaction) => {
      await derive(transaction);
      await postgresState.note(transaction, "derived", { after: null, rows: 0, isComplete: true });
    });
  }
  for (;;) {
    const [next, ...others] = (await postgresState.read<Restore[]>(client, "restore")) ?? [];
    if (next === undefined) break;
    await onStep(next.name);
    await inLongTransaction(client, async (transaction) => {
      await transaction.unsafe(next.sql).catch((error: unknown) => {
        throw explained(error, next.name);
      });
      await postgresState.write(transaction, "restore", others);
    });
  }
  await onStep("statistics");
  await inLongTransaction(client, async (transaction) => {
    await transaction.unsafe(`ANALYZE ${ownTables.copied.join(", ")}`);
  });
}

async function derive(transaction: Copier): Promise<void> {
  await transaction.unsafe("INSERT INTO prospect_blocks SELECT DISTINCT owner, block, 1 FROM prospect_postings");
  for (const { name, postgres } of copiedTables)
    for (const column of Object.keys(postgres.defaults ?? {}))
      await transaction.unsafe(`ALTER TABLE ${postgres.table ?? name} ALTER COLUMN ${column} DROP DEFAULT`);
  const identities = await transaction.unsafe<{ table: string; column: string }[]>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = current_schema() AND is_identity = 'YES' AND table_name = ANY($1)`,
    [ownTables.copied],
  );
  for (const { table, column } of identities)
    await transaction.unsafe(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) FROM ${table}`,
    );
}

function explained(error: unknown, name: string): unknown {
  const code = codeOf(error);
  if (code !== sqlStates.foreignKeyViolation && code !== sqlStates.uniqueViolation) return error;
  return new StartError(`The source has rows that ${name} of PostgreSQL forbids: ${(error as Error).message}.`, {
    hint: "Check the source with `outreachd doctor`.",
    cause: error,
  });
}
