import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/storage/sqlite/migrate.ts";
import { lookUps } from "../../src/storage/sqlite/stored-identifiers.ts";

test.each(lookUps)("a person's identifiers are read by indexes only: %s", (sql) => {
  const database = new Database(":memory:");
  migrate(database, migrations, 1);
  const plan = database.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  const reads = plan.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
  expect(reads.length).toBeGreaterThan(0);
  for (const read of reads) expect(read).toMatch(/^SEARCH/);
  if (sql.includes("lower(phone)"))
    expect(reads).toEqual([expect.stringContaining("leads_by_phone (owner=? AND <expr>=?)")]);
});
