import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { filesIn, noRateLimits, startCluster } from "../support/cluster.ts";
import { openDatabaseOf } from "../support/live-database.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { createDirectory, runProgram, startProgram, startServer } from "../support/program.ts";
import { startS3Server } from "../support/s3-server.ts";
import { eventually, succeeded } from "../support/service.ts";

setDefaultTimeout(60_000);

/** A database, a bucket, and a way to start the program on them that must fail. `await using` removes all. */
async function world() {
  const directory = await createDirectory();
  const s3 = startS3Server({ region: "us-east-1" });
  const database = await createTestDatabase();
  const admin = connect(database.url, { poolSize: 1, hasSettings: false });
  return {
    directory,
    database,
    admin,
    files: filesIn(s3),
    /** What the program prints when it refuses to start. */
    async refusal(change: Record<string, string> = {}, dataDir = join(directory.path, "data")): Promise<string> {
      const env = { OUTREACHD_DATABASE: database.url, ...filesIn(s3), ...change };
      const run = await runProgram(["serve", "--data", dataDir, "--listen", "127.0.0.1:0"], { env });
      expect(run.exitCode).not.toBe(0);
      expect(run.err).not.toContain("    at ");
      return run.err;
    },
    [Symbol.asyncDispose]: async () => {
      await admin.end();
      await database.drop();
      await s3.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof world>>;

function changed(url: string, change: (url: URL) => void): Record<string, string> {
  const other = new URL(url);
  change(other);
  return { OUTREACHD_DATABASE: other.href };
}

describe("a node does not start, and says why and what to do", () => {
  test("if the database refuses the user, does not exist, or is out of reach", async () => {
    await using here = await world();
    const { url } = here.database;
    const stranger = await here.refusal(
      changed(url, (each) => Object.assign(each, { username: "u", password: "s3cret" })),
    );
    expect(stranger).toContain("refused the user or the password");
    expect(stranger).toContain("pg_hba.conf");
    expect(stranger).not.toContain("s3cret");
    const missing = await here.refusal(changed(url, (each) => (each.pathname = "/nowhere")));
    expect(missing).toContain("/nowhere does not exist");
    expect(missing).toContain("createdb");
    const unreachable = await here.refusal(changed(url, (each) => (each.port = "1")));
    expect(unreachable).toContain("Cannot connect to the database postgres://postgres@127.0.0.1:1/");
    expect(unreachable).toContain("Check that PostgreSQL is running");
  });

  test("if the database is read-only", async () => {
    await using here = await world();
    const name = new URL(here.database.url).pathname.slice(1);
    await here.admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    expect(await here.refusal()).toMatch(/is read-only\..*Connect to the primary server/s);
  });

  test("if its user may not create tables", async () => {
    await using here = await world();
    const user = `guest_${process.pid}`;
    await here.admin.unsafe(`CREATE ROLE ${user} LOGIN`);
    try {
      const refusal = await here.refusal(changed(here.database.url, (each) => (each.username = user)));
      expect(refusal).toMatch(/may not create tables\..*GRANT CREATE, USAGE ON SCHEMA public/s);
      await here.admin.unsafe(`GRANT CREATE ON SCHEMA public TO ${user}`);
      expect(await here.refusal(changed(here.database.url, (each) => (each.username = user)))).toMatch(
        /lacks a privilege\..*Make it the owner of the database and of its tables/s,
      );
    } finally {
      await here.admin.unsafe(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
    }
  });

  test("if the schema is newer, or from another build", async () => {
    await using here = await world();
    await here.admin`INSERT INTO schema_migrations VALUES (9001, '9001_future', 'x', 1)`;
    expect(await here.refusal()).toMatch(/written by a newer outreachd.*9001_future.*Run that version or a newer one/s);
    await here.admin`DELETE FROM schema_migrations WHERE number = 9001`;
    await here.admin`UPDATE schema_migrations SET hash = 'x' WHERE number = 1`;
    expect(await here.refusal()).toMatch(/another text of migration 0001.*Use that build/s);
  });

  test("if the bucket does not exist, is elsewhere, or refuses the key", async () => {
    await using here = await world();
    expect(await here.refusal({ OUTREACHD_FILES: "s3://nowhere/team" })).toContain(
      "the bucket for files does not exist",
    );
    expect(await here.refusal({ OUTREACHD_S3_REGION: "eu-west-1" })).toContain(
      "the bucket for files is in another region",
    );
    expect(await here.refusal({ OUTREACHD_S3_SECRET_ACCESS_KEY: "wrong" })).toContain("refused the access key");
  });

  test("if the data directory has an embedded database", async () => {
    await using here = await world();
    const dataDir = join(here.directory.path, "embedded");
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, "outreachd.db"), "");
    expect(await here.refusal({}, dataDir)).toMatch(/contains an embedded database.*outreachd copy/s);
  });

  test("if another node stores its files elsewhere", async () => {
    await using cluster = await startCluster([{}]);
    const failure = await cluster.add({ OUTREACHD_FILES: "s3://backups/other" }).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(/uses the same database, but stores its files in s3:\/\/backups\/team/);
    expect(failure).toContain("Start all nodes with the same --files");
  });
});

describe("a node that is stopped before the database is ready ends at once, with a sentence in its log", () => {
  /** Starts a node, and stops it once `isWaiting` returns true. */
  async function stopped(here: World, url: string, isWaiting: () => Promise<boolean>) {
    const args = ["serve", "--data", join(here.directory.path, "data"), "--listen", "127.0.0.1:0"];
    const child = startProgram(args, { env: { OUTREACHD_DATABASE: url, ...here.files } });
    await eventually("the node to wait", async () => ((await isWaiting()) ? true : null));
    const stoppedAt = performance.now();
    child.kill("SIGTERM");
    const { exitCode, err } = await child.ended;
    expect(performance.now() - stoppedAt).toBeLessThan(2_000);
    expect(err).toContain("stopped before the database was ready");
    return exitCode;
  }

  test("while another node migrates", async () => {
    await using here = await world();
    const { admin } = here;
    await using other = await openDatabaseOf(here.database);
    const isWaiting = async () =>
      (await other.all("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0;
    await admin.begin(async (transaction) => {
      await transaction`SELECT pg_advisory_xact_lock(7263448114::bigint)`;
      expect(await stopped(here, here.database.url, isWaiting)).toBe(0);
      expect(await isWaiting()).toBe(false);
    });
  });

  test("while it waits for a connection", async () => {
    await using here = await world();
    const url = new URL(here.database.url);
    let connections = 0;
    const silent = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: () => void connections++, data() {} },
    });
    url.port = `${silent.port}`;
    expect(await stopped(here, url.href, async () => connections > 0)).toBe(0);
    silent.stop(true);
  });
});

test("a node on a full database refuses changes with 503 and a reason, and reads on", async () => {
  await using cluster = await startCluster([{}]);
  const client = cluster.client(cluster.one);
  await using database = await openDatabaseOf(cluster.database);
  {
    await using refusal = await database.refuse("leads", "true");
    expect(refusal).toBeDefined();
    const refused = await client.post("/api/v2/leads", { email: "ada@example.com" });
    expect(refused).toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE" });
    expect(refused.message).toContain("The server's database cannot store anything.");
    expect(refused.headers.get("retry-after")).not.toBeNull();
    succeeded(await client.get("/api/v2/leads"));
  }
  succeeded(await client.post("/api/v2/leads", { email: "ada@example.com" }));
});

test("three nodes that start at once on an empty database migrate it once, and one creates the admin", async () => {
  await using here = await world();
  await here.admin.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const start = (n: number) =>
    startServer(join(here.directory.path, `node-${n}`), {
      env: { OUTREACHD_DATABASE: here.database.url, ...here.files },
    });
  const nodes = await Promise.all([0, 1, 2].map(start));
  try {
    const keys = nodes.flatMap(({ firstRun }) => firstRun?.key ?? []);
    expect(keys).toHaveLength(1);
    for (const { api } of nodes)
      expect((await fetch(`${api}/leads`, { headers: { "x-api-key": keys[0]! } })).status).toBe(200);
    const [row] = await here.admin<{ n: number }[]>`SELECT count(*)::int AS n FROM users`;
    expect(row).toEqual({ n: 1 });
  } finally {
    await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
  }
});

test("a node goes on while a newer version migrates, and one of the old version does not start afterwards", async () => {
  await using cluster = await startCluster([{}]);
  const client = cluster.client(cluster.one);
  await using database = await openDatabaseOf(cluster.database);
  // What an expanding migration of a newer version does.
  await database.run("ALTER TABLE leads ADD COLUMN nickname TEXT");
  await database.run("INSERT INTO schema_migrations VALUES (9001, '9001_nicknames', 'x', 1)");
  succeeded(await client.post("/api/v2/leads", { email: "ada@example.com" }));
  succeeded(await client.get("/api/v2/leads"));
  const failure = await cluster.add().then(() => "", String);
  await database.run("DELETE FROM schema_migrations WHERE number = 9001");
  await database.run("ALTER TABLE leads DROP COLUMN nickname");
  expect(failure).toContain("written by a newer outreachd (it has migration 9001_nicknames)");
});

const fakeTime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const withFakeTime = (offset: string) => ({
  LD_PRELOAD: fakeTime,
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
});

test.skipIf(!existsSync(fakeTime))(
  "a node whose clock is five minutes off uses the time of the database, and logs it",
  async () => {
    await using cluster = await startCluster([{}, { ...withFakeTime("+300s"), OUTREACHD_LOG_LEVEL: "warn" }], {
      ...noRateLimits,
      OUTREACHD_LOG_REQUESTS: "false",
    });
    const made = await cluster
      .client(cluster.other)
      .post<{ createdAt: string }>("/api/v2/leads", { email: "a@b.example" });
    expect(Math.abs(Date.parse(succeeded(made).data.createdAt) - Date.now())).toBeLessThan(5000);
    const { log } = await cluster.other.stop();
    expect(log).toContain("The clock of this machine is 5 minutes ahead of the clock of the database.");
  },
);
