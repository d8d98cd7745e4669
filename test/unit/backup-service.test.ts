import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditService } from "../../src/audit/service.ts";
import type { ArchiveStore } from "../../src/backup/archive-store.ts";
import { BackupService } from "../../src/backup/service.ts";
import type { BackupStore } from "../../src/backup/store.ts";
import { createArchives } from "../../src/blobs/archives.ts";
import type { Caller } from "../../src/keys/caller.ts";
import { createLog } from "../../src/log.ts";
import { openSqliteStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { unpack } from "../support/archives.ts";
import { FakeClock } from "../support/clock.ts";

let root: string;
let clock: FakeClock;
let storage: Storage;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-backups-"));
  clock = new FakeClock(Date.parse("2026-01-05T10:00:00.000Z"));
  storage = openSqliteStorage(join(root, "outreachd.db"), clock);
});

afterEach(async () => {
  await storage.close();
  rmSync(root, { recursive: true });
});

const admin = { userId: "u", keyId: "k", role: "admin" } as unknown as Caller;

function serviceWith(
  archives: Partial<ArchiveStore> = {},
  store: BackupStore = storage.backups,
  log = createLog("silent"),
): BackupService {
  const place = { kind: "disk" as const, path: join(root, "backups") };
  return new BackupService({
    store,
    audit: new AuditService(storage.audit, clock, 0, createLog("silent")),
    archives: { ...createArchives(place), ...archives },
    place,
    schedule: "15 3 * * *",
    keep: 2,
    version: "0.1.0",
    databasePath: join(root, "outreachd.db"),
    blobsPath: join(root, "blobs"),
    clock,
    log,
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
    "outreachd-20260107T100000000Z.tar.zst",
    "outreachd-20260106T100000000Z.tar.zst",
  ]);
});

test("while one is being made another is refused, and a turn of the schedule makes none", async () => {
  const service = serviceWith();
  const { name } = service.start(admin, true);
  clock.advance(1000);
  expect(() => service.start(admin, true)).toThrow(`The backup ${name} is being made`);
  await service.runScheduled();
  expect((await service.list(admin)).running).toMatchObject({ name, status: "running" });
  await service.stop();
});

test("a server that stops breaks off what is being made, and begins none", async () => {
  const service = serviceWith();
  const { name } = service.start(admin, true);
  await service.stop();
  expect((await service.list(admin)).last).toMatchObject({ name, status: "failed" });
  expect(await told()).toMatchObject([{ type: "backup.failed", data: { name } }]);
  expect(await namesOf(service)).toEqual([]);
  expect(() => service.start(admin, true)).toThrow("The server is stopping");
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
    message: "Complete; older ones could not be deleted, the log tells why",
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
    "No backup was made: the disk is full (write). Make room on the disk or raise the quota.",
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
        name: "outreachd-20260105T100000000Z.tar.zst",
        reason: "No backup was made: the disk is full (write). Make room on the disk or raise the quota.",
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
      begun: () => storage.backups.begun(),
    },
  );
  await service.runScheduled();
  expect((await service.list(admin)).last).toMatchObject({ status: "failed", endedAt: "2026-01-05T10:00:00.000Z" });
  expect(service.tellOwed()).rejects.toThrow("write");
  expect(await told()).toEqual([]);
  isFull = false;
  for (let turn = 0; turn < 2; turn++) await service.tellOwed();
  expect(await told()).toMatchObject([{ type: "backup.failed" }]);
});

test("what a process before has begun is told at the next start: made, or cut off", async () => {
  const service = serviceWith();
  await service.runScheduled();
  const [made] = await namesOf(service);
  const lost = "outreachd-20260105T110000000Z.tar.zst";
  for (const name of [made!, lost]) await storage.backups.begin(name);
  const next = serviceWith();
  for (let start = 0; start < 2; start++) await next.tellCutOff();
  expect((await told()).slice(1)).toEqual([
    { type: "backup.completed", data: { name: made, bytes: expect.any(Number), missing: 0 } },
    {
      type: "backup.failed",
      data: { name: lost, reason: "No backup was made: the server ended before it was complete." },
    },
  ]);
});

test("a start warns of a place that can't be used, and of no other", async () => {
  const lines: string[] = [];
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  await serviceWith({}, storage.backups, log).checkPlace();
  expect(lines).toEqual([]);
  const list = async () => {
    throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  };
  await serviceWith({ list }, storage.backups, log).checkPlace();
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
  expect(await restored.backups.begun()).toEqual([]);
  await restored.close();
});
