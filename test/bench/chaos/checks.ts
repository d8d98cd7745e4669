import type { Measure } from "../report.ts";
import type { startS3Server } from "../../support/s3-server.ts";
import type { Database } from "./database.ts";
import { dailyVisits, minSpacingMs, type Acknowledged, type User } from "./load.ts";
import type { Peers } from "./peers.ts";

export type CheckParts = {
  database: Database;
  peers: Peers;
  users: readonly User[];
  acknowledged: Acknowledged;
  s3: ReturnType<typeof startS3Server>;
};

type Action = { job_id: string; account: number; state: string; slot_at: number };

const count = (name: string, value: number, goal?: Measure["goal"]): Measure => ({
  ...{ name, value, unit: "count" },
  ...(goal !== undefined && { goal }),
});
const none = { atMost: 0 };

/** Whether work is left that should be done soon; imports that wait and events that are not delivered. */
export async function isQuiet({ database, peers, users }: CheckParts): Promise<boolean> {
  const [row] = await database.query(
    (client) => client<{ jobs: number; events: number }[]>`SELECT
      (SELECT count(*)::int FROM jobs WHERE type <> 'linkedin_action' AND status IN ('pending', 'processing')) +
      (SELECT count(*)::int FROM network_actions WHERE state = 'sending') AS jobs,
      (SELECT count(*)::int FROM events WHERE type = 'lead.created') AS events`,
  );
  const got = users.reduce((sum, { name }) => sum + (peers.delivered.get(name)?.length ?? 0), 0);
  return row!.jobs === 0 && got >= row!.events;
}

/** Compares what was acknowledged with what is stored, and what is stored with what the outside world got. */
export async function check(parts: CheckParts): Promise<Measure[]> {
  return [
    ...(await checkLeads(parts)),
    ...(await checkActions(parts)),
    ...(await checkEvents(parts)),
    ...(await checkRest(parts)),
  ];
}

async function checkLeads({ database, acknowledged }: CheckParts): Promise<Measure[]> {
  const rows = await database.query(
    (client) => client<{ id: string; email: string; fields: { number?: string } }[]>`
      SELECT id, email, custom_fields AS fields FROM leads`,
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  const kept = [...acknowledged.leads].filter(([, { isDeleted }]) => !isDeleted);
  const lost = kept.filter(([id]) => !stored.has(id));
  // Changes of one lead may overtake each other, so a stored number need not be the last; but it was sent.
  const unchanged = kept.filter(([id, { acknowledged: number, sent }]) => {
    const value = Number(stored.get(id)?.fields.number ?? 0);
    return stored.has(id) && (number > 0 ? value < 1 || value > sent : value > sent);
  });
  const byEmail = Map.groupBy(rows, ({ email }) => email);
  const twice = [...byEmail].filter(([email, those]) => email !== null && those.length > 1);
  return [
    count("acknowledged leads", kept.length, { atLeast: 100 }),
    count("acknowledged leads lost", lost.length, none),
    count("acknowledged changes lost", unchanged.length, none),
    count("keyed requests executed twice", twice.length, none),
  ];
}

async function checkActions({ database, peers, acknowledged }: CheckParts): Promise<Measure[]> {
  const { actions, performed } = await endedActions(database, peers);
  const byJob = new Map(actions.map((action) => [action.job_id, action]));
  const times = (id: string) => peers.performed.get(id)?.length ?? 0;
  const ended = actions.filter(({ state }) => state === "completed" || state === "unknown");
  const byAccount = Map.groupBy(ended, ({ account }) => account);
  const gaps = [...byAccount.values()].flatMap((those) => {
    const claims = those.map(({ slot_at: at }) => at).toSorted((a, b) => a - b);
    return claims.slice(1).map((at, n) => at - claims[n]!);
  });
  return [
    count("acknowledged actions", acknowledged.actions.size, { atLeast: 10 }),
    count("acknowledged actions lost", [...acknowledged.actions].filter((id) => !byJob.has(id)).length, none),
    count("actions performed", peers.performed.size, { atLeast: 10 }),
    count("actions performed twice", [...peers.performed.values()].filter((all) => all.length > 1).length, none),
    count(
      "actions completed, but not performed",
      ended.filter(({ job_id: id, state }) => state === "completed" && times(id) === 0).length,
      none,
    ),
    count(
      "actions performed, but neither completed nor unknown",
      [...byJob].filter(([id, { state }]) => performed.has(id) && state !== "completed" && state !== "unknown").length,
      none,
    ),
    count("actions with an unknown outcome", ended.filter(({ state }) => state === "unknown").length),
    count("claims closer than the spacing of their account", gaps.filter((gap) => gap < minSpacingMs).length, none),
    count(
      "accounts over their cap",
      [...byAccount.values()].filter((those) => those.length > dailyVisits).length,
      none,
    ),
    count("calls closer than the spacing: late calls of stopped nodes", closeCalls(peers)),
  ];
}

/** Longer than the lease of a job. */
const patienceMs = 100_000;

/** All actions. Accounts go on acting while this looks, so actions that are in flight get time to end. */
async function endedActions(database: Database, peers: Peers): Promise<{ actions: Action[]; performed: Set<string> }> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const performed = new Set(peers.performed.keys());
    const actions = await database.query(
      (client) => client<Action[]>`SELECT job_id, account::int, state, slot_at::float8 AS slot_at FROM network_actions`,
    );
    const isInFlight = actions.some(({ job_id: id, state }) => state === "sending" && performed.has(id));
    if (!isInFlight || performance.now() > deadline) return { actions, performed };
    await Bun.sleep(200);
  }
}

/** By the clock of the connector, with tolerance for calls that take different times to arrive. */
function closeCalls(peers: Peers): number {
  const calls = Map.groupBy([...peers.performed.values()].flat(), ({ account }) => account);
  return [...calls.values()].flatMap((those) => {
    const at = those.map((call) => call.at).toSorted((a, b) => a - b);
    return at.slice(1).filter((time, n) => time - at[n]! < minSpacingMs / 2);
  }).length;
}

async function checkEvents({ database, peers, users }: CheckParts): Promise<Measure[]> {
  const events = await database.query(
    (client) => client<{ position: string | null; workspace: string }[]>`
      SELECT e.position::text, w.id AS workspace FROM events e JOIN workspaces w ON w.seq = e.owner
      WHERE e.type = 'lead.created'`,
  );
  const nameOf = new Map(users.map(({ id, name }) => [id, name]));
  const got = new Map([...peers.delivered].map(([name, ids]) => [name, new Set(ids)]));
  const missing = events.filter(
    ({ position, workspace }) => position === null || !got.get(nameOf.get(workspace) ?? "")?.has(position),
  );
  const outOfOrder = [...peers.delivered.values()].reduce(
    (sum, ids) => sum + ids.slice(1).filter((id, n) => Number(id) < Number(ids[n])).length,
    0,
  );
  return [
    count("events", events.length, { atLeast: 100 }),
    count("events not delivered", missing.length, none),
    count("events delivered again", peers.repeated()),
    count("events delivered after a later one, which is allowed", outOfOrder),
  ];
}

async function checkRest({ database, acknowledged, s3 }: CheckParts): Promise<Measure[]> {
  const { unbalanced, jobs, imported } = await database.query(async (client) => ({
    unbalanced: await client`SELECT workspace_id FROM credit_balances b WHERE balance <>
      (SELECT coalesce(sum(amount), 0) FROM credit_ledger l WHERE l.workspace_id = b.workspace_id)`,
    jobs: await client<{ id: string; status: string }[]>`SELECT id, status FROM jobs WHERE type = 'lead_import'`,
    imported: await client<
      { n: number }[]
    >`SELECT count(*)::int AS n FROM leads WHERE email LIKE 'i%-%@people.example'`,
  }));
  const statusOf = new Map(jobs.map(({ id, status }) => [id, status]));
  const ids = [...acknowledged.imports];
  const rows = ids.reduce((sum, [, { rows: each }]) => sum + each, 0);
  return [
    count("acknowledged imports", ids.length),
    count("acknowledged imports not completed", ids.filter(([id]) => statusOf.get(id) !== "completed").length, none),
    // Requests without an answer may have been executed, too.
    count("imported leads missing", Math.max(0, rows - imported[0]!.n), none),
    count("workspaces whose ledger is not their balance", unbalanced.length, none),
    count("files without a job, left to the daily sweep", [...s3.objects.keys()].length),
  ];
}
