import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { contentsOf, fillReleaseBeforeTeams } from "../support/release-before-teams.ts";

test("a database of the release before teams keeps every row, lead and credit", () => {
  using database = new Database(":memory:", { strict: true });
  fillReleaseBeforeTeams(database, { users: 10, leads: 200 });
  const before = contentsOf(database);
  expect(before.rows).toMatchObject({ users: 10, api_keys: 10, leads: 200 });

  migrate(database, migrations, 9);

  const after = contentsOf(database);
  expect(after.rows).toMatchObject({ ...before.rows, workspaces: 10, members: 10 });
  expect({ leads: after.leads, credits: after.credits }).toEqual({ leads: before.leads, credits: before.credits });
});

test("a lead that came to another workspace is noticed", () => {
  using database = new Database(":memory:", { strict: true });
  fillReleaseBeforeTeams(database, { users: 2, leads: 2 });
  const before = contentsOf(database);
  database.run("UPDATE leads SET owner = 2 WHERE owner = 1");
  expect(contentsOf(database).leads).not.toBe(before.leads);
});
