import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../migrations/postgres");

/** Contractions that are allowed, by file, each with the reason why no running older node needs what it takes away. */
const allowed: Record<string, { statement: string; reason: string }[]> = {
  "0004_work.sql": [
    {
      statement: "ALTER TABLE campaigns ALTER COLUMN steps TYPE JSON",
      reason: "Older than the first release that supports PostgreSQL, so no older node can run beside it.",
    },
  ],
  "0008_cluster.sql": [
    {
      statement: "DROP TABLE chore_leases",
      reason: "Older than the first release that supports PostgreSQL, so no older node can run beside it.",
    },
  ],
};

/** Forms of PostgreSQL's ALTER and DROP that take away what an older node may still read, write, or leave out. */
const contractions = [
  /^DROP (TABLE|VIEW|MATERIALIZED VIEW|SCHEMA|TYPE|FUNCTION|SEQUENCE)\b/i,
  /^ALTER .*\bRENAME\b/i,
  // COLUMN is optional; everything else that can be dropped from a table or column is named.
  /^ALTER TABLE .*\bDROP (?!CONSTRAINT\b|NOT NULL\b|EXPRESSION\b|IDENTITY\b)/i,
  /^ALTER TABLE .*\bSET NOT NULL\b/i,
  /^ALTER TABLE .*\bALTER (COLUMN )?"?\w+"? (SET DATA )?TYPE\b/i,
];

/** The statements of a migration that take away something. */
function contractionsIn(sql: string): string[] {
  const statements = sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .split(";")
    .map((statement) => statement.trim().replaceAll(/\s+/g, " "));
  return statements.filter(
    (statement) => contractions.some((pattern) => pattern.test(statement)) || addsRequiredColumn(statement),
  );
}

/** Inserts of an older node leave the column out. */
function addsRequiredColumn(statement: string): boolean {
  if (!/^ALTER TABLE /i.test(statement)) return false;
  const additions = statement.split(/\bADD (?:COLUMN )?(?!CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)/i).slice(1);
  return additions.some((text) => /\bNOT NULL\b/i.test(text) && !/\b(DEFAULT|GENERATED)\b/i.test(text));
}

test("migrations of PostgreSQL take nothing away that an older node needs, unless listed with a reason", () => {
  const found: Record<string, string[]> = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".sql"))) {
    const statements = contractionsIn(readFileSync(join(folder, file), "utf8"));
    if (statements.length > 0) found[file] = statements;
  }
  const listed = Object.entries(allowed).map(([file, items]) => [file, items.map(({ statement }) => statement)]);
  expect(found, "see Migrations of PostgreSQL in CONTRIBUTING.md").toEqual(Object.fromEntries(listed));
});

test.each([
  "DROP TABLE leads",
  "DROP TABLE IF EXISTS leads",
  "ALTER TABLE leads DROP COLUMN email",
  "ALTER TABLE leads DROP email",
  "ALTER TABLE leads ADD COLUMN a TEXT,\n  DROP COLUMN b",
  "ALTER TABLE leads RENAME TO people",
  "ALTER TABLE leads RENAME COLUMN email TO mail",
  "ALTER TABLE leads ALTER COLUMN email SET NOT NULL",
  "alter table leads alter email set not null",
  "ALTER TABLE leads ALTER COLUMN email TYPE JSON",
  "ALTER TABLE leads ALTER email SET DATA TYPE TEXT",
  "ALTER TABLE leads ADD COLUMN score INTEGER NOT NULL",
])("%s is a contraction", (statement) => {
  expect(contractionsIn(`-- A reason.\n${statement};\nCREATE INDEX a ON b (c);`)).toHaveLength(1);
});

test.each([
  "CREATE TABLE leads (type TEXT NOT NULL)",
  "ALTER TABLE leads ADD COLUMN score INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE leads ADD COLUMN score INTEGER",
  "ALTER TABLE leads DROP CONSTRAINT leads_owner_fkey",
  "ALTER TABLE leads ALTER COLUMN score DROP NOT NULL",
  "ALTER TABLE leads ALTER COLUMN bits SET STORAGE EXTERNAL",
  "-- DROP TABLE leads",
  "CREATE TEMP TABLE contacts ON COMMIT DROP AS SELECT 1",
  "DROP INDEX leads_by_name",
])("%s is not", (statement) => {
  expect(contractionsIn(`${statement};`)).toEqual([]);
});
