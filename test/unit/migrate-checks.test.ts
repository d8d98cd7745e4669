import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";

const isRebuild = ({ name }: { name: string }) => name.includes("plain_checks");

test("jobs and deliveries are kept when their tables are made anew, with what hangs on them", () => {
  using database = new Database(":memory:", { strict: true });
  migrate(database, migrations.slice(0, migrations.findIndex(isRebuild)), 0);
  database.run(`
    INSERT INTO users (id, email, role, time_zone, created_at, updated_at) VALUES ('u', 'ada@team.example', 'admin', 'UTC', 1, 1);
    INSERT INTO jobs (id, user_id, type, status, run_at, max_attempts, message, metadata, payload, created_at, updated_at)
      VALUES ('j', 'u', 'lead_import', 'pending', 7, 3, 'Waits', '{"a":1}', '{"b":2}', 1, 1);
    INSERT INTO lead_import_rows (job_id, row, outcome, errors) VALUES ('j', 1, 'failed', '[]');
    INSERT INTO events (owner, type, at, data) SELECT seq, 'lead.created', 5, '{}' FROM users;
    INSERT INTO webhook_endpoints (id, owner, url, is_enabled, secret, since, created_at, updated_at)
      SELECT 'e', seq, 'https://receiver.example', 1, 's', 0, 1, 1 FROM users;
    INSERT INTO webhook_deliveries SELECT p.seq, e.seq, 'pending', 9, 0, '[]' FROM webhook_endpoints p, events e;`);
  const dump = () =>
    ["jobs", "lead_import_rows", "webhook_deliveries"].map((table) => database.query(`SELECT * FROM ${table}`).all());
  const before = dump();
  expect(before.flat()).toHaveLength(3);
  migrate(database, migrations.slice(0, migrations.findIndex(isRebuild) + 1), 1);
  expect(dump()).toEqual(before);
  expect(() => database.run("UPDATE jobs SET status = 'lost'")).toThrow("CHECK");
  expect(() => database.run("UPDATE webhook_deliveries SET state = 'lost'")).toThrow("CHECK");
  database.run("DELETE FROM users");
  expect(dump().flat()).toEqual([]);
});
