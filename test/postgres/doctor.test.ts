import { expect, setDefaultTimeout, test } from "bun:test";
import { loadConfig } from "../../src/app/config/config.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import { examineAll } from "../../src/surfaces/cli/doctor/examine.ts";
import type { Finding } from "../../src/surfaces/cli/doctor/finding.ts";
import { createAppNodes } from "../support/app-nodes.ts";
import { FakeClock } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";
import { openDatabaseOf } from "../support/live-database.ts";
import { eventually } from "../support/service.ts";

setDefaultTimeout(120_000);

type Cluster = Awaited<ReturnType<typeof createAppNodes>>;

function examine({ database, s3 }: Pick<Cluster, "database" | "s3">, url = database.url): Promise<Finding[]> {
  const env = {
    OUTREACHD_DATABASE: url,
    OUTREACHD_FILES: `s3://${s3.bucket}/files`,
    OUTREACHD_S3_ENDPOINT: s3.url,
    OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
    OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  return examineAll(loadConfig({ flags: { data: "/nowhere" }, env }), { full: false, offline: false });
}

const complaintsIn = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state !== "ok").map(({ check, message }) => `${check}: ${message}`);

test("a database with running nodes and a bucket is well, and nothing is left in the bucket", async () => {
  await using cluster = await createAppNodes();
  const node = await cluster.start();
  await eventually("a node to take the lead", async () => {
    const findings = await examine(cluster);
    return complaintsIn(findings).length === 0 || null;
  });
  const findings = await examine(cluster);
  const checks = [
    "configuration",
    "database",
    "clock",
    "migrations",
    "privileges",
    "credits",
    "nodes",
    "jobs",
    "events",
  ];
  expect([...new Set(findings.map(({ check }) => check))]).toEqual([...checks, "files", "backups", "hosts"]);
  expect([...cluster.s3.objects.keys()].filter((name) => name.includes("doctor"))).toEqual([]);
  await node.stop();
});

test("credits that were granted and reserved leave balances that are the sum of the ledger", async () => {
  await using cluster = await createAppNodes();
  const opened = await openPostgresStorage(cluster.database.url, new FakeClock());
  const storage = opened;
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  await storage.credits.add(make.grant(user.id, { amount: 9 }));
  expect(await storage.credits.reserve(make.reservation(user.id))).toMatchObject({ kind: "reserved" });
  await opened.close();
  expect(complaintsIn(await examine(cluster))).toEqual([]);
  await using database = await openDatabaseOf({ url: cluster.database.url });
  await database.run("UPDATE credit_balances SET balance = balance + 1");
  expect(complaintsIn(await examine(cluster))).toEqual([
    `credits: The credit balance differs from the sum of the ledger for 1 workspace, such as ${user.id}.`,
  ]);
});

test("late jobs, and events without a position, are found", async () => {
  await using cluster = await createAppNodes();
  const opened = await openPostgresStorage(cluster.database.url, new FakeClock());
  const make = createFactories();
  const { user } = await make.storedUser(opened);
  await make.storedJob(opened, user.id);
  await opened.close();
  await using database = await openDatabaseOf({ url: cluster.database.url });
  await database.run("INSERT INTO events (type, at, data) VALUES ('lead.created', 0, '{}')");
  expect(complaintsIn(await examine(cluster))).toEqual([
    "jobs: Late: 1 job, the first since 2026-01-05T10:00:00.000Z.",
    expect.stringMatching(/^events: \d events? without a position, the first since 1970-01-01T00:00:00.000Z\./),
  ]);
});

test("a database of a newer program is a problem, an older one a warning", async () => {
  await using cluster = await createAppNodes();
  await using database = await openDatabaseOf({ url: cluster.database.url });
  const where = "WHERE number = (SELECT max(number) FROM schema_migrations)";
  type Row = { number: number; name: string; hash: string };
  const [newest] = await database.all<Row>(`SELECT number, name, hash FROM schema_migrations ${where}`);
  const { number, name, hash } = newest!;
  await database.run(`UPDATE schema_migrations SET number = 9000 ${where}`);
  expect(complaintsIn(await examine(cluster))).toEqual([
    `migrations: The database was written by a newer outreachd (it has migration ${name}).`,
  ]);
  await database.run("DELETE FROM schema_migrations WHERE number = 9000");
  expect(complaintsIn(await examine(cluster))).toEqual([`migrations: The database lacks 1 migration, up to ${name}.`]);
  await database.run("INSERT INTO schema_migrations VALUES ($1, $2, $3, 0)", [number, name, hash]);
});

test("a database that cannot be reached and a bucket that refuses are problems with a way out", async () => {
  await using cluster = await createAppNodes();
  cluster.s3.faults.fails = () => true;
  const findings = await examine(cluster, "postgres://nobody@127.0.0.1:1/none");
  expect(complaintsIn(findings)).toEqual([
    expect.stringMatching(/^database: Cannot connect to the database postgres:\/\/nobody@127\.0\.0\.1:1\/none\./),
    expect.stringMatching(
      /^files: Files in s3:\/\/backups\/files\/? cannot be used: the S3 service for files is unavailable\.$/,
    ),
  ]);
  for (const { state, hint } of findings) if (state === "problem") expect(hint?.length).toBeGreaterThan(20);
});

test("a bucket that cannot be listed is a problem, because no server starts with it", async () => {
  await using cluster = await createAppNodes();
  cluster.s3.faults.fails = (method, url) => method === "GET" && url.searchParams.has("list-type");
  expect(complaintsIn(await examine(cluster))).toEqual([expect.stringMatching(/^files: Files in .* cannot be used/)]);
});
