import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { openLiveDatabase } from "../support/live-database.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { startS3Server } from "../support/s3-server.ts";
import { asNobody, mountSmallDisk, testAsNobody, testOnSmallDisk, testUnless } from "../support/small-disk.ts";

setDefaultTimeout(60_000);

const env = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
};
type Server = Awaited<ReturnType<typeof startServer>>;

/** What `--json` answers at last. */
function lastOf<T>({ out, err, exitCode }: Awaited<ReturnType<typeof runProgram>>): T {
  expect({ err, exitCode }).toEqual({ err: expect.any(String), exitCode: 0 });
  return JSON.parse(out.trim().split("\n").at(-1)!) as T;
}

async function post(server: Server, key: string, route: string, body: unknown): Promise<number> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  return (await fetch(server.api + route, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

/** All tables but those that a server fills behind the leads, whenever it finds the time; without what tells of backups. */
function tablesOf(path: string): Record<string, unknown[]> {
  using database = new Database(path, { readonly: true });
  const names = database
    .query<{ name: string }, []>(
      // The rows of an index for words are those of its tables.
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .all()
    .filter(({ name }) => !name.startsWith("lead_hints"));
  const without: Record<string, string> = {
    events: " WHERE type NOT LIKE 'backup.%'",
    audit_log: " WHERE action NOT LIKE 'backup.%'",
    audit_end: " WHERE false",
    // Time goes on after the backup.
    server_state: " WHERE name <> 'clock'",
  };
  const rowsOf = (name: string) => `SELECT * FROM "${name}"${without[name] ?? ""}`;
  return Object.fromEntries(names.map(({ name }) => [name, database.query(rowsOf(name)).values()]));
}

const prepared = await createDirectory();
afterAll(() => prepared[Symbol.asyncDispose]());
/** Data that no server holds, and a backup of it; made once, because each run of the program takes its time. */
const preparedData = join(prepared.path, "data");
const preparedBackup = join(prepared.path, "backup.tar.zst");

beforeAll(async () => {
  await runProgram(["user", "create", "ada@example.com", "--data", preparedData]);
  const { exitCode } = await runProgram(["import", "leads", "-"], {
    env: { OUTREACHD_DATA: preparedData },
    stdin: "email,notes\nada@example.com,one\ngrace@example.com,two\n",
  });
  expect(exitCode).toBe(0);
  await backupOf(preparedData, preparedBackup);
});

function withData(dataDir: string): void {
  cpSync(preparedData, dataDir, { recursive: true });
}

async function backupOf(dataDir: string, file: string): Promise<void> {
  lastOf(await runProgram(["backup", "--data", dataDir, "--output", file, "--json"]));
}

test("a backup under load holds each row that was acknowledged before, whole rows of those that came meanwhile, and the files", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  const restoredDir = join(directory.path, "restored");
  const file = join(directory.path, "backup.tar.zst");
  const acknowledged = new Set<string>();
  const before = new Set<string>();
  {
    await using server = await startServer(dataDir, { env });
    const { key } = server.firstRun!;
    const notes = "n".repeat(2000);
    for (let n = 0; n < 50; n++) {
      const email = `before${n}@example.com`;
      expect(await post(server, key, "/leads", { email, notes })).toBe(200);
      before.add(email);
    }
    mkdirSync(join(dataDir, "blobs", "voice"), { recursive: true });
    let isDone = false;
    const client = async (name: string): Promise<void> => {
      for (let n = 0; !isDone; n++) {
        const email = `${name}${n}@example.com`;
        if ((await post(server, key, "/leads", { email, notes })) === 200) acknowledged.add(email);
      }
    };
    const clients = ["a", "b", "c", "d"].map(client);
    const run = await runProgram(["backup", "--data", dataDir, "--output", file, "--json"]);
    isDone = true;
    await Promise.all(clients);
    lastOf(run);
    expect(acknowledged.size).toBeGreaterThan(0);
    // A server that runs is not overwritten, whatever is said.
    const refused = await runProgram(["restore", file, "--data", dataDir, "--replace"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toContain(
      `Error: Another outreachd (process ${server.pid}, ${server.url}) is using the data directory`,
    );
    expect(readdirSync(dataDir).filter((name) => name.startsWith("before-restore"))).toEqual([]);
    await server.stop();
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  lastOf(await runProgram(["restore", file, "--data", restoredDir, "--json"]));
  const [restored, live] = [restoredDir, dataDir].map(
    (path) => new Set(tablesOf(join(path, "outreachd.db"))["leads"]!.map((row) => JSON.stringify(row))),
  );
  expect([...restored!].filter((row) => !live!.has(row))).toEqual([]);
  const emails = new Set([...restored!].join().match(/[a-z]+\d+@example\.com/g));
  expect([...before].filter((email) => !emails.has(email))).toEqual([]);
  await using server = await startServer(restoredDir, { env });
  expect(server.firstRun).toBeNull();
});

test("what is restored is what was there: every table, value by value, and every file, byte by byte", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  withData(dataDir);
  const voice = join(dataDir, "blobs", "voice");
  mkdirSync(voice, { recursive: true });
  writeFileSync(join(voice, "c1.s1.original"), Buffer.alloc(1_500_000, "sound"));
  writeFileSync(join(voice, "c1.reference"), "learned");
  writeFileSync(join(voice, "orphan"), "of nobody");
  insertVoice(join(dataDir, "outreachd.db"));
  const file = join(directory.path, "backup.tar.zst");
  await backupOf(dataDir, file);
  const restoredDir = join(directory.path, "restored");
  const report = lastOf<{ files: number; missing: object[] }>(
    await runProgram(["restore", file, "--data", restoredDir, "--json"]),
  );
  expect(report).toMatchObject({
    files: 2,
    missing: [{ name: "blobs/voice/c1.s2.original", reason: "gone" }],
    movedAside: null,
    pausedAccounts: 0,
  });
  expect(tablesOf(join(restoredDir, "outreachd.db"))).toEqual(tablesOf(join(dataDir, "outreachd.db")));
  expect(readdirSync(join(restoredDir, "blobs", "voice")).toSorted()).toEqual(["c1.reference", "c1.s1.original"]);
  for (const name of ["c1.reference", "c1.s1.original"])
    expect(readFileSync(join(restoredDir, "blobs/voice", name)).equals(readFileSync(join(voice, name)))).toBe(true);

  const doctor = await runProgram(["doctor", "--data", restoredDir, "--offline", "--full", "--json"]);
  expect(doctor.exitCode).toBe(1);
  const { findings } = JSON.parse(doctor.out) as { findings: { check: string; state: string; message: string }[] };
  expect(findings.filter(({ state }) => state === "problem")).toEqual([
    expect.objectContaining({
      check: "files",
      message: "Missing: 1 file that rows refer to, such as voice/c1.s2.original.",
    }),
  ]);
});

test.skipIf(Bun.which("tar") === null || Bun.which("zstd") === null || Bun.which("sha256sum") === null)(
  "tar, zstd and sha256sum read and check a backup without this program",
  async () => {
    await using directory = await createDirectory();
    const script = `zstd -dc "${preparedBackup}" | tar -xf - && sha256sum -c SHA256SUMS`;
    const { success, stdout } = Bun.spawnSync(["sh", "-c", script], { cwd: directory.path });
    expect(stdout.toString()).toBe("outreachd.db: OK\nmanifest.json: OK\n");
    expect(success).toBe(true);
  },
);

test("an archive that is cut off, tampered with or none is refused, and what is there stays as it was", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  withData(dataDir);
  const file = join(directory.path, "backup.tar.zst");
  const whole = readFileSync(preparedBackup);
  const plain = Bun.zstdDecompressSync(whole);
  const row = Buffer.from(plain).indexOf("grace@example.com");
  const tampered = Uint8Array.from(plain);
  tampered[row] = "G".charCodeAt(0);
  const cases: [Uint8Array, string][] = [
    [whole.subarray(0, whole.length - 100), "it is truncated"],
    [Bun.zstdCompressSync(tampered), "its outreachd.db does not match its checksum"],
    [Buffer.from("email\nada@example.com\n"), "it is damaged or not a backup"],
    [new Uint8Array(0), "it is truncated"],
    [Buffer.concat([whole, Buffer.from("garbage")]), "it is damaged or has trailing data"],
  ];
  const before = treeOf(dataDir);
  for (const [bytes, reason] of cases) {
    writeFileSync(file, bytes);
    const { exitCode, err } = await runProgram(["restore", file, "--data", dataDir, "--replace"]);
    expect(err).toStartWith(`Error: Could not restore ${file}: ${reason}`);
    expect(exitCode).toBe(1);
  }
  const fresh = join(directory.path, "fresh");
  for (const args of [[], ["--check"]])
    expect((await runProgram(["restore", file, "--data", fresh, ...args])).exitCode).toBe(1);
  expect(existsSync(fresh)).toBe(false);
  expect(treeOf(dataDir)).toEqual(before);
});

test("data that is there is replaced only when that is asked for, and is moved aside", async () => {
  await using directory = await createDirectory();
  const otherDir = join(directory.path, "other");
  const file = preparedBackup;
  await runProgram(["user", "create", "other@example.com", "--data", otherDir]);
  const other = tablesOf(join(otherDir, "outreachd.db"));
  const refused = await runProgram(["restore", file, "--data", otherDir]);
  expect(refused.exitCode).toBe(1);
  expect(refused.err).toContain(`${otherDir} already contains data.`);
  expect(tablesOf(join(otherDir, "outreachd.db"))).toEqual(other);

  type Report = { movedAside: string };
  const { movedAside } = lastOf<Report>(await runProgram(["restore", file, "--data", otherDir, "--replace", "--json"]));
  expect(tablesOf(join(movedAside, "outreachd.db"))).toEqual(other);
  expect(tablesOf(join(otherDir, "outreachd.db"))).toEqual(tablesOf(join(preparedData, "outreachd.db")));

  // As if the swap had been cut off in its middle.
  writeFileSync(join(otherDir, "restore.unfinished"), "");
  const start = await runProgram(["user", "list", "--data", otherDir]);
  expect(start.exitCode).toBe(1);
  expect(start.err).toContain("A restore was interrupted in the data directory");
  lastOf(await runProgram(["restore", file, "--data", otherDir, "--replace", "--json"]));
  expect((await runProgram(["user", "list", "--data", otherDir])).exitCode).toBe(0);
});

test("the audit log tells who made, took and deleted a backup, and what was restored", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  lastOf(await runProgram(["restore", preparedBackup, "--data", dataDir, "--json"]));
  type Entries = { entries: { action: string; via: string; details: object }[] };
  const entriesOf = async (server: Server): Promise<Entries["entries"]> => {
    const { localKey } = JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")) as { localKey: string };
    const answer = await fetch(`${server.api}/audit?action=backup`, { headers: { "x-api-key": localKey } });
    return ((await answer.json()) as { data: Entries }).data.entries;
  };
  for (let start = 0; start < 2; start++) {
    await using server = await startServer(dataDir, { env });
    const [restored, ...others] = await eventually("the restore", async () => {
      const entries = await entriesOf(server);
      return entries.length === 0 ? null : entries;
    });
    expect(restored).toMatchObject({ via: "commandLine", details: { backupOf: expect.any(String), version: "0.1.0" } });
    expect(others).toEqual([]);
    await server.stop();
  }
  await using server = await startServer(dataDir, { env });
  await backupOf(dataDir, join(directory.path, "again.tar.zst"));
  expect((await entriesOf(server)).map(({ action, via }) => [action, via])).toEqual(
    ["backup.deleted", "backup.downloaded", "backup.made", "backup.restored"].map((action) => [action, "commandLine"]),
  );
  await server.stop();
});

testUnless(process.getuid?.() === 0 ? null : "only root may act for others")(
  "what root makes in the data of somebody else is theirs: their server goes on using it",
  async () => {
    await using directory = await createDirectory();
    const dataDir = join(directory.path, "data");
    withData(dataDir);
    for (const name of ["backups", "blobs", "installation-id"])
      rmSync(join(dataDir, name), { recursive: true, force: true });
    const [uid, gid] = [64_000, 64_001];
    for (const name of ["", ...readdirSync(dataDir, { recursive: true }).map(String)])
      chownSync(join(dataDir, name), uid, gid);
    lastOf(await runProgram(["backup", "--data", dataDir, "--json"]));
    const file = join(directory.path, "people.csv");
    writeFileSync(file, "email\ngrace@example.com\n");
    expect((await runProgram(["import", "leads", file, "--data", dataDir])).exitCode).toBe(0);
    const names = readdirSync(dataDir, { recursive: true }).map(String);
    expect(names).toEqual(
      expect.arrayContaining([
        "backups",
        "blobs/imports",
        "installation-id",
        expect.stringMatching(/^backups\/outreachd-/),
      ]),
    );
    const ownerOf = (name: string) => [statSync(join(dataDir, name)).uid, statSync(join(dataDir, name)).gid].join(":");
    expect(names.filter((name) => ownerOf(name) !== `${uid}:${gid}`)).toEqual([]);
  },
);

test("a backup goes to S3, and is restored from there by its name", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server();
  const dataDir = join(directory.path, "data");
  withData(dataDir);
  const settings = {
    OUTREACHD_BACKUP_TO: "s3://backups/team",
    OUTREACHD_BACKUP_S3_ENDPOINT: s3.url,
    OUTREACHD_BACKUP_S3_ACCESS_KEY_ID: s3.accessKeyId,
    OUTREACHD_BACKUP_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  const { name } = lastOf<{ name: string }>(
    await runProgram(["backup", "--data", dataDir, "--json"], { env: settings }),
  );
  expect([...s3.objects.keys()]).toEqual([`team/${name}`]);
  const restoredDir = join(directory.path, "restored");
  lastOf(await runProgram(["restore", name, "--data", restoredDir, "--json"], { env: settings }));
  expect(tablesOf(join(restoredDir, "outreachd.db"))).toEqual(tablesOf(join(dataDir, "outreachd.db")));
  const absent = await runProgram(["restore", "outreachd-20260105T100000000Z.tar.zst", "--data", restoredDir], {
    env: settings,
  });
  expect(absent.err).toContain("outreachd-20260105T100000000Z.tar.zst not found, neither here nor in s3://");
  expect(absent.err).toContain("comes from the settings of this command");
  expect(absent.err).toContain("set its destination with --backup-to");
});

test("while a backup is restored, the address of the server answers that it is in maintenance", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server();
  const dataDir = join(directory.path, "data");
  withData(dataDir);
  const address = freeAddress();
  const settings = {
    OUTREACHD_LISTEN: address,
    OUTREACHD_BACKUP_TO: "s3://backups/team",
    OUTREACHD_BACKUP_S3_ENDPOINT: s3.url,
    OUTREACHD_BACKUP_S3_ACCESS_KEY_ID: s3.accessKeyId,
    OUTREACHD_BACKUP_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  const { name } = lastOf<{ name: string }>(
    await runProgram(["backup", "--data", dataDir, "--json"], { env: settings }),
  );
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  s3.faults.delay = async (method, url) => {
    if (method !== "GET" || !url.pathname.endsWith(name)) return;
    asked.resolve();
    await goOn.promise;
  };
  const restoring = runProgram(["restore", name, "--data", dataDir, "--replace"], { env: settings });
  await asked.promise;
  await eventually("an answer", () => fetch(`http://${address}/healthz`).catch(() => null));
  const ask = async (path: string) => {
    const response = await fetch(`http://${address}${path}`, { method: path === "/api/v2/leads" ? "POST" : "GET" });
    const body = (await response.json()) as { status?: string; code?: string; message?: string };
    return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
  };
  expect(await ask("/api/v2/health")).toMatchObject({ status: 200, body: { status: "maintenance" } });
  expect(await ask("/healthz")).toMatchObject({ status: 200 });
  for (const path of ["/readyz", "/api/v2/leads", "/"]) {
    const message = expect.stringContaining("a backup is being restored");
    expect(await ask(path)).toMatchObject({
      status: 503,
      retryAfter: "60",
      body: { code: "SERVICE_UNAVAILABLE", message },
    });
  }
  goOn.resolve();
  expect((await restoring).exitCode).toBe(0);
  expect(await fetch(`http://${address}/healthz`).catch(() => "refused")).toBe("refused");
});

/** An address on which nobody listens. */
function freeAddress(): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") });
  const address = server.url.host;
  void server.stop(true);
  return address;
}

testOnSmallDisk("a disk that fills during a backup fails it, and leaves nothing of it behind", async () => {
  await using directory = await createDirectory();
  await using disk = mountSmallDisk(2 * 2 ** 20);
  const dataDir = join(directory.path, "data");
  withNoise(dataDir, 12 * 2 ** 20);
  const to = join(disk.path, "backups");
  const { exitCode, err } = await runProgram(["backup", "--data", dataDir], { env: { OUTREACHD_BACKUP_TO: to } });
  expect(err).toContain("Error: Backup failed: the disk is full");
  expect(exitCode).toBe(1);
  expect(readdirSync(to)).toEqual([]);
  expect(readdirSync(dataDir).filter((name) => name.includes("snapshot"))).toEqual([]);
  expect(toldOf(dataDir).at(-1)).toEqual(["backup.failed", expect.stringMatching(/^Backup failed: the disk is full/)]);
});

test("a backup that is killed together with its server is told by the next one", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  withNoise(dataDir, 64 * 2 ** 20);
  {
    await using server = await startServer(dataDir, { env });
    const { localKey } = JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")) as { localKey: string };
    expect(await post(server, localKey, "/backups", {})).toBe(202);
    await eventually("the archive to grow", async () =>
      readdirSync(join(dataDir, "backups")).some((name) => name.endsWith(".part")) ? true : null,
    );
    await server.stop("SIGKILL");
  }
  const before = toldOf(dataDir).length;
  await using server = await startServer(dataDir, { env });
  const ends = await eventually("its end", async () => {
    const ends = toldOf(dataDir).slice(before);
    return ends.length === 0 ? null : ends;
  });
  expect(ends).toEqual([["backup.failed", "Backup failed: the server stopped before it was completed."]]);
  await server.stop();
});

testOnSmallDisk("a data disk without room for the copy fails the backup before it writes anything", async () => {
  await using directory = await createDirectory();
  await using disk = mountSmallDisk(32 * 2 ** 20);
  const dataDir = join(disk.path, "data");
  withNoise(dataDir, 2 ** 20);
  const to = join(directory.path, "backups");
  const { exitCode, err } = await runProgram(["backup", "--data", dataDir], { env: { OUTREACHD_BACKUP_TO: to } });
  expect(err).toMatch(
    /Backup failed: the disk is full \(the copy of the database needs \d+ MB beside \d+ MB that are left free, and \d+ MB are free/,
  );
  expect(exitCode).toBe(1);
  expect(readdirSync(to)).toEqual([]);
});

testOnSmallDisk("a disk that fills during a restore leaves the data as it was", async () => {
  await using directory = await createDirectory();
  await using disk = mountSmallDisk(10 * 2 ** 20);
  const large = join(directory.path, "large");
  withNoise(large, 8 * 2 ** 20);
  const file = join(directory.path, "backup.tar.zst");
  await backupOf(large, file);
  const dataDir = join(disk.path, "data");
  withData(dataDir);
  const before = treeOf(dataDir);
  await disk.fill(2 ** 20);
  const { exitCode, err } = await runProgram(["restore", file, "--data", dataDir, "--replace"]);
  expect(err).toMatch(/Could not restore .*: its outreachd\.db needs \d+ bytes, but only \d+ are free on the disk of /);
  expect(exitCode).toBe(1);
  expect(treeOf(dataDir)).toEqual(before);
});

testAsNobody("a place that the server may not write to does not keep it from starting, and is told", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  mkdirSync(dataDir);
  chownSync(dataDir, 65534, 65534);
  chmodSync(directory.path, 0o755);
  const to = join(directory.path, "backups");
  await using server = await startServer(dataDir, { through: asNobody, env: { ...env, OUTREACHD_BACKUP_TO: to } });
  const headers = { "x-api-key": server.firstRun!.key };
  const words = `The backup destination ${to} is unavailable: the disk or a file on it is not writable`;
  const { data } = (await (await fetch(`${server.api}/backups`, { headers })).json()) as { data: { problem: string } };
  expect(data.problem).toContain(words);
  await server.stop();
});

test("a new version copies the database before it migrates it", async () => {
  await using directory = await createDirectory();
  {
    using database = openDatabase(join(directory.path, "outreachd.db"));
    migrate(database, migrations.slice(0, -1), 1);
  }
  await using server = await startServer(directory.path, { env });
  const copies = readdirSync(join(directory.path, "backups"));
  const shown = (at: number) => String(migrations.at(at)!.number).padStart(4, "0");
  expect(copies).toHaveLength(1);
  expect(copies[0]).toMatch(new RegExp(`^before-upgrade-${shown(-2)}-to-${shown(-1)}-\\d{8}T\\d{9}Z\\.db$`));
  const { log } = await server.stop();
  expect(log).toContain("copied the database before upgrading it");
});

test("the doctor finds nothing wrong with a server that runs, and names what is wrong without one", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  {
    await using server = await startServer(dataDir, { env });
    const { exitCode, out } = await runProgram(["doctor", "--data", dataDir]);
    expect(out).toContain(`✓ Process ${server.pid} is serving at ${server.url}.`);
    expect(out).toContain("0 problems");
    expect(exitCode).toBe(0);
    await server.stop();
  }
  chmodSync(dataDir, 0o755);
  const damaged = await runProgram(["doctor", "--data", dataDir, "--json"]);
  expect(damaged.exitCode).toBe(0);
  expect(JSON.parse(damaged.out)).toMatchObject({
    ok: true,
    findings: expect.arrayContaining([
      expect.objectContaining({
        check: "permissions",
        state: "warning",
        hint: `Fix it with: chmod 700 ${dataDir}`,
      }),
    ]),
  });
  const bytes = readFileSync(join(dataDir, "outreachd.db"));
  bytes.fill(0x55, 8192, 20_000);
  writeFileSync(join(dataDir, "outreachd.db"), bytes);
  const { exitCode, out } = await runProgram(["doctor", "--data", dataDir]);
  expect(out).toContain("✗ The database");
  expect(out).toContain("outreachd restore FILE --replace");
  expect(exitCode).toBe(1);
  expect((await runProgram(["doctor", "--data", join(directory.path, "none")])).exitCode).toBe(1);
});

test("the doctor asks the hosts that are configured whether they answer", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  withData(dataDir);
  const vendor = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("no", { status: 404 }) });
  const closed = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const nowhere = closed.url.origin;
  await closed.stop(true);
  const settings = { OUTREACHD_POCKET_TTS_URL: vendor.url.origin, OUTREACHD_XTTS_URL: nowhere };
  const { exitCode, out } = await runProgram(["doctor", "--data", dataDir], { env: settings });
  await vendor.stop(true);
  expect(out).toContain(
    `✓ According to the settings of this command: The voice engine pocket-tts responds at ${vendor.url.origin}`,
  );
  expect(out).toContain(
    `✗ According to the settings of this command: The voice engine xtts is unreachable at ${nowhere}`,
  );
  expect(exitCode).toBe(1);
});

/** What was told of backups: types and reasons. */
function toldOf(dataDir: string): unknown[] {
  using database = openLiveDatabase(dataDir, { readonly: true });
  return database.query("SELECT type, data ->> 'reason' FROM events WHERE type LIKE 'backup.%' ORDER BY seq").values();
}

/** Rows that do not compress. */
function withNoise(dataDir: string, bytes: number): void {
  withData(dataDir);
  using database = openDatabase(join(dataDir, "outreachd.db"));
  database.run("UPDATE leads SET notes = hex(randomblob(?))", [bytes / 4]);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** A clone of two recordings, the second one of which is not there. */
function insertVoice(path: string): void {
  using database = openDatabase(path);
  const { id } = database.query<{ id: string }, []>("SELECT id FROM workspaces").get()!;
  database.run(
    "INSERT INTO jobs (id, workspace_id, type, status, message, metadata, payload, run_at, max_attempts, created_at, updated_at) VALUES ('j1', ?, 'voice_training', 'completed', '', '{}', '{}', 0, 1, 0, 0)",
    [id],
  );
  database.run(
    "INSERT INTO voice_clones (id, workspace_id, name, description, labels, settings, is_active, engine, job_id, created_at, updated_at) VALUES ('c1', ?, 'Ada', '', '{}', '{}', 1, 'local', 'j1', 0, 0)",
    [id],
  );
  for (const sample of ["s1", "s2"])
    database.run(
      "INSERT INTO voice_samples (id, clone_id, file_name, format, bytes, sha256, has_original, derived_bytes, created_at) VALUES (?, 'c1', '', 'wav', 1, '', 1, 0, 0)",
      [sample],
    );
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** What lies in a directory, with a hash of each file; the lock is nobody's data. */
function treeOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes("lock.db"));
  return Object.fromEntries(paths.toSorted().map((path) => [path, String(Bun.hash(readFileSync(path)))]));
}
