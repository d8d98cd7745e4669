import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import type { BackupList, BackupRunView } from "../../src/features/backup/model.ts";
import type { Client } from "../support/client.ts";
import { filesIn, noRateLimits, startCluster, type ClusterNode } from "../support/cluster.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { people } from "../support/prospecting-api.ts";
import { startS3Server } from "../support/s3-server.ts";
import { eventually, succeeded } from "../support/service.ts";
import { cloneForm, clonesPath, spokenWav } from "../support/voices.ts";

setDefaultTimeout(180_000);

const path = "/api/v2/backups";
const left: (() => unknown)[] = [];
afterEach(async () => {
  for (const remove of left.splice(0).toReversed()) await remove();
});

async function folder(): Promise<string> {
  const directory = await createDirectory();
  left.push(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

/** What a command prints with --json. */
async function answerOf<T>(args: readonly string[], env: Record<string, string> = {}): Promise<T> {
  const { out, err, exitCode } = await runProgram([...args, "--json"], { env });
  expect({ args, out: exitCode === 0 ? "" : out, err, exitCode }).toEqual({ args, out: "", err, exitCode: 0 });
  return JSON.parse(out.trim().split("\n").at(-1)!) as T;
}

async function ended(client: Client, name: string): Promise<BackupRunView> {
  return await eventually(
    `the end of ${name}`,
    async () => {
      const run = succeeded(await client.get<BackupRunView>(`${path}/${name}`)).data;
      return run.status === "running" ? null : run;
    },
    { patienceMs: 60_000 },
  );
}

/** Writes leads to both nodes in turn until `stop`, and collects those that were acknowledged. */
function keepWriting(client: Client) {
  const acknowledged: string[] = [];
  let isStopped = false;
  const write = async (name: string): Promise<void> => {
    for (let n = 0; !isStopped; n++) {
      const email = `${name}${n}@example.com`;
      succeeded(await client.post("/api/v2/leads", { email, firstName: name }));
      acknowledged.push(email);
    }
  };
  const writers = Promise.all(["a", "b", "c"].map(write));
  return { acknowledged, stop: () => ((isStopped = true), writers) };
}

test("a backup that is made while two nodes write can be restored to a directory and to another database", async () => {
  const shared = await folder();
  await using cluster = await startCluster([{}, {}], { ...noRateLimits, OUTREACHD_BACKUP_TO: shared });
  const client = cluster.alternating();
  const voice = await client.post<{ voiceId: string }>(clonesPath, cloneForm([["ada.wav", await spokenWav(12)]]));
  const { voiceId } = succeeded(voice).data;
  await eventually(
    "the training",
    async () => {
      const { data } = succeeded(await client.get<{ status: string }>(`${clonesPath}/${voiceId}`));
      return data.status === "ready" ? true : null;
    },
    { patienceMs: 100_000 },
  );
  const csv = { headers: { "content-type": "text/csv" } };
  succeeded(await client.post("/api/v2/prospecting/import", people, csv));
  type Found = { prospects: { id: string }[]; total: number };
  const { prospects, total } = await eventually("the prospects", async () => {
    const search = await client.post<Found>("/api/v2/prospecting/search", { filters: {} });
    return succeeded(search).data.total > 0 ? search.data : null;
  });
  // The index of prospects does not contain this change yet.
  succeeded(await client.delete(`/api/v2/prospecting/prospects/${prospects[0]!.id}`));
  const found = total - 1;
  const writing = keepWriting(client);
  await eventually("some leads", async () => (writing.acknowledged.length > 60 ? true : null));
  const before = [...writing.acknowledged];
  const { name } = succeeded(await client.post<BackupRunView>(path)).data;
  expect(await client.post(path)).toMatchObject({ status: 409, code: "CONFLICT" });
  const run = await ended(client, name);
  expect(run).toMatchObject({ status: "completed", message: "Complete", missing: [] });
  await writing.stop();
  expect(writing.acknowledged.length).toBeGreaterThan(before.length);
  for (const node of [cluster.one, cluster.other]) {
    const list = succeeded(await cluster.client(node).get<BackupList>(path)).data;
    expect(list).toMatchObject({ running: null, last: { name, status: "completed" }, problem: null });
    expect(list.backups).toMatchObject([{ name, isOwn: true }]);
  }
  const archive = join(shared, name);

  // Into a data directory.
  const restored = join(await folder(), "restored");
  await answerOf(["restore", archive, "--data", restored]);
  const { emails, ...facts } = factsOf(restored);
  expect(before.filter((email) => !emails.has(email))).toEqual([]);
  expect(facts).toEqual(consistent);
  for (const [object, bytes] of cluster.s3.objects) {
    const [, file] = /^team\/(voice\/.+)$/.exec(object) ?? [];
    if (file !== undefined && /original|reference/.test(file))
      expect({ file, isEqual: Buffer.from(bytes).equals(await fileIn(restored, file)) }).toEqual({
        file,
        isEqual: true,
      });
  }
  {
    await using server = await startServer(restored, { env: noRateLimits });
    expect(await viewOf(cluster.client(server))).toEqual({ leads: emails.size, prospects: found });
  }
  const doctor = await runProgram(["doctor", "--data", restored, "--full", "--offline"]);
  expect(doctor.out).toContain("\n0 problems");
  expect(doctor.exitCode, doctor.out).toBe(0);

  // Into another database, with another bucket.
  const database = await createTestDatabase();
  left.push(() => database.drop());
  const s3 = startS3Server();
  left.push(() => s3.stop());
  const env = { ...noRateLimits, ...filesIn(s3), OUTREACHD_DATABASE: database.url };
  const data = join(await folder(), "scratch");
  const report = await answerOf(["restore", archive, "--data", data], env);
  expect(report).toMatchObject({ restored: true, missing: [], pausedAccounts: 0 });
  const again = await runProgram(["restore", archive, "--data", data], { env });
  expect(again.err).toContain("already contains data");
  expect(again.exitCode).toBe(1);
  await using node = await startServer(join(await folder(), "node"), { env });
  expect(node.firstRun).toBeNull();
  expect(await viewOf(cluster.client(node))).toEqual({ leads: emails.size, prospects: found });
  const audit = await cluster.client(node).get("/api/v2/audit", { query: { action: "backup.restored" } });
  expect(audit.data).toMatchObject({ entries: [{ via: "commandLine", details: { version: expect.any(String) } }] });
  expect(voiceFiles(s3.objects)).toEqual(voiceFiles(cluster.s3.objects));
});

/** What clients see. */
async function viewOf(client: Client): Promise<{ leads: number; prospects: number }> {
  const leads = await client.get<{ total: number }>("/api/v2/leads", { query: { limit: 1 } });
  const prospects = await client.post<{ total: number }>("/api/v2/prospecting/search", { filters: {} });
  return { leads: succeeded(leads).data.total, prospects: succeeded(prospects).data.total };
}

const voiceFiles = (objects: ReadonlyMap<string, Uint8Array>) =>
  [...objects.keys()].filter((name) => /original|reference/.test(name)).toSorted();

async function fileIn(dataDir: string, name: string): Promise<Buffer> {
  return Buffer.from(await Bun.file(join(dataDir, "blobs", name)).bytes());
}

const consistent = {
  damage: [{ integrity_check: "ok" }],
  dangling: [],
  leadsWithoutEvent: 0,
  eventsWithoutLead: 0,
  miscounted: 0,
  unbalanced: 0,
  isNumberedWithoutGaps: true,
};

/** Rows that must agree with each other, whatever was written meanwhile. */
function factsOf(dataDir: string) {
  using database = new Database(join(dataDir, "outreachd.db"), { readwrite: true });
  const one = <T>(query: string) => (database.query(query).get() as { n: T }).n;
  const { last, first, events } = database
    .query<{ last: number; first: number; events: number }, []>(
      "SELECT max(seq) AS last, min(seq) AS first, count(*) AS events FROM events",
    )
    .get()!;
  const numbered = one<number>("SELECT seq AS n FROM sqlite_sequence WHERE name = 'events'");
  return {
    emails: new Set(
      database
        .query<{ email: string }, []>("SELECT email FROM leads")
        .all()
        .map(({ email }) => email),
    ),
    damage: database.query("PRAGMA integrity_check").all(),
    dangling: database.query("PRAGMA foreign_key_check").all(),
    leadsWithoutEvent: one<number>(
      `SELECT count(*) AS n FROM leads WHERE NOT EXISTS
         (SELECT 1 FROM events WHERE type = 'lead.created' AND lead_id = leads.id)`,
    ),
    eventsWithoutLead: one<number>(
      `SELECT count(*) AS n FROM events WHERE type = 'lead.created' AND lead_id NOT IN (SELECT id FROM leads)`,
    ),
    miscounted: one<number>("SELECT (SELECT sum(leads) FROM lead_counts) - (SELECT count(*) FROM leads) AS n"),
    unbalanced: one<number>(
      `SELECT count(*) AS n FROM credit_balances WHERE balance <>
         (SELECT ifnull(sum(amount), 0) FROM credit_ledger WHERE workspace_id = credit_balances.workspace_id)`,
    ),
    isNumberedWithoutGaps: first === 1 && last === events && numbered === last,
  };
}

test("a backup whose node is killed leaves nothing that counts as one, and is reported by another node", async () => {
  const shared = await folder();
  const settings = { ...noRateLimits, OUTREACHD_BACKUP_TO: shared };
  await using cluster = await startCluster([{}, {}], settings);
  const client = connect(cluster.database.url, { poolSize: 1 });
  const [one, other] = [cluster.client(cluster.one), cluster.client(cluster.other)];
  // Enough that the first backup is killed while it copies them.
  await client`INSERT INTO events (owner, at, type, data)
    SELECT (SELECT min(seq) FROM workspaces), 1767600000000 + n, 'lead.created', '{}' FROM generate_series(1, 500000) AS numbers (n)`;
  await client`ANALYZE events`;
  const { name } = succeeded(await one.post<BackupRunView>(path)).data;
  const partial = await eventually("the beginning", async () => readdirSync(shared)[0] ?? null);
  expect(partial).toBe(`${name}.part`);
  // The other node knows of it, and begins none of its own.
  expect((await other.get<BackupRunView>(`${path}/${name}`)).data).toMatchObject({ status: "running" });
  expect(await other.post(path)).toMatchObject({ status: 409, message: expect.stringContaining(name) });
  await eventually("the copy of the database", async () => (scratchOf(cluster.one).length > 0 ? true : null));
  await cluster.one.stop("SIGKILL");
  const list = succeeded(await other.get<BackupList>(path)).data;
  expect(list).toMatchObject({ backups: [], running: { name } });
  const last = await eventually("the report", async () => succeeded(await other.get<BackupList>(path)).data.last, {
    patienceMs: 100_000,
  });
  expect(last).toMatchObject({ name, status: "failed", message: expect.stringContaining("stopped before") });
  type Events = { events: { type: string }[] };
  const { events } = succeeded(await other.get<Events>("/api/v2/events", { query: { type: "backup.*" } })).data;
  expect(events.map(({ type }) => type)).toEqual(["backup.failed"]);
  // The next one may complete soon, on a slow machine, too.
  await client`DELETE FROM events WHERE type = 'lead.created'`;
  await client.end();
  const next = succeeded(await other.post<BackupRunView>(path)).data;
  expect(await ended(other, next.name)).toMatchObject({ status: "completed" });
  expect(readdirSync(shared)).toEqual([next.name]);
  // The next start on the same directory removes what the killed process has left.
  expect(scratchOf(cluster.one)).not.toEqual([]);
  const env = { ...settings, ...filesIn(cluster.s3), OUTREACHD_DATABASE: cluster.database.url };
  await using restarted = await startServer(cluster.one.dataDir, { env });
  expect(scratchOf(restarted)).toEqual([]);
});

const scratchOf = ({ dataDir }: ClusterNode) => readdirSync(dataDir).filter((name) => name.includes(".snapshot"));

test("two nodes with a schedule create one backup each time, and their metrics agree", async () => {
  const shared = await folder();
  const settings = { OUTREACHD_BACKUP_TO: shared, OUTREACHD_BACKUP_SCHEDULE: "*/20 * * * * *" };
  await using cluster = await startCluster([{}, {}], { ...noRateLimits, ...settings });
  const archives = () => readdirSync(shared).filter((name) => name.endsWith(".zst"));
  await eventually("two backups", async () => (archives().length >= 2 ? true : null), { patienceMs: 60_000 });
  const times = archives().map((name) => /T(\d{6})/.exec(name)![1]!);
  expect(new Set(times.map((time) => Math.floor(Number(time) / 20))).size).toBe(times.length);
  const metric = async ({ url }: ClusterNode) => {
    const text = await (await fetch(`${url}/metrics`, { headers: { "x-api-key": cluster.key } })).text();
    const value = (name: string) => Number(new RegExp(`^${name}(?:{.*})? (\\S+)$`, "m").exec(text)?.[1]);
    return ["last_success_timestamp_seconds", "last_failed", "scheduled"].map((name) =>
      value(`outreachd_backup_${name}`),
    );
  };
  await eventually(
    "the same metrics",
    async () => {
      const [one, other] = [await metric(cluster.one), await metric(cluster.other)];
      const isTrue = one[0]! > Date.now() / 1000 - 60 && one[1] === 0 && one[2] === 1;
      return isTrue && Bun.deepEquals(one, other) ? true : null;
    },
    { patienceMs: 60_000 },
  );
});

test("the command backs up a database without a server, and a restore refuses what it would overwrite", async () => {
  const database = await createTestDatabase();
  left.push(() => database.drop());
  const s3 = startS3Server();
  left.push(() => s3.stop());
  const env = { ...filesIn(s3), OUTREACHD_DATABASE: database.url, OUTREACHD_LOG_LEVEL: "error" };
  await answerOf(["user", "create", "ada@example.com"], env);
  const root = await folder();
  const data = join(root, "data");
  const output = join(root, "ada.tar.zst");
  expect(await answerOf(["backup", "--data", data, "--output", output], env)).toMatchObject({ status: "completed" });
  // Without a destination, it stays in the data directory.
  const kept = await answerOf<{ file: string; name: string }>(["backup", "--data", data], env);
  expect(kept.file).toBe(join(data, "backups", kept.name));
  expect(readdirSync(join(data, "backups"))).toEqual([kept.name]);
  const refuse = async (args: readonly string[], message: string) => {
    const run = await runProgram(["restore", output, ...args], { env });
    expect(run.err).toContain(message);
    expect(run.exitCode).not.toBe(0);
  };
  await refuse(["--data", data], "already contains data");
  await refuse(["--data", data, "--replace"], "--replace works only for a data directory");
  const embedded = join(root, "embedded");
  mkdirSync(embedded);
  writeFileSync(join(embedded, "outreachd.db"), "");
  const empty = await createTestDatabase();
  left.push(() => empty.drop());
  env.OUTREACHD_DATABASE = empty.url;
  await refuse(["--data", embedded], "contains an embedded database");
  expect(await answerOf(["restore", output, "--data", data], env)).toMatchObject({ restored: true });
  expect(await answerOf(["user", "list"], env)).toMatchObject({ users: [{ email: "ada@example.com" }] });
});
