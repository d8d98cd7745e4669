import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { copiedTables } from "../../src/adapters/storage/copy/copied-tables.ts";
import type { ColumnKind, CopiedTable } from "../../src/adapters/storage/copy/copied-table.ts";
import { uncopiedTables } from "../../src/adapters/storage/copy/uncopied-tables.ts";
import { startOfTests } from "../support/clock.ts";
import { definedTables, expectSameTables, namesOf, type TableShape } from "../support/table-definitions.ts";

function createdTables(): TableShape[] {
  using database = new Database(":memory:");
  migrate(database, migrations, startOfTests);
  const names = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  return names.map(({ name }) => shapeOf(database, name));
}

type ColumnInfo = { name: string; type: string; notnull: 0 | 1; pk: number };

function shapeOf(database: Database, name: string): TableShape {
  const columns = database.query<ColumnInfo, [string]>("SELECT * FROM pragma_table_info(?)").all(name);
  const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.type.toLowerCase(),
      isRequired: column.notnull === 1 || column.pk > 0,
    })),
    primaryKey: key.map((column) => column.name),
  };
}

/** Used with SQL only; src/adapters/storage/sqlite/README.md says why. */
const withoutDefinition = [
  "audit_end",
  "audit_log",
  "audit_start",
  "backups_begun",
  "email_verdicts",
  "enrichment_result_keys",
  "events",
  "idempotent_request_keys",
  "idempotent_request_keys_log",
  "idempotent_requests",
  "inbox_words",
  "inbox_words_config",
  "inbox_words_data",
  "inbox_words_idx",
  "lead_hints",
  "lead_hints_done",
  "lead_import_created",
  "lead_import_note_keys",
  "lead_import_notes",
  "lead_keys",
  "lead_keys_log",
  "prospect_aliases",
  "prospect_changes",
  "prospect_companies",
  "prospect_directories",
  "prospect_import_created",
  "prospect_import_rows",
  "prospect_key_pages",
  "prospect_postings",
  "prospect_reveals",
  "prospect_terms",
  "prospects",
  "rate_windows",
  "schema_migrations",
  "server_state",
  "simulation",
  "suppression_counts",
  "webhook_deliveries",
  "webhook_endpoints",
  "webhook_position",
];

test("the migrations create the tables that the queries expect", async () => {
  expectSameTables(createdTables(), await definedTables("sqlite"));
});

test("every table is defined for drizzle or used with SQL only", async () => {
  const defined = namesOf(await definedTables("sqlite"));
  expect(namesOf(createdTables())).toEqual([...defined, ...withoutDefinition].toSorted());
});

test("both engines have the same columns", async () => {
  const inPostgres = new Map((await definedTables("postgres")).map((table) => [table.name, namesOf(table.columns)]));
  const differences = createdTables().flatMap(({ name, columns }) => {
    const sqlite = namesOf(columns);
    const postgres = inPostgres.get(name) ?? sqlite;
    const onlySqlite = sqlite.filter((each) => !postgres.includes(each));
    const onlyPostgres = postgres.filter((each) => !sqlite.includes(each));
    return onlySqlite.length + onlyPostgres.length > 0 ? [{ name, onlySqlite, onlyPostgres }] : [];
  });
  // PostgreSQL derives the words of the inbox in the tables themselves, SQLite in one of its own. PostgreSQL has concurrent
  // writers: counts are sums of changes, events get their position after the commit, each
  // directory numbers its prospects and has an index of its own, and of two nodes one executes a request. Its rows have
  // no hidden number.
  expect(differences).toEqual([
    { name: "credit_ledger", onlySqlite: [], onlyPostgres: ["seq"] },
    { name: "lead_counts", onlySqlite: [], onlyPostgres: ["n"] },
    {
      name: "prospect_directories",
      onlySqlite: ["changes_to", "indexed_to", "key_runs", "prospects"],
      onlyPostgres: ["folded_to", "last_change", "rebuilt_to", "unfolded"],
    },
    { name: "prospects", onlySqlite: ["keys", "seq"], onlyPostgres: ["number", "owner"] },
    { name: "prospect_changes", onlySqlite: ["added", "keys", "number", "removed"], onlyPostgres: ["terms"] },
    { name: "prospect_postings", onlySqlite: ["place"], onlyPostgres: ["block", "owner", "term"] },
    { name: "events", onlySqlite: ["seq"], onlyPostgres: ["id", "position"] },
    { name: "idempotent_requests", onlySqlite: ["seq"], onlyPostgres: ["attempt", "is_encrypted", "node"] },
    { name: "prospect_reveals", onlySqlite: ["seq"], onlyPostgres: ["number", "owner"] },
    { name: "prospect_aliases", onlySqlite: ["into_seq", "seq"], onlyPostgres: ["into_number", "number", "owner"] },
    { name: "conversations", onlySqlite: [], onlyPostgres: ["search"] },
    { name: "messages", onlySqlite: [], onlyPostgres: ["search"] },
  ]);
});

/** Types of a column in SQLite and PostgreSQL, by its kind. */
const typesOf: Record<ColumnKind, { sqlite: string[]; postgres: string[] }> = {
  text: { sqlite: ["text"], postgres: ["text"] },
  whole: { sqlite: ["integer"], postgres: ["bigint", "integer"] },
  real: { sqlite: ["real"], postgres: ["double precision"] },
  flag: { sqlite: ["integer"], postgres: ["boolean"] },
  json: { sqlite: ["text"], postgres: ["json"] },
  object: { sqlite: ["text"], postgres: ["jsonb"] },
  bytes: { sqlite: ["blob", "any"], postgres: ["bytea"] },
};

/** Columns whose values are not simply those of the copied column with the same name. */
function isComputed(table: CopiedTable, engine: "sqlite" | "postgres", column: string): boolean {
  const { read = {}, write, own = {}, from } = table[engine];
  return (
    column in own || column in read || from !== undefined || (write !== undefined && write[column] !== `$${column}`)
  );
}

const schemas = async () => ({ sqlite: createdTables(), postgres: await definedTables("postgres") });

test("outreachd copy copies every table, or gives the reason why not", async () => {
  for (const [engine, tables] of Object.entries(await schemas())) {
    const isSqlite = engine === "sqlite";
    const known = copiedTables.map((table) => table[isSqlite ? "sqlite" : "postgres"].table ?? table.name);
    const uncopied = Object.keys(uncopiedTables[isSqlite ? "sqlite" : "postgres"]);
    const existing = isSqlite ? namesOf(tables) : [...namesOf(tables), "schema_migrations"].toSorted();
    expect([...known, ...uncopied].toSorted(), engine).toEqual(existing);
  }
});

test("outreachd copy copies every column, or says where its values come from", async () => {
  const { sqlite, postgres } = await schemas();
  for (const table of copiedTables)
    for (const [engine, tables] of [["sqlite", sqlite] as const, ["postgres", postgres] as const]) {
      const { table: name = table.name, write, own = {} } = table[engine];
      const { columns } = tables.find((each) => each.name === name)!;
      const written = write === undefined ? namesOf(table.columns) : Object.keys(write);
      // SQLite does not list the number of a row.
      const covered = [...written.filter((column) => column !== "rowid"), ...Object.keys(own)];
      expect(covered.toSorted(), `${engine}: ${name}`).toEqual(namesOf(columns));
      for (const { name: column, kind } of table.columns.filter((each) => !isComputed(table, engine, each.name)))
        expect(typesOf[kind][engine], `${engine}: ${name}.${column}`).toContain(
          columns.find((each) => each.name === column)!.type,
        );
      expect(table.key.filter((column) => !namesOf(table.columns).includes(column))).toEqual([]);
    }
});

const folder = join(import.meta.dir, "../../src/adapters/storage/sqlite");

/** Whether the main table of one of its SQL statements is among `tables`. */
function hasSqlFor(tables: ReadonlySet<string>, source: string): boolean {
  const statements = source.matchAll(/(?<!sql)[`"]\s*(?=(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s)/g);
  return [...statements].some(({ index }) => {
    const main = /\b(?:FROM|INTO|UPDATE)(?: OR \w+)?\s+([a-z_]+)/.exec(source.slice(index, index + 600));
    return main !== null && tables.has(main[1]!);
  });
}

test("the files with SQL for a table that drizzle knows are those that the README lists, with reasons", async () => {
  const defined = new Set((await definedTables("sqlite")).map(({ name }) => name));
  const paths = [...new Bun.Glob("**/*.ts").scanSync(folder)];
  const found = paths.filter((path) => hasSqlFor(defined, readFileSync(join(folder, path), "utf8")));
  const [, list = ""] = readFileSync(join(folder, "README.md"), "utf8").split("| Reason | Files |");
  const listed = [...list.matchAll(/`([^`]+\.ts)`/g)].map(([, path]) => path!);
  expect(found.toSorted()).toEqual(listed.toSorted());
});
