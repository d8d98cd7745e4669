import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "postgres";
import { connect } from "../../../src/adapters/storage/postgres/engine.ts";
import { withPostgres, type PostgresHome } from "../postgres.ts";
import { median, type BenchCase } from "../report.ts";
import { startServer, type Server } from "../server.ts";

const actions = 4_000;
const accounts = 200;
const rounds = 7;

/** Whether nodes that claim from one database get in each other's way. */
export const postgresClaims: BenchCase = {
  about: `PostgreSQL: ${actions.toLocaleString("en-US")} due actions of ${accounts} accounts, carried out by the simulated network, by one node and by three, ${rounds} times in turn`,
  run: () => withPostgres((one) => withPostgres((three) => measure(one, three))),
  isLong: true,
};

async function measure(one: PostgresHome, three: PostgresHome) {
  await using alone = await startNodes(one, 1);
  await using together = await startNodes(three, 3);
  // The hot code gets compiled first: each of three nodes sees a third of the actions.
  await drain(alone.client);
  for (let n = 0; n < 3; n++) await drain(together.client);
  const seen = { one: [] as number[], three: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    seen.one.push(await drain(alone.client));
    seen.three.push(await drain(together.client));
  }
  const ratio = median(seen.three.map((rate, round) => rate / seen.one[round]!));
  return [
    { name: "three nodes : one node", value: ratio, unit: "ratio" as const, goal: { atLeast: 0.9 } },
    { name: "one node", value: median(seen.one), unit: "/s" as const },
    { name: "three nodes together", value: median(seen.three), unit: "/s" as const },
  ];
}

/** Nodes on a database of their own, which wait for actions. */
async function startNodes(home: PostgresHome, count: number) {
  const client = connect(home.url, { poolSize: 2 });
  await makeAccounts(client);
  const servers: Server[] = [];
  for (let n = 0; n < count; n++) {
    const directory = join(home.directory, `node-${n}`);
    await mkdir(directory, { recursive: true });
    servers.push(await startServer({ ...home, directory }, home.settings));
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.stop()));
      await client.end();
    },
  };
}

/** Actions a second, from the first one that was carried out to the last. */
async function drain(client: Sql): Promise<number> {
  await queue(client);
  // Only now, so that all nodes begin at the same time.
  await client`UPDATE jobs SET run_at = ${Date.now()} WHERE type = 'linkedin_action' AND status = 'pending'`;
  for (;;) {
    const [left] = await client<{ n: number }[]>`
      SELECT count(*) AS n FROM jobs WHERE type = 'linkedin_action' AND status IN ('pending', 'running')`;
    if (left?.n === 0) break;
    await Bun.sleep(100);
  }
  const [span] = await client<{ n: number; ms: number }[]>`
    SELECT count(*) AS n, max(updated_at) - min(updated_at) AS ms FROM network_actions
    WHERE state = 'completed'`;
  if (span?.n !== actions) throw new Error(`Expected ${actions} actions to be carried out, got ${span?.n}`);
  return (span.n / span.ms) * 1000;
}

/** Accounts without any pace of their own, on a network that takes everything: what is measured is the queue. */
async function makeAccounts(client: Sql): Promise<void> {
  const allDay = Array.from({ length: 7 }, () => [{ from: 0, to: 1440 }]);
  const meters = ["invites", "messages", "visits", "follows", "likes", "all"];
  const caps = Object.fromEntries(meters.map((meter) => [meter, { day: null, week: null, month: null }]));
  await client`
    UPDATE network_accounts SET connector = 'simulated', warm_up = NULL, sessions = NULL, jitter_percent = 0,
      working_hours = ${client.json(allDay)}, caps = ${client.json(caps)},
      spacing = ${client.json({ medianSeconds: 0, minSeconds: 0 })}`;
  const columns = await client<{ name: string }[]>`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_name = 'network_accounts' AND column_name <> 'seq' ORDER BY ordinal_position`;
  const names = columns.map(({ name }) => name);
  await client.unsafe(`
    INSERT INTO network_accounts (${names.join(", ")})
    SELECT ${names.map((name) => (name === "id" || name === "name" ? `${name} || '-' || n` : name)).join(", ")}
    FROM network_accounts, generate_series(1, ${accounts - 1}) AS k (n)`);
}

/** In the place of those of the round before; not due yet. */
async function queue(client: Sql): Promise<void> {
  await client`DELETE FROM jobs WHERE type = 'linkedin_action'`;
  const now = Date.now();
  const later = now + 3_600_000;
  await client`
    WITH numbered AS (
      SELECT id, workspace_id, seq, row_number() OVER (ORDER BY seq) - 1 AS n FROM network_accounts
    ), made AS (
      SELECT gen_random_uuid()::text AS id, a.id AS account_id, a.seq AS account, a.workspace_id,
        'https://network.example/in/bench-' || ${now}::text || '-' || k.n AS url
      FROM generate_series(0, ${actions - 1}) AS k (n) JOIN numbered AS a ON a.n = k.n % ${accounts}
    ), queued AS (
      INSERT INTO jobs (id, workspace_id, type, status, run_at, attempt, max_attempts, failures, progress, message,
        metadata, payload, created_at, updated_at)
      SELECT id, workspace_id, 'linkedin_action', 'pending', ${later}, 0, 5, 0, 0, '',
        json_build_object('actionType', 'visitProfile', 'profileUrl', url, 'accountId', account_id, 'connector',
          'simulated'), '{}', ${now}, ${now}
      FROM made
    )
    INSERT INTO network_actions (job_id, workspace_id, account, action_type, meter, has_note, profile_url, profile_key,
      target_key, details, state, pending_reason, used, slot_at, not_before, draw, created_at, updated_at)
    SELECT id, workspace_id, account, 'visitProfile', 4, false, url, url, url, '{}', 'scheduled', 'queued', 0, ${now},
      ${now}, 0.5, ${now}, ${now}
    FROM made`;
  await client`UPDATE network_accounts SET needs_plan = false`;
  await client`ANALYZE jobs, network_actions`;
}
