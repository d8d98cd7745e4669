import { afterEach, beforeEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditService } from "../../src/platform/auth/audit/service.ts";
import type { ArchiveStore } from "../../src/features/backup/archive-store.ts";
import type { ArchivePlace } from "../../src/features/backup/place.ts";
import { BackupService, type BackupParts } from "../../src/features/backup/service.ts";
import type { BackupStore } from "../../src/features/backup/store.ts";
import { createArchives } from "../../src/adapters/blobs/archives.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import type { EmbeddedStorage } from "../../src/adapters/storage/storage.ts";
import { unpack } from "../support/archives.ts";
import { FakeClock } from "../support/clock.ts";
import { eventually } from "../support/service.ts";
import { startS3Server } from "../support/s3-server.ts";

let root: string;
let clock: FakeClock;
let storage: EmbeddedStorage;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-backups-"));
  clock = new FakeClock(Date.parse("2026-01-05T10:00:00.000Z"));
  storage = openSqliteStorage(join(root, "outreachd.db"), clock);
});

afterEach(async () => {
  await storage.close();
  rmSync(root, { recursive: true });
});

const admin = { workspaceId: "u", keyId: "k", role: "admin" } as unknown as Caller;

function serviceWith(
  archives: Partial<ArchiveStore> = {},
  store: BackupStore = storage.backups,
  own: Partial<BackupParts> = {},
): BackupService {
  const place = own.place ?? { kind: "disk" as const, path: join(root, "backups") };
  return new BackupService({
    store,
    audit: new AuditService(storage.audit, clock, 0, createLog("silent")),
    archives: { ...createArchives(place), ...archives },
    place,
    node: "node",
    installation: "0a1b2c3d",
    ownFolder: join(root, "backups"),
    schedule: "15 3 * * *",
    keep: 2,
    version: "0.1.0",
    databasePath: join(root, "outreachd.db"),
    server: null,
    files: { kind: "disk", path: join(root, "blobs") },
    clock,
    log: createLog("silent"),
    ...own,
  });
}

async function told(): Promise<{ type: string; data: object }[]> {
  const all = { filter: {}, after: null, before: null, newestFirst: false, limit: 10 };
  return (await storage.events.page({ scopes: [null], ...all })).map(({ type, data }) => ({ type, data }));
}

const namesOf = async (service: BackupService) => (await service.list(admin)).backups.map(({ name }) => name);

test("each turn of the schedule makes one, and the newest are kept", async () => {
  const service = serviceWith();
  for (let turn = 0; turn < 3; turn++) {
    await service.runScheduled();
    clock.advance(86_400_000);
  }
  expect(await namesOf(service)).toEqual([
    "outreachd-20260107T100000000Z-0a1b2c3d.tar.zst",
    "outreachd-20260106T100000000Z-0a1b2c3d.tar.zst",
  ]);
});

const nameless = ["20260101", "20260102", "20260103"].map((day) => `outreachd-${day}T100000000Z.tar.zst`);
const namelessStay = "Complete; kept 3 without a server ID; delete them manually";

async function putNameless(archives: ArchiveStore): Promise<void> {
  for (const name of nameless) {
    const sink = await archives.create(name);
    await sink.write(new Uint8Array(10));
    await sink.complete();
  }
}

const sharedPlaces: Record<string, () => { place: ArchivePlace; end: () => unknown }> = {
  "a directory": () => ({ place: { kind: "disk", path: join(root, "nas") }, end: () => null }),
  "an S3 bucket": () => {
    const { bucket, url: endpoint, accessKeyId, secretAccessKey, stop } = startS3Server();
    const keys = { accessKeyId, secretAccessKey };
    return { place: { kind: "s3", bucket, prefix: "team", endpoint, region: "eu-central-1", ...keys }, end: stop };
  },
};

test.each(Object.entries(sharedPlaces))("servers that share %s delete nothing of each other", async (_, open) => {
  const { place, end } = open();
  await putNameless(createArchives(place));
  const databasePath = join(root, "other.db");
  const otherStorage = openSqliteStorage(databasePath, clock);
  const one = serviceWith({}, storage.backups, { place });
  const theirs = { place, installation: "ffffffff", ownFolder: join(root, "other/backups"), databasePath };
  const other = serviceWith({}, otherStorage.backups, theirs);
  for (let turn = 0; turn < 3; turn++) {
    await Promise.all([one.runScheduled(), other.runScheduled()]);
    clock.advance(86_400_000);
  }
  const { backups, last } = await one.list(admin);
  expect(backups.map(({ name, isOwn }) => [name.slice("outreachd-".length, -".tar.zst".length), isOwn])).toEqual([
    ["20260107T100000000Z-ffffffff", false],
    ["20260107T100000000Z-0a1b2c3d", true],
    ["20260106T100000000Z-ffffffff", false],
    ["20260106T100000000Z-0a1b2c3d", true],
    ["20260103T100000000Z", false],
    ["20260102T100000000Z", false],
    ["20260101T100000000Z", false],
  ]);
  expect([last?.message, (await other.list(admin)).last?.message]).toEqual([namelessStay, namelessStay]);
  for (const { name } of backups) await one.remove(admin, name);
  expect(await namesOf(one)).toEqual([]);
  await otherStorage.close();
  await end();
});

test("a backup that is being made survives one that another server begins and ends in the same place", async () => {
  const databasePath = join(root, "other.db");
  const otherStorage = openSqliteStorage(databasePath, clock);
  // At the pace of backups the copying of so much takes longer than all of a small one.
  const database = new Database(databasePath);
  database.run("CREATE TABLE noise AS SELECT randomblob(60000000) AS bytes");
  database.close();
  const other = serviceWith({}, otherStorage.backups, { installation: "ffffffff", databasePath });
  const { name } = await other.start(admin, true);
  await eventually("its beginning", async () => existsSync(join(root, "backups", `${name}.part`)) || null);
  await serviceWith().runScheduled();
  const last = await eventually("its end", async () => (await other.list(admin)).last);
  expect(last).toMatchObject({ name, status: "completed", message: "Complete" });
  expect(await namesOf(other)).toEqual([name, "outreachd-20260105T100000000Z-0a1b2c3d.tar.zst"]);
  await otherStorage.close();
});

test("names without an id count as own in the data directory's folder, but not where a link leads", async () => {
  const place = { kind: "disk" as const, path: join(root, "backups") };
  await putNameless(createArchives(place));
  await serviceWith().runScheduled();
  expect(await namesOf(serviceWith())).toEqual(["outreachd-20260105T100000000Z-0a1b2c3d.tar.zst", nameless[2]!]);

  await putNameless(createArchives({ kind: "disk", path: join(root, "nas") }));
  const dataDir = join(root, "linked");
  mkdirSync(dataDir);
  symlinkSync(join(root, "nas"), join(dataDir, "backups"));
  const ownFolder = join(dataDir, "backups");
  const linked = { ownFolder, place: { kind: "disk" as const, path: ownFolder } };
  const service = serviceWith({}, storage.backups, linked);
  await service.runScheduled();
  expect((await service.list(admin)).last?.message).toBe(namelessStay);
  expect(await namesOf(service)).toHaveLength(4);
});

test("while one is being made another is refused, and a turn of the schedule makes none", async () => {
  const service = serviceWith();
  const { name } = await service.start(admin, true);
  clock.advance(1000);
  expect(service.start(admin, true)).rejects.toThrow(`Backup ${name} is already running`);
  await service.runScheduled();
  expect((await service.list(admin)).running).toMatchObject({ name, status: "running" });
  await service.stop();
});

test("a server that stops breaks off what is being made, and begins none", async () => {
  const service = serviceWith();
  const { name } = await service.start(admin, true);
  await service.stop();
  expect((await service.list(admin)).last).toMatchObject({ name, status: "failed" });
  expect(await told()).toMatchObject([{ type: "backup.failed", data: { name } }]);
  expect(await namesOf(service)).toEqual([]);
  expect(service.start(admin, true)).rejects.toThrow("The server is stopping");
});

test("a backup is complete even when older ones can't be deleted", async () => {
  const service = serviceWith({
    remove: async () => {
      throw new Error("Not allowed");
    },
  });
  for (let turn = 0; turn < 3; turn++) {
    await service.runScheduled();
    clock.advance(1000);
  }
  expect((await service.list(admin)).last).toMatchObject({
    status: "completed",
    message: "Complete; older backups could not be deleted; see the log for the reason",
  });
});

test("a turn of the schedule that fails is told, and the next one works", async () => {
  let isBroken = true;
  const service = serviceWith({
    sweep: async () => {
      if (isBroken) throw Object.assign(new Error("write"), { code: "ENOSPC" });
    },
  });
  await service.runScheduled();
  expect((await service.list(admin)).last?.message).toBe(
    "Backup failed: the disk is full (write). Free up disk space or raise the quota.",
  );
  isBroken = false;
  clock.advance(1000);
  await service.runScheduled();
  const { last } = await service.list(admin);
  expect(last?.status).toBe("completed");
  expect(await told()).toEqual([
    {
      type: "backup.failed",
      data: {
        name: "outreachd-20260105T100000000Z-0a1b2c3d.tar.zst",
        reason: "Backup failed: the disk is full (write). Free up disk space or raise the quota.",
      },
    },
    { type: "backup.completed", data: { name: last!.name, bytes: last!.bytes, missing: 0 } },
  ]);
});

test("an end that a full disk keeps from being told is told once there is room, and only then", async () => {
  let isFull = true;
  const onFullDisk = <T>(write: () => Promise<T>): Promise<T> =>
    isFull ? Promise.reject(Object.assign(new Error("write"), { code: "ENOSPC" })) : write();
  const service = serviceWith(
    {},
    {
      begin: (name) => onFullDisk(() => storage.backups.begin(name)),
      end: (end) => onFullDisk(() => storage.backups.end(end)),
      interrupted: (now) => storage.backups.interrupted(now),
      shared: null,
    },
  );
  await service.runScheduled();
  expect((await service.list(admin)).last).toMatchObject({ status: "failed", endedAt: "2026-01-05T10:00:00.000Z" });
  expect(service.storePendingOutcomes()).rejects.toThrow("write");
  expect(await told()).toEqual([]);
  isFull = false;
  for (let turn = 0; turn < 2; turn++) await service.storePendingOutcomes();
  expect(await told()).toMatchObject([{ type: "backup.failed" }]);
});

test("what a process before has begun is told at the next start: made, or cut off", async () => {
  const service = serviceWith();
  await service.runScheduled();
  const [made] = await namesOf(service);
  const { last } = await service.list(admin);
  const lost = "outreachd-20260105T110000000Z.tar.zst";
  for (const name of [made!, lost]) {
    const run = { ...last!, name, status: "running" as const };
    await storage.backups.begin({ run, node: "node", startedAt: clock.now(), scheduledWithinMs: null });
  }
  const next = serviceWith();
  for (let start = 0; start < 2; start++) await next.reportInterrupted();
  expect((await told()).slice(1)).toEqual([
    { type: "backup.completed", data: { name: made, bytes: expect.any(Number), missing: 0 } },
    {
      type: "backup.failed",
      data: { name: lost, reason: "Backup failed: the server stopped before it was completed." },
    },
  ]);
});

test("a start warns of a place that can't be used, and of no other", async () => {
  const lines: string[] = [];
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  await serviceWith({}, storage.backups, { log }).checkDestination();
  expect(lines).toEqual([]);
  const list = async () => {
    throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  };
  await serviceWith({ list }, storage.backups, { log }).checkDestination();
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      level: "warn",
      place: join(root, "backups"),
      problem: expect.stringContaining("a part of that path is a file"),
    }),
  ]);
});

test("a backup does not hold that it was begun itself", async () => {
  const service = serviceWith();
  await service.runScheduled();
  const [name] = await namesOf(service);
  const directory = join(root, "unpacked");
  mkdirSync(directory);
  await unpack(readFileSync(join(root, "backups", name!)), directory);
  const restored = openSqliteStorage(join(directory, "outreachd.db"), clock);
  expect(await restored.backups.interrupted(clock.now())).toEqual([]);
  await restored.close();
});
