import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { phoneKey } from "../../src/features/leads/identity.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { lookUps } from "../../src/adapters/storage/sqlite/stored-identifiers.ts";

test.each(lookUps)("a person's identifiers are read by indexes only: %s", (sql) => {
  const database = new Database(":memory:");
  migrate(database, migrations, 1);
  const plan = database.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  const reads = plan.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
  expect(reads.length).toBeGreaterThan(0);
  for (const read of reads) expect(read).toMatch(/^SEARCH/);
});

test("an upgrade gives the leads that are there the keys of their phone numbers", () => {
  using database = new Database(":memory:", { strict: true });
  migrate(
    database,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name.includes("person_keys")),
    ),
    1,
  );
  database.run(
    "INSERT INTO users (id, email, name, role, time_zone, created_at, updated_at) VALUES ('u', 'a@example.com', 'A', 'admin', 'UTC', 1, 1)",
  );
  const { owner } = database.query<{ owner: number }, []>("SELECT seq AS owner FROM users").get()!;
  const insert = database.query(
    `INSERT INTO leads (id, owner, phone, status, tags, custom_fields, folded, version, created_at, updated_at)
     VALUES (?, ?, ?, 'new', '[]', '{}', '', 1, 1, 1)`,
  );
  for (const phone of [...written, "none", "", null]) insert.run(crypto.randomUUID(), owner, phone);
  migrate(database, migrations, 1);
  const keys = database.query<{ key: number; lead: number }, []>("SELECT key, lead FROM lead_keys ORDER BY lead").all();
  expect(keys).toEqual(written.map((phone, index) => ({ key: phoneKey(owner, phone)!, lead: index + 1 })));
});

const written = [
  "+44 (0)20 7946 0018",
  "+442079460018 x12",
  "+44.20.7946-0018",
  "+44 20 7946 0018 ext. 5",
  "020\u00a07946\u20110018 EXT 7",
  "tel:+44-20-7946-0018;ext=5",
  "(555) 010 #4",
  "12",
];
