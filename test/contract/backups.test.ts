import { describe, expect, test } from "bun:test";
import type { BackupRunView } from "../../src/features/backup/model.ts";
import type { NewRun } from "../../src/features/backup/shared-runs.ts";
import type { BackupEnd } from "../../src/features/backup/store.ts";
import { goneAfterMs } from "../../src/platform/cluster/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";

const name = "outreachd-20260105T100000000Z-0a1b2c3d.tar.zst";

function runOf(change: Partial<BackupRunView> = {}): BackupRunView {
  const started = { name, status: "running" as const, startedAt: "2026-01-05T10:00:00.000Z", endedAt: null };
  return { ...started, progress: 0, bytes: null, missing: [], message: "Copying", ...change };
}

function newRun(change: Partial<NewRun> = {}): NewRun {
  return { run: runOf(), node: "node 1", startedAt: startOfTests, scheduledWithinMs: null, ...change };
}

const endedAt = "2026-01-05T10:01:00.000Z";
const failed: BackupEnd = {
  run: runOf({ status: "failed", endedAt, message: "No room" }),
  event: { type: "backup.failed", workspaceId: null, at: startOfTests, data: { name, reason: "No room" } },
};
const completed: BackupEnd = {
  run: runOf({ status: "completed", endedAt, progress: 100, bytes: 7 }),
  event: { type: "backup.completed", workspaceId: null, at: startOfTests, data: { name, bytes: 7, missing: 0 } },
};

describe.each(enginesAndPostgres)("backups on $name", ({ open }) => {
  test("what was begun is known to the next process, until its end is told", async () => {
    await using opened = await open();
    await opened.storage.backups.begin(newRun());
    const storage = await opened.reopen();
    expect(await storage.backups.interrupted(startOfTests)).toEqual([name]);
    expect(await toldOf(storage)).toEqual([]);
    await storage.backups.end(failed);
    const after = await opened.reopen();
    expect(await after.backups.interrupted(startOfTests)).toEqual([]);
    expect(await toldOf(after)).toEqual([
      { type: "backup.failed", workspaceId: null, data: { name, reason: "No room" } },
    ]);
  });

  test("an end is told, also of what could not be written down at its beginning", async () => {
    await using opened = await open();
    await opened.storage.backups.end(failed);
    expect(await toldOf(opened.storage)).toHaveLength(1);
  });

  test("that a run was interrupted is told once", async () => {
    await using opened = await open();
    const { backups } = opened.storage;
    await backups.begin(newRun());
    for (let n = 0; n < 2; n++) await backups.end({ ...failed, isInterrupted: true });
    expect(await toldOf(opened.storage)).toHaveLength(1);
  });
});

const shared = enginesAndPostgres.filter(({ isSingleWriter }) => !isSingleWriter);

describe.each(shared)("backups of nodes on $name", ({ open }) => {
  test.each(["0a1b2c3d", "12345678", "12e34567", "00000001"])(
    "all find %s as the ID of the installation",
    async (id) => {
      await using opened = await open();
      const { cluster } = opened.storage;
      expect(await cluster!.installationId(id)).toBe(id);
      expect(await cluster!.installationId("ffffffff")).toBe(id);
    },
  );

  test("of nodes that begin at the same moment, one does", async () => {
    await using opened = await open();
    const { backups } = opened.storage;
    const nodes = ["node 1", "node 2", "node 3"];
    const outcomes = await Promise.all(nodes.map((node) => backups.begin(newRun({ node }))));
    expect(outcomes.filter((refusal) => refusal === null)).toHaveLength(1);
    expect(outcomes.filter((refusal) => refusal !== null)).toEqual([
      { kind: "running", name },
      { kind: "running", name },
    ]);
    await backups.end(completed);
    expect(await backups.begin(newRun())).toBeNull();
  });

  test("a turn of the schedule is done once, even if it comes again on a slower clock", async () => {
    await using opened = await open();
    const { backups } = opened.storage;
    const scheduled = (startedAt: number) => newRun({ startedAt, scheduledWithinMs: 3_600_000 });
    expect(await backups.begin(scheduled(startOfTests))).toBeNull();
    await backups.end(completed);
    expect(await backups.begin(scheduled(startOfTests + 30_000))).toEqual({ kind: "done" });
    // One on request is another matter.
    expect(await backups.begin(newRun({ startedAt: startOfTests + 30_000 }))).toBeNull();
    await backups.end(completed);
    expect(await backups.begin(scheduled(startOfTests + 7_200_000))).toBeNull();
  });

  test("every node sees what runs, how far it is, and how the last run ended", async () => {
    await using opened = await open();
    const { backups } = opened.storage;
    expect(await backups.shared!.read()).toEqual({ running: null, last: null, newestAt: null });
    await backups.begin(newRun());
    await backups.shared!.report(name, 42);
    await backups.shared!.report("another", 99);
    expect(await backups.shared!.read()).toMatchObject({ running: { ...runOf(), progress: 42 }, last: null });
    await backups.end(completed);
    const newestAt = Date.parse("2026-01-05T10:00:00.000Z");
    expect(await backups.shared!.read()).toEqual({ running: null, last: completed.run, newestAt });
    await backups.end(failed);
    expect(await backups.shared!.read()).toEqual({ running: null, last: failed.run, newestAt });
  });

  test("a run is interrupted once its node is gone", async () => {
    await using opened = await open();
    const { backups, cluster } = opened.storage;
    const beat = { state: "running", seenAt: startOfTests, clockAheadMs: 0, keysVersion: 0, pool: null } as const;
    const node = { id: "node 1", host: "a", pid: 1, role: "all", version: "1", files: "f", startedAt: 0 } as const;
    await cluster!.join({ ...node, ...beat });
    await backups.begin(newRun());
    expect(await backups.interrupted(startOfTests + goneAfterMs - 1)).toEqual([]);
    expect(await backups.interrupted(startOfTests + goneAfterMs)).toEqual([name]);
  });
});

async function toldOf({ events }: Storage): Promise<object[]> {
  const page = await events.page({
    scopes: [null],
    filter: {},
    after: null,
    before: null,
    newestFirst: false,
    limit: 10,
  });
  return page.map(({ type, workspaceId, data }) => ({ type, workspaceId, data }));
}
