import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { startOfTests } from "../support/clock.ts";

const at = startOfTests;
const isLateReplies = ({ name }: { name: string }) => name.includes("late_replies");

type Values = Record<string, string | number | null>;

function insert(database: Database, table: string, row: Values): void {
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  database.query(sql).run(...Object.values(row));
}

test("replies that older versions did not count are counted after the upgrade, for the campaign that wrote last", () => {
  using database = new Database(":memory:", { strict: true });
  migrate(database, migrations.slice(0, migrations.findIndex(isLateReplies)), at);
  const times = { created_at: at, updated_at: at };
  insert(database, "users", { id: "u", email: "a@example.com", name: "A", role: "admin", time_zone: "UTC", ...times });
  insert(database, "network_accounts", {
    ...{ seq: 1, id: "account", user_id: "u", name: "first", connector: "simulated", connector_settings: "{}" },
    ...{ tier: "premium", time_zone: "UTC", working_hours: "[]", caps: "{}", spacing: "{}", jitter_percent: 0 },
    ...{ state: "active", ...times },
  });
  for (const id of ["earlier", "latest"])
    insert(database, "campaigns", {
      ...{ id, user_id: "u", name: id, state: "running", steps: "[]", account_ids: "[]", settings: "{}", ...times },
    });
  const enrollment = (id: string, campaign: string, person: string, more: Values = {}): void =>
    insert(database, "campaign_enrollments", {
      ...{ id, campaign_id: campaign, user_id: "u", lead_id: person, account_id: "account", profile_key: person },
      ...{ state: "completed", at_step: 1, since_at: at, version: 1, ...times, ...more },
    });
  const contact = (person: string, more: Values): void =>
    insert(database, "network_contacts", {
      ...{ account: 1, profile_key: person, profile_url: person, relation: "connected", campaign_id: "latest" },
      ...{ updated_at: at, ...more },
    });
  contact("ada", { connected_at: at + 1, replied_at: at + 2 });
  enrollment("1", "latest", "ada");
  enrollment("2", "earlier", "ada");
  contact("bob", { replied_at: at - 1 });
  enrollment("3", "latest", "bob");
  contact("cem", { replied_at: at + 9 });
  enrollment("4", "latest", "cem", { replied_at: at + 3 });
  migrate(database, migrations, at);
  const query = "SELECT id, connected_at AS connected, replied_at AS replied FROM campaign_enrollments ORDER BY id";
  expect(database.query(query).all()).toEqual([
    { id: "1", connected: at + 1, replied: at + 2 },
    { id: "2", connected: null, replied: null },
    { id: "3", connected: null, replied: null },
    { id: "4", connected: null, replied: at + 3 },
  ]);
});
