import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { campaignEnrollments } from "../../src/adapters/storage/sqlite/campaign-tables.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { dayMs, marksOf } from "../../src/features/campaigns/funnel-marks.ts";
import { startOfTests as at } from "../support/clock.ts";

type Values = Record<string, string | number | null>;

function insert(database: Database, table: string, row: Values): void {
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  database.query(sql).run(...Object.values(row));
}

test("enrollments of older versions are counted by the upgrade, as a recount does", () => {
  using database = new Database(":memory:", { strict: true });
  const isFunnel = ({ name }: { name: string }) => name.includes("campaign_funnel");
  migrate(database, migrations.slice(0, migrations.findIndex(isFunnel)), at);
  const times = { created_at: at, updated_at: at };
  database.run("PRAGMA foreign_keys = OFF");
  insert(database, "workspaces", { seq: 1, id: "w", name: "W", time_zone: "UTC", ...times });
  insert(database, "campaigns", {
    ...{
      id: "c",
      workspace_id: "w",
      name: "C",
      state: "running",
      steps: "[]",
      account_ids: "[]",
      settings: "{}",
      ...times,
    },
  });
  insert(database, "network_accounts", {
    ...{ seq: 1, id: "account", workspace_id: "w", name: "first", connector: "simulated", connector_settings: "{}" },
    ...{ tier: "premium", time_zone: "UTC", working_hours: "[]", caps: "{}", spacing: "{}", jitter_percent: 0 },
    ...{ state: "active", ...times },
  });
  const enrollment = (id: string, more: Values = {}): void =>
    insert(database, "campaign_enrollments", {
      ...{ id, campaign_id: "c", workspace_id: "w", lead_id: id, account_id: "account", profile_key: id },
      ...{ state: "active", at_step: 1, since_at: at, version: 1, ...times, ...more },
    });
  let actions = 0;
  const action = (id: string, step: number, type: string, more: Values = {}): void => {
    actions++;
    const job = `job-${actions}`;
    insert(database, "jobs", {
      ...{
        id: job,
        workspace_id: "w",
        type: "linkedin_action",
        status: "completed",
        run_at: at,
        attempt: 1,
        failures: 0,
      },
      ...{ max_attempts: 5, message: "", progress: 100, metadata: "{}", payload: "{}", ...times },
    });
    insert(database, "network_actions", {
      ...{ job_id: job, workspace_id: "w", account: 1, action_type: type, profile_url: id, profile_key: id },
      ...{
        target_key: id,
        meter: 1,
        has_note: 0,
        details: "{}",
        enrollment_id: id,
        campaign_id: "c",
        campaign_step: step,
      },
      ...{ state: "completed", used: 1, slot_at: at, not_before: at, draw: 0.5, ...times, ...more },
    });
  };
  enrollment("new");
  enrollment("contacted", { state: "completed", at_step: 4, connected_at: at + 2 * dayMs, replied_at: at + 5 * dayMs });
  action("contacted", 0, "visitProfile");
  action("contacted", 1, "sendConnectionRequest", { slot_at: at + dayMs });
  action("contacted", 2, "sendMessage", { slot_at: at + 3 * dayMs });
  action("contacted", 3, "sendMessage", { slot_at: at + 9 * dayMs });
  enrollment("skipped", { state: "stopped", replied_at: at });
  action("skipped", 1, "sendConnectionRequest", { state: "skipped", slot_at: null, used: 0 });
  action("skipped", 2, "sendMessage", { state: "failed" });
  action("skipped", 3, "sendInMail", { slot_at: at + dayMs });
  migrate(database, migrations, at);
  const enrollments = drizzle(database).select().from(campaignEnrollments).all();
  expect(enrollments.find(({ id }) => id === "contacted")?.trail).toEqual([
    [0, at, "done"],
    [1, at + dayMs, "invited"],
    [2, at + 3 * dayMs, "messaged"],
    [3, at + 9 * dayMs, "messaged"],
  ]);
  const counted = new Map<string, number>();
  for (const each of enrollments)
    for (const mark of marksOf(each)) {
      const { mark: name, day, step } = mark;
      const key = JSON.stringify([name, day, step]);
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
  const stored = database
    .query<{ mark: string; day: number; step: number; n: number }, []>(
      "SELECT mark, day, step, enrollments AS n FROM campaign_funnel",
    )
    .all();
  const found = stored.map(({ mark, day, step, n }) => `${JSON.stringify([mark, day, step])} ${n}`);
  expect(found.toSorted()).toEqual([...counted].map(([key, n]) => `${key} ${n}`).toSorted());
});
