import { getTableName } from "drizzle-orm";
import { expect, test } from "bun:test";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { derivedTables, directoryTables } from "../../src/adapters/storage/postgres/workspace-merge/tables.ts";
import { mergePlan } from "../../src/features/workspaces/merge/plan.ts";
import { createTestDatabase } from "../support/postgres.ts";

test("a merge of workspaces knows every table with an owner", async () => {
  const database = await createTestDatabase();
  const client = connect(database.url, { poolSize: 1 });
  const owned = await client<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name IN ('owner', 'workspace_id')`;
  await client.end();
  await database.release();
  // A table that is missing needs a line in mergePlan: how its rows move, and what becomes of those that both have.
  const known = [...Object.keys(mergePlan), ...[...directoryTables, ...derivedTables].map(getTableName)];
  expect(known.toSorted()).toEqual(owned.map(({ name }) => name).toSorted());
});
