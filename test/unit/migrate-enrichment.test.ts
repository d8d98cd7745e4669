import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";

const namesAsked = ({ name }: { name: string }) => name.includes("asked_providers");

test("of an older result those were asked whose word is in it", () => {
  using database = new Database(":memory:", { strict: true });
  migrate(database, migrations.slice(0, migrations.findIndex(namesAsked)), 0);
  database.run(
    "INSERT INTO users (id, email, role, time_zone, created_at, updated_at) VALUES ('u', 'a@b.co', 'member', 'UTC', 0, 0)",
  );
  const store = database.prepare(
    "INSERT INTO enrichment_results (owner, email, groups, fields, at) SELECT seq, 'a@b.co', '[\"personal\"]', ?, 1 FROM users",
  );
  const said = (...providers: string[]) => ({ value: "x", confidence: 0.9, providers, at: 1 });
  store.run(JSON.stringify({ title: said("local", "pdl"), "companyInfo.name": said("pdl", "hunter") }));
  store.run("{}");
  migrate(database, migrations, 2);
  const asked = database
    .query<{ asked: string }, []>("SELECT asked FROM enrichment_results ORDER BY n")
    .all()
    .map((row) => JSON.parse(row.asked) as string[]);
  expect(asked.map((names) => names.toSorted())).toEqual([["hunter", "local", "pdl"], []]);
});
