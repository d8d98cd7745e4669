import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { countedAnew, directoryTables } from "../../src/adapters/storage/sqlite/workspace-merge/tables.ts";
import { mergePlan } from "../../src/features/workspaces/merge/plan.ts";

test("a merge of workspaces knows every table with an owner", () => {
  using database = new Database(":memory:", { strict: true });
  migrate(database, migrations, 0);
  const owned = database
    .query<{ name: string }, []>(
      `SELECT schema.name FROM sqlite_schema AS schema WHERE type = 'table' AND EXISTS
         (SELECT 1 FROM pragma_table_info(schema.name) WHERE name IN ('owner', 'workspace_id'))`,
    )
    .all()
    .map(({ name }) => name);
  // A table that is missing needs a line in mergePlan: how its rows move, and what becomes of those that both have.
  const known = [...Object.keys(mergePlan), ...directoryTables, ...Object.keys(countedAnew)];
  expect(known.toSorted()).toEqual(owned.toSorted());
});
