import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";

const isRename = ({ name }: { name: string }) => name.includes("one_vocabulary");

test("what an earlier version called done, sent or cancelled is completed or canceled, and nothing else changes", () => {
  using database = new Database(":memory:", { strict: true });
  const at = migrations.findIndex(isRename);
  migrate(database, migrations.slice(0, at), 0);
  database.run(`
    INSERT INTO users (id, email, role, time_zone, created_at, updated_at) VALUES ('u', 'ada@team.example', 'admin', 'UTC', 1, 1);
    INSERT INTO network_accounts (id, user_id, name, connector, connector_settings, tier, time_zone, working_hours, caps,
        spacing, jitter_percent, state, needs_plan, created_at, updated_at)
      VALUES ('a', 'u', 'Ada', 'simulated', '{}', 'free', 'UTC', '[]', '{}', '{}', 15, 'active', 0, 1, 1);`);
  const addCampaign = database.query(
    "INSERT INTO campaigns (id, user_id, name, state, steps, account_ids, settings, created_at, updated_at) VALUES (?1, 'u', ?1, ?1, '[]', '[]', '{}', 1, 2)",
  );
  const addEnrolment = database.query(
    "INSERT INTO campaign_enrolments (id, campaign_id, user_id, lead_id, account_id, profile_key, state, reason, at_step, since_at, version, created_at, updated_at)" +
      " VALUES (?1, ?1, 'u', ?1, 'a', ?1, 'stopped', ?2, 0, 1, 1, 1, 1)",
  );
  for (const [state, reason] of [
    ["draft", "replied"],
    ["running", "cancelled"],
    ["cancelled", "campaignCancelled"],
  ] as const) {
    addCampaign.run(state);
    addEnrolment.run(state, reason);
  }
  const addJob = database.query(
    "INSERT INTO jobs (id, user_id, type, status, run_at, max_attempts, message, metadata, payload, created_at, updated_at) VALUES (?, 'u', 'linkedin_action', 'completed', 7, 3, 'M', ?, '{}', 1, 1)",
  );
  const addAction = database.query(
    "INSERT INTO network_actions (job_id, user_id, account, action_type, meter, has_note, profile_url, profile_key, target_key, details, state, used, not_before, draw, created_at, updated_at)" +
      " VALUES (?, 'u', 1, 'visitProfile', 0, 0, 'p', 'p', 'p', '{}', ?, 1, 1, 0.5, 1, 1)",
  );
  const addEvent = database.query(
    "INSERT INTO events (owner, type, at, data) SELECT seq, 'action.completed', 5, ? FROM users",
  );
  for (const [id, state, metadata] of [
    ["1", "done", { outcome: "sent", delay: 0 }],
    ["2", "cancelled", { cancelled: true, delay: 1 }],
    ["3", "failed", { outcome: "refused" }],
  ] as const) {
    addJob.run(id, JSON.stringify(metadata));
    addAction.run(id, state);
    addEvent.run(JSON.stringify({ outcome: "outcome" in metadata ? metadata.outcome : "skipped" }));
  }

  migrate(database, migrations.slice(0, at + 1), 1);

  const column = (sql: string) => database.query<Record<string, string>, []>(sql).values().flat();
  expect(column("SELECT state FROM network_actions ORDER BY job_id")).toEqual(["completed", "canceled", "failed"]);
  expect(column("SELECT metadata FROM jobs ORDER BY id").map((text) => JSON.parse(String(text)))).toEqual([
    { outcome: "completed", delay: 0 },
    { canceled: true, delay: 1 },
    { outcome: "refused" },
  ]);
  expect(column("SELECT data ->> 'outcome' FROM events ORDER BY seq")).toEqual(["completed", "skipped", "refused"]);
  expect(database.query("SELECT id, state, updated_at FROM campaigns ORDER BY id").values()).toEqual([
    ["cancelled", "canceled", 2],
    ["draft", "draft", 2],
    ["running", "running", 2],
  ]);
  expect(database.query("SELECT id, reason FROM campaign_enrollments ORDER BY id").values()).toEqual([
    ["cancelled", "campaignCanceled"],
    ["draft", "replied"],
    ["running", "canceled"],
  ]);
  expect(() => database.run("UPDATE campaigns SET state = 'lost'")).toThrow("CHECK");
  database.run("DELETE FROM campaigns");
  expect(column("SELECT id FROM campaign_enrollments")).toEqual([]);
});
