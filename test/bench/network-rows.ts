import type { Database } from "bun:sqlite";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { metersOf } from "../../src/features/network/action-kinds.ts";
import { MemoryTimeline, plan } from "../../src/features/network/governor/plan.ts";
import { newAccount } from "../../src/features/network/new-account.ts";
import { databasePath, type Home } from "./server.ts";

/**
 * Lets the first account act without any pace of its own, on a network that takes everything: what is measured is the
 * queue. The server of `home` must not run.
 */
export function unbind(home: Home): void {
  const database = openDatabase(databasePath(home));
  const allDay = JSON.stringify(Array.from({ length: 7 }, () => [{ from: 0, to: 1440 }]));
  const meters = ["invites", "messages", "visits", "follows", "likes", "all"];
  const caps = Object.fromEntries(meters.map((meter) => [meter, { day: null, week: null, month: null }]));
  database.run(
    "UPDATE network_accounts SET connector = 'simulated', working_hours = ?, warm_up = NULL, sessions = NULL," +
      ` caps = ?, spacing = '{"medianSeconds":0,"minSeconds":0}', jitter_percent = 0`,
    [allDay, JSON.stringify(caps)],
  );
  database.close(true);
}

/**
 * Makes the first account one of many like it, on the simulated network, each with its usual caps, spacing and warm-up,
 * open at any hour. The server of `home` must not run.
 */
export function multiplyAccounts(home: Home, count: number): void {
  const database = openDatabase(databasePath(home));
  const allDay = JSON.stringify(Array.from({ length: 7 }, () => [{ from: 0, to: 1440 }]));
  database.run("UPDATE network_accounts SET connector = 'simulated', working_hours = ?", [allDay]);
  const columns = database
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('network_accounts')")
    .all()
    .map(({ name }) => name);
  const values = columns.map((name) => (name === "seq" ? "NULL" : name === "id" ? "a.id || '-' || n" : `a.${name}`));
  database
    .query(
      `WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ?)
       INSERT INTO network_accounts (${columns.join(", ")}) SELECT ${values.join(", ")} FROM network_accounts AS a, k`,
    )
    .run(count - 1);
  database.close(true);
}

/** Puts actions into the queue, as scheduling does, of all accounts in turn; `at` tells the moment of the n-th. */
export function queueActions(home: Home, count: number, at: (n: number) => number): void {
  const database = openDatabase(databasePath(home));
  const accounts = database
    .query<{ seq: number; id: string; workspace_id: string }, []>("SELECT seq, id, workspace_id FROM network_accounts")
    .all();
  if (accounts.length === 0) throw new Error("There is no network account");
  const inserters = accounts.map((account) => inserter(database, account));
  const insert = (n: number, moment: number) => inserters[n % inserters.length]!(n, moment);
  const batch = 50_000;
  for (let start = 0; start < count; start += batch)
    database.transaction(() => {
      for (let n = start; n < Math.min(count, start + batch); n++) insert(n, at(n));
    })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close(true);
}

function inserter(database: Database, account: { seq: number; id: string; workspace_id: string }) {
  const job = database.prepare(
    `INSERT INTO jobs (id, workspace_id, type, status, run_at, max_attempts, message, metadata, payload, created_at, updated_at)
     VALUES (?, ?, 'linkedin_action', 'pending', ?, 5, '', ?, '{}', ?, ?)`,
  );
  // 4: the meter of visits.
  const action = database.prepare(
    `INSERT INTO network_actions (job_id, workspace_id, account, action_type, meter, has_note, profile_url, profile_key,
       target_key, details, state, pending_reason, used, slot_at, not_before, draw, created_at, updated_at)
     VALUES (?, ?, ?, 'visitProfile', 4, 0, ?, ?, ?, '{}', 'scheduled', 'queued', 0, ?, ?, 0.5, ?, ?)`,
  );
  const now = Date.now();
  const first = Bun.randomUUIDv7("hex", now).slice(0, 23);
  return (n: number, at: number): void => {
    const id = `${first}-${n.toString(16).padStart(12, "0")}`;
    const url = `https://network.example/in/bench-${first}-${n}`;
    const metadata = { actionType: "visitProfile", profileUrl: url, accountId: account.id, connector: "simulated" };
    job.run(id, account.workspace_id, at, JSON.stringify(metadata), now, now);
    action.run(id, account.workspace_id, account.seq, url, url, url, at, now, now, now);
  };
}

/** The moments that the governor gives so many visits of the first account, which has its usual pace. */
export function plannedVisits(home: Home, count: number): number[] {
  const account = peek(home, (database) => {
    const row = database
      .query<{ id: string; workspace_id: string; created_at: number }, []>(
        "SELECT id, workspace_id, created_at FROM network_accounts LIMIT 1",
      )
      .get();
    return newAccount(row?.id ?? "", row?.workspace_id ?? "", "UTC", "manual", row?.created_at ?? 0, null);
  });
  const now = Date.now();
  const queue = Array.from({ length: count }, (_, n) => ({
    uses: metersOf("visitProfile", false),
    notBefore: now,
    draw: ((n * 7919) % 10_000) / 10_000,
  }));
  const turns = plan({ ...account, coolDowns: [] }, new MemoryTimeline(), queue, now);
  return [...turns].map(({ at }) => at ?? 0);
}

/** Looks into the database beside the running server. */
export function peek<T>(home: Home, read: (database: Database) => T): T {
  const database = openDatabase(databasePath(home));
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Whether an action is due on which nobody has decided yet. */
export function undecidedActions(home: Home, now: number): boolean {
  return peek(home, (database) => {
    const due = "SELECT 1 FROM jobs WHERE (status = 'running' OR (status = 'pending' AND run_at <= ?)) LIMIT 1";
    const unplanned = "SELECT 1 FROM network_accounts WHERE needs_plan = 1 LIMIT 1";
    return database.query(due).get(now) !== null || database.query(unplanned).get() !== null;
  });
}

export function pendingJobs(home: Home): boolean {
  return peek(home, (database) => {
    return database.query("SELECT 1 FROM jobs WHERE status IN ('pending', 'running') LIMIT 1").get() !== null;
  });
}
