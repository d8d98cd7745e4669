import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArchiveStore } from "../../src/backup/archive-store.ts";
import { BackupService } from "../../src/backup/service.ts";
import { createArchives } from "../../src/blobs/archives.ts";
import type { Caller } from "../../src/keys/caller.ts";
import { createLog } from "../../src/log.ts";
import { migrate, migrations } from "../../src/storage/sqlite/migrate.ts";
import { openDatabase } from "../../src/storage/sqlite/open.ts";
import { FakeClock } from "../support/clock.ts";

let root: string;
let clock: FakeClock;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-backups-"));
  clock = new FakeClock(Date.parse("2026-01-05T10:00:00.000Z"));
  using database = openDatabase(join(root, "outreachd.db"));
  migrate(database, migrations, clock.now());
});

afterEach(() => rmSync(root, { recursive: true }));

const admin = { userId: "u", keyId: "k", role: "admin" } as unknown as Caller;

function serviceWith(archives: Partial<ArchiveStore> = {}): BackupService {
  const place = { kind: "disk" as const, path: join(root, "backups") };
  return new BackupService({
    archives: { ...createArchives(place), ...archives },
    place,
    schedule: "15 3 * * *",
    keep: 2,
    version: "0.1.0",
    databasePath: join(root, "outreachd.db"),
    blobsPath: join(root, "blobs"),
    clock,
    log: createLog("silent"),
  });
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
  expect((await service.list(admin)).last?.status).toBe("completed");
});
