import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionState } from "../../src/features/network/action-model.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { claimActions, createFactories } from "../support/factories.ts";

const hour = 3_600_000;
const isNetwork = ({ name }: { name: string }) => name.includes("network");
const before = migrations.slice(0, migrations.findIndex(isNetwork));

/** Every state of an action in the first version, with the status and the lease that its job has then. */
const states = [
  { state: "scheduled", status: "pending", leaseUntil: null },
  { state: "scheduled", status: "running", leaseUntil: startOfTests + 60_000 },
  { state: "sending", status: "running", leaseUntil: startOfTests + 60_000 },
  { state: "awaiting", status: "running", leaseUntil: null },
  { state: "done", status: "completed", leaseUntil: null },
  { state: "skipped", status: "completed", leaseUntil: null },
  { state: "failed", status: "failed", leaseUntil: null },
  { state: "unknown", status: "failed", leaseUntil: null },
  { state: "cancelled", status: "failed", leaseUntil: null },
] as const;

test("accounts and actions of the first version are there afterwards, each as it stood, and go on", async () => {
  const directory = mkdtempSync(join(tmpdir(), "outreachd-migrate-"));
  try {
    const path = join(directory, "outreachd.db");
    writeFirstVersion(path);
    const storage = openSqliteStorage(path, new FakeClock(startOfTests + hour));
    const { network } = storage;
    const accounts = await network.accounts("user-1");
    expect(accounts).toMatchObject([
      {
        id: "account-1",
        name: "Ada's",
        connector: "simulated",
        timeZone: "Europe/Berlin",
        spacing: { medianSeconds: 285, minSeconds: 90 },
        state: "active",
        requiresApproval: false,
        caps: {},
      },
      { id: "account-2", connector: "manual", workingHours: [[], [], [], [], [], [], []] },
    ]);
    expect(await network.accountsToPlan()).toEqual(["account-1", "account-2"]);
    const kept = await Promise.all(
      states.map(async (_state, n) => (await network.action("user-1", `job-${n}`))?.action),
    );
    expect(kept.map((action) => action?.state)).toEqual(states.map(({ state }) => stateNow(state)));
    expect(kept[0]).toMatchObject({
      accountId: "account-1",
      actionType: "sendConnectionRequest",
      message: "Hello 0",
      targetKey: "https://network.example/in/p0",
      pendingReason: "queued",
      slotAt: startOfTests + hour,
    });
    const twins = await Promise.all(
      states.map((_state, n) => {
        const profileUrl = `https://network.example/in/p${n}`;
        const account = { id: "account-1", workspaceId: "user-1" };
        return network.schedule(createFactories().actionRequest(account, { action: { profileUrl } }), true);
      }),
    );
    const isOpen = ({ state }: (typeof states)[number]): boolean =>
      ["scheduled", "sending", "awaiting"].includes(state);
    expect(twins.map(({ kind }) => kind === "existing")).toEqual(states.map(isOpen));
    expect(kept[3]).toMatchObject({ pendingReason: "awaitingPerson", slotAt: startOfTests });
    expect(kept.slice(5, 7).map((action) => action?.slotAt)).toEqual([null, null]);
    expect((await network.tasks("user-1", 10, 0)).map(({ jobId }) => jobId)).toEqual(["job-3"]);
    const used = (await network.usage("user-1", "account-1", startOfTests + hour)).find(
      ({ meter, window }) => meter === "notes" && window === "day",
    );
    expect(used).toMatchObject({ used: 4 });
    await claimActions(storage, startOfTests + hour);
    // What was being sent when the old program ended has an unknown outcome.
    expect((await network.action("user-1", "job-2"))?.action.state).toBe("unknown");
    const going = await Promise.all(
      [0, 1].map(async (n) => (await network.action("user-1", `job-${n}`))?.action.state),
    );
    expect(new Set(going)).toEqual(new Set(["scheduled", "sending"]));
    expect(await storage.keys.list("all", 10)).toMatchObject([{ id: "key-1", requiresApproval: false }]);
    await storage.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** What a state is called today. */
function stateNow(state: (typeof states)[number]["state"]): ActionState {
  if (state === "done") return "completed";
  return state === "cancelled" ? "canceled" : state;
}

function writeFirstVersion(path: string): void {
  using database = new Database(path, { create: true, strict: true });
  migrate(database, before, startOfTests);
  const now = startOfTests;
  const insert = (table: string, row: Record<string, string | number | null>): void => {
    const columns = Object.keys(row);
    const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    database.query(sql).run(...Object.values(row));
  };
  const times = { created_at: now, updated_at: now };
  insert("users", { id: "user-1", email: "ada@example.com", name: "Ada", role: "admin", time_zone: "UTC", ...times });
  insert("api_keys", {
    ...{ id: "key-1", user_id: "user-1", name: "key", hash: "hash", hint: "hint", permissions: '["*"]' },
    ...{ expires_at: null, is_active: 1, usage_count: 0, last_used_at: null, ...times },
  });
  const wholeDay = JSON.stringify(Array.from({ length: 7 }, () => [{ from: 0, to: 1440 }]));
  const account = {
    user_id: "user-1",
    min_gap_seconds: 90,
    max_gap_seconds: 480,
    last_slot_at: now,
    last_sent_at: null,
  };
  const first = { id: "account-1", name: "Ada's", connector: "simulated", time_zone: "Europe/Berlin" };
  insert("network_accounts", { ...account, ...first, working_hours: wholeDay, ...times });
  const second = { id: "account-2", name: "second", connector: "manual", time_zone: "UTC" };
  insert("network_accounts", {
    ...account,
    ...second,
    working_hours: "[[],[],[],[],[],[],[]]",
    ...times,
    created_at: now + 1,
  });
  for (const [n, { state, status, leaseUntil }] of states.entries()) {
    const job = { id: `job-${n}`, user_id: "user-1", type: "linkedin_action", status, run_at: now + (n + 1) * hour };
    const rest = { attempt: 1, failures: 0, max_attempts: 5, message: "m", progress: 0, metadata: "{}", payload: "{}" };
    insert("jobs", { ...job, ...rest, lease_until: leaseUntil, ...times, completed_at: null });
    const profile = {
      profile_url: `https://network.example/in/P${n}`,
      profile_key: `https://network.example/in/p${n}`,
    };
    const action = { job_id: job.id, user_id: "user-1", account_id: "account-1", action_type: "sendConnectionRequest" };
    insert("network_actions", { ...action, ...profile, message: `Hello ${n}`, lead_id: null, state, ...times });
  }
}
