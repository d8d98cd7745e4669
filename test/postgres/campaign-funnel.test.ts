import { expect, test } from "bun:test";
import type { Sql } from "postgres";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/postgres/migrate.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import { dayMs, marksOf, type CountedEnrollment } from "../../src/features/campaigns/funnel-marks.ts";
import { actionTypes } from "../../src/features/network/action-kinds.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pick, seeded } from "../support/random.ts";

const times = { created_at: startOfTests, updated_at: startOfTests };

test("enrollments of older versions are counted by the upgrade, as a recount does", async () => {
  const database = await createTestDatabase();
  const client = connect(database.url, { poolSize: 1 });
  try {
    await client.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const first = migrations.findIndex(({ name }) => name === "0016_campaign_funnel.sql");
    await migrate(client, migrations.slice(0, first), startOfTests);
    await insertHistories(client, 300);
    await migrate(client, migrations, startOfTests);

    const enrollments = await client<CountedEnrollment[]>`
      SELECT campaign_id AS "campaignId", account_id AS "accountId", state, at_step AS "atStep",
        created_at AS "createdAt", connected_at AS "connectedAt", replied_at AS "repliedAt",
        interested_at AS "interestedAt", trail, variants FROM campaign_enrollments`;
    expect(enrollments.filter(({ trail }) => trail.length > 0).length).toBeGreaterThan(200);
    const recount = new Map<string, number>();
    for (const { campaignId, accountId, ...each } of enrollments)
      for (const { mark, day, step, variant } of marksOf({ campaignId, accountId, ...each })) {
        const counter = JSON.stringify([campaignId, accountId, mark, day, step, variant]);
        recount.set(counter, (recount.get(counter) ?? 0) + 1);
      }
    const counters = await client<{ counter: string[]; n: number }[]>`
      SELECT jsonb_build_array(campaign_id, account_id, mark, day, step, variant) AS counter, enrollments AS n
      FROM campaign_funnel`;
    const stored = counters.map(({ counter, n }): [string, number] => [JSON.stringify(counter), n]);
    expect(new Map(stored)).toEqual(recount);
  } finally {
    await client.end();
    await database.drop();
  }
});

test("changes that were added to the counters leave nothing to read past", async () => {
  const database = await createTestDatabase();
  const client = connect(database.url, { poolSize: 1 });
  const storage = await openPostgresStorage(database.url, new FakeClock());
  try {
    await client`
      INSERT INTO campaign_funnel_changes (campaign_id, mark, day, account_id, step, variant, enrollments)
      SELECT 'c', 'enrolled', n, 'a', -1, '', 1 FROM generate_series(1, 20000) AS n`;
    await storage.maintain();
    const [size] = await client<{ bytes: number }[]>`SELECT pg_relation_size('campaign_funnel_changes') AS bytes`;
    expect(size?.bytes).toBe(0);
  } finally {
    await client.end();
    await storage.close();
    await database.drop();
  }
});

/** Campaigns whose leads have come differently far, as the version before the funnel stored them. */
async function insertHistories(client: Sql, enrollments: number): Promise<void> {
  const random = seeded(16);
  const add = (table: string, row: object) => client`INSERT INTO ${client(table)} ${client({ ...row, ...times })}`;
  // The rows that these would refer to are not what the upgrade reads.
  await client`SET session_replication_role = replica`;
  for (const id of ["c1", "c2"])
    await add("campaigns", {
      ...{ id, workspace_id: "w", name: id, state: "running", steps: "[]", account_ids: "[]", settings: "{}" },
    });
  for (let n = 0; n < enrollments; n++) {
    const id = `e${n}`;
    const campaignId = pick(["c1", "c2"], random);
    let at = startOfTests - Math.floor(random() * 100 * dayMs);
    const createdAt = at;
    const maybe = () => (random() < 0.5 ? at - Math.floor(random() * 2 * dayMs) : null);
    const actions = Math.floor(random() * 6);
    for (let step = 0; step < actions; step++) {
      at += 1 + Math.floor(random() * 3 * dayMs);
      const jobId = `${id} ${step}`;
      await add("network_actions", {
        ...{ job_id: jobId, workspace_id: "w", account: 1, action_type: pick(actionTypes, random), meter: 1 },
        ...{ has_note: false, profile_url: id, profile_key: id, target_key: id, details: "{}", used: 1, draw: 0.5 },
        ...{ enrollment_id: id, campaign_id: campaignId, campaign_step: step, slot_at: at, not_before: at },
        state: pick(["completed", "completed", "completed", "skipped", "failed"], random),
        carried_out_at: random() < 0.5 ? at : null,
      });
    }
    await client`INSERT INTO campaign_enrollments ${client({
      ...{ id, campaign_id: campaignId, workspace_id: "w", lead_id: id, account_id: pick(["a1", "a2"], random) },
      ...{ profile_key: id, state: pick(["active", "completed", "stopped"], random), at_step: actions },
      ...{ since_at: at, version: 1, connected_at: maybe(), replied_at: maybe() },
      ...{ created_at: createdAt, updated_at: at },
    })}`;
  }
  await client`SET session_replication_role = origin`;
}
