import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/jobs/model.ts";
import type { JobClaim } from "../../src/jobs/store.ts";
import { actionStates, taskOutcomes, type ActionState } from "../../src/network/model.ts";
import type { ActionEnd, TaskEnd } from "../../src/network/store.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { claimJob, claimJobs, claimOf, createFactories } from "../support/factories.ts";

const minute = 60_000;
const at = startOfTests + 9;
const endStates = ["done", "skipped", "failed", "unknown", "awaiting"] as const;
const endOf = (state: ActionState): ActionEnd => ({ state, message: "It ended", metadata: { outcome: state }, at });
const postponement = {
  runAt: startOfTests + 5 * minute,
  message: "Later",
  metadata: { pendingReason: "cooldown" },
  at,
};

describe.each(engines)("network actions on $name", ({ open }) => {
  describe("the mark before sending", () => {
    test("is set once for a claim that holds", async () => {
      await using opened = await open();
      const { storage, job } = await withClaimedAction(opened.storage);
      expect(await storage.network.markSending(claimOf(job), at)).toEqual({ kind: "marked" });
      expect(await storage.network.action(job.id)).toMatchObject({ state: "sending", updatedAt: at });
      expect(await storage.network.markSending(claimOf(job), at)).toEqual({ kind: "void" });
    });

    test("is set for one of two that ask at once", async () => {
      await using opened = await open();
      const { storage, job } = await withClaimedAction(opened.storage);
      const marks = await Promise.all([0, 1].map(() => storage.network.markSending(claimOf(job), at)));
      expect(marks.map(({ kind }) => kind)).toEqual(["marked", "void"]);
    });

    test("is there after the process was killed, and whoever claims the job then can't set it", async () => {
      await using opened = await open();
      const { job } = await withClaimedAction(opened.storage);
      await opened.storage.network.markSending(claimOf(job), at);
      const storage = await opened.reopen();
      expect(await storage.network.action(job.id)).toMatchObject({ state: "sending" });
      const again = await claimJob(storage, startOfTests + 1);
      expect(await storage.network.markSending(claimOf(again), at)).toEqual({ kind: "void" });
    });

    test("waits for the account's shortest gap behind its last action, and tells until when", async () => {
      await using opened = await open();
      const { storage, job, make, account } = await withClaimedAction(opened.storage);
      await storage.network.markSending(claimOf(job), at);
      await make.scheduledJob(storage, account, { gapMs: 0 });
      const next = await claimJob(storage);
      const freeAt = at + account.minGapSeconds * 1000;
      for (const now of [at, freeAt - 1])
        expect(await storage.network.markSending(claimOf(next), now)).toEqual({ kind: "tooSoon", freeAt });
      expect(await storage.network.action(next.id)).toMatchObject({ state: "scheduled", updatedAt: startOfTests });
      expect(await storage.network.markSending(claimOf(next), freeAt)).toEqual({ kind: "marked" });
    });

    test("does not wait for the actions of another account", async () => {
      await using opened = await open();
      const { storage, job, make, account } = await withClaimedAction(opened.storage);
      const second = make.account(account.userId);
      await storage.network.insertAccount(second);
      await storage.network.markSending(claimOf(job), at);
      await make.scheduledJob(storage, second);
      expect(await storage.network.markSending(claimOf(await claimJob(storage)), at)).toEqual({ kind: "marked" });
    });

    test("waits also when the process was killed behind the last action", async () => {
      await using opened = await open();
      const { job, make, account } = await withClaimedAction(opened.storage);
      await opened.storage.network.markSending(claimOf(job), at);
      await opened.storage.network.endAction(claimOf(job), endOf("done"));
      await make.scheduledJob(opened.storage, account, { gapMs: 0 });
      const storage = await opened.reopen();
      const outcome = await storage.network.markSending(claimOf(await claimJob(storage)), at + 1);
      expect(outcome).toEqual({ kind: "tooSoon", freeAt: at + account.minGapSeconds * 1000 });
    });

    test.each(endStates)("is not set on an action that is %s", async (state) => {
      await using opened = await open();
      const { storage, job } = await withClaimedAction(opened.storage);
      await storage.network.endAction(claimOf(job), endOf(state));
      expect(await storage.network.markSending(claimOf(job), at)).toEqual({ kind: "void" });
      expect(await storage.network.action(job.id)).toMatchObject({ state });
    });

    test("is not set on a cancelled action, nor on a job without one", async () => {
      await using opened = await open();
      const { storage, job, make } = await withClaimedAction(opened.storage);
      await storage.jobs.cancel(job.userId, job.id, at);
      expect(await storage.network.markSending(claimOf(job), at)).toEqual({ kind: "void" });
      await make.storedJob(storage, job.userId);
      expect(await storage.network.markSending(claimOf(await claimJob(storage)), at)).toEqual({ kind: "void" });
      expect(await storage.network.markSending({ id: "nothing", attempt: 1 }, at)).toEqual({ kind: "void" });
    });
  });

  describe("a void claim", () => {
    const writes: [string, (storage: Storage, claim: JobClaim) => Promise<boolean>][] = [
      ["marks nothing", async (storage, claim) => (await storage.network.markSending(claim, at)).kind !== "void"],
      ["postpones nothing", (storage, claim) => storage.network.postpone(claim, postponement)],
      ["ends nothing as done", (storage, claim) => storage.network.endAction(claim, endOf("done"))],
      ["ends nothing as awaiting", (storage, claim) => storage.network.endAction(claim, endOf("awaiting"))],
    ];

    test.each(writes)("%s once another runner has the job", async (_what, write) => {
      await using opened = await open();
      const { storage, job } = await withClaimedAction(opened.storage);
      const taken = await claimJob(storage, startOfTests + 2 * minute);
      expect(await write(storage, claimOf(job))).toBe(false);
      expect(await storage.jobs.get(job.userId, job.id)).toEqual(taken);
      expect(await storage.network.action(job.id)).toMatchObject({ state: "scheduled", updatedAt: startOfTests });
    });

    test.each(writes)("%s once the job was cancelled", async (_what, write) => {
      await using opened = await open();
      const { storage, job } = await withClaimedAction(opened.storage);
      await storage.jobs.cancel(job.userId, job.id, startOfTests + 1);
      const before = await storage.jobs.get(job.userId, job.id);
      expect(await write(storage, claimOf(job))).toBe(false);
      expect(await storage.jobs.get(job.userId, job.id)).toEqual(before);
      expect(await storage.network.action(job.id)).toMatchObject({ state: "cancelled" });
    });

    test.each(writes)("%s once the action waits for a person", async (_what, write) => {
      await using opened = await open();
      const { storage, job } = await withClaimedAction(opened.storage);
      await storage.network.endAction(claimOf(job), endOf("awaiting"));
      const before = await storage.jobs.get(job.userId, job.id);
      expect(await write(storage, claimOf(job))).toBe(false);
      expect(await storage.jobs.get(job.userId, job.id)).toEqual(before);
      expect(await storage.network.action(job.id)).toMatchObject({ state: "awaiting" });
    });
  });

  test("a postponed action is scheduled again at the new moment, which costs no attempt", async () => {
    await using opened = await open();
    const { storage, job } = await withClaimedAction(opened.storage);
    await storage.network.markSending(claimOf(job), startOfTests);
    expect(await storage.network.postpone(claimOf(job), postponement)).toBe(true);
    const stored = await storage.jobs.get(job.userId, job.id);
    expect(stored).toMatchObject({
      status: "pending",
      runAt: postponement.runAt,
      message: "Later",
      leaseUntil: null,
      updatedAt: at,
    });
    expect(stored?.metadata).toEqual({ ...job.metadata, pendingReason: "cooldown" });
    expect(stored).toMatchObject({ maxAttempts: job.maxAttempts, failures: job.failures });
    expect(await storage.network.action(job.id)).toMatchObject({ state: "scheduled", updatedAt: at });
    expect(await claimJobs(storage, postponement.runAt - 1)).toEqual([]);
    const again = await claimJob(storage, postponement.runAt);
    expect(await storage.network.markSending(claimOf(again), postponement.runAt)).toEqual({ kind: "marked" });
  });

  test.each<[(typeof endStates)[number], Partial<Job>]>([
    ["done", { status: "completed", progress: 100, completedAt: at }],
    ["skipped", { status: "completed", progress: 100, completedAt: at }],
    ["failed", { status: "failed", completedAt: at }],
    ["unknown", { status: "failed", completedAt: at }],
    ["awaiting", { status: "running" }],
  ])("an action that ends as %s takes its job with it", async (state, change) => {
    await using opened = await open();
    const { storage, job } = await withClaimedAction(opened.storage);
    await storage.network.markSending(claimOf(job), startOfTests);
    expect(await storage.network.endAction(claimOf(job), endOf(state))).toBe(true);
    const ended = {
      ...job,
      ...change,
      leaseUntil: null,
      message: "It ended",
      metadata: { ...job.metadata, outcome: state },
      updatedAt: at,
    };
    expect(await storage.jobs.get(job.userId, job.id)).toEqual(ended);
    expect(await storage.network.action(job.id)).toMatchObject({ state, updatedAt: at });
    expect(await claimJobs(storage, startOfTests + 1e6 * minute)).toEqual([]);
  });

  test("ends and postponements are there after the process was killed", async () => {
    await using opened = await open();
    const { job, make, account } = await withClaimedAction(opened.storage);
    await opened.storage.network.endAction(claimOf(job), endOf("awaiting"));
    await make.scheduledJob(opened.storage, account, { gapMs: 0 });
    const second = await claimJob(opened.storage);
    await opened.storage.network.postpone(claimOf(second), postponement);
    const storage = await opened.reopen();
    expect(await storage.network.action(job.id)).toMatchObject({ state: "awaiting" });
    expect(await storage.jobs.get(job.userId, job.id)).toMatchObject({ status: "running", leaseUntil: null });
    expect(await storage.jobs.get(job.userId, second.id)).toMatchObject({
      status: "pending",
      runAt: postponement.runAt,
    });
  });

  test("a job without an action has none", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const job = await make.storedJob(opened.storage, user.id);
    expect(await opened.storage.network.action(job.id)).toBeNull();
    expect(await opened.storage.network.action("nothing")).toBeNull();
  });

  describe("tasks for a person", () => {
    test("are listed longest waiting first, ties by id, at most as many as asked for, to their owner only", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user, account } = await make.storedUser(storage);
      const stranger = await make.storedUser(storage);
      const waitingSince = [5, 3, 3, 9].map((ms) => startOfTests + ms);
      const ids: string[] = [];
      for (const since of waitingSince) {
        const { id } = await make.scheduledJob(storage, account, { gapMs: 0 });
        await storage.network.endAction(claimOf(await claimJob(storage)), { ...endOf("awaiting"), at: since });
        ids.push(id);
      }
      await make.scheduledJob(storage, account, { gapMs: 0 });
      const expected = [1, 2, 0, 3].map((index) => ids[index]!);
      const list = async (limit: number, offset: number) =>
        (await storage.network.awaiting(user.id, limit, offset)).map(({ jobId }) => jobId);
      expect(await list(10, 0)).toEqual(expected);
      expect([await list(3, 0), await list(3, 3), await list(3, 6)]).toEqual([
        expected.slice(0, 3),
        expected.slice(3),
        [],
      ]);
      expect(await storage.network.countAwaiting(user.id)).toBe(4);
      expect(await storage.network.awaiting(stranger.user.id, 10, 0)).toEqual([]);
      expect(await storage.network.countAwaiting(stranger.user.id)).toBe(0);
    });

    test.each(taskOutcomes)("end as %s by a person's word, once", async (outcome) => {
      await using opened = await open();
      const { storage, job } = await withAwaitingAction(opened.storage);
      const before = await storage.jobs.get(job.userId, job.id);
      const status = outcome === "failed" ? "failed" : "completed";
      const ended = {
        ...before!,
        status,
        progress: outcome === "failed" ? 0 : 100,
        message: "By hand",
        metadata: { ...before!.metadata, note: "ok" },
        completedAt: at,
        updatedAt: at,
      } as const;
      expect(await storage.network.endTask(taskEnd(job, { outcome }))).toEqual({ kind: "ended", job: ended });
      expect(await storage.jobs.get(job.userId, job.id)).toEqual(ended);
      expect(await storage.network.action(job.id)).toMatchObject({ state: outcome, updatedAt: at });
      expect(await storage.network.countAwaiting(job.userId)).toBe(0);
      expect(await storage.network.endTask(taskEnd(job, { outcome: "done" }))).toEqual({
        kind: "refused",
        state: outcome,
      });
    });

    test("end once when two persons report them at once", async () => {
      await using opened = await open();
      const { storage, job } = await withAwaitingAction(opened.storage);
      const ends = await Promise.all(
        [taskEnd(job), taskEnd(job, { outcome: "failed" })].map((end) => storage.network.endTask(end)),
      );
      expect(ends.map(({ kind }) => kind)).toEqual(["ended", "refused"]);
      expect(await storage.network.action(job.id)).toMatchObject({ state: "done" });
    });

    test("of somebody else, or that do not exist, are absent", async () => {
      await using opened = await open();
      const { storage, job, make } = await withAwaitingAction(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      expect(await storage.network.endTask(taskEnd(job, { userId: stranger }))).toEqual({ kind: "absent" });
      expect(await storage.network.endTask(taskEnd(job, { jobId: "nothing" }))).toEqual({ kind: "absent" });
      expect(await storage.network.action(job.id)).toMatchObject({ state: "awaiting" });
      expect(await storage.jobs.get(job.userId, job.id)).toMatchObject({ status: "running" });
    });

    test.each(actionStates.filter((state) => state !== "awaiting"))(
      "are refused while the action is %s",
      async (state) => {
        await using opened = await open();
        const { storage, job } = await withClaimedAction(opened.storage);
        if (state === "cancelled") await storage.jobs.cancel(job.userId, job.id, startOfTests);
        else if (state === "sending") await storage.network.markSending(claimOf(job), startOfTests);
        else if (state !== "scheduled") await storage.network.endAction(claimOf(job), endOf(state));
        const before = await storage.jobs.get(job.userId, job.id);
        expect(await storage.network.endTask(taskEnd(job))).toEqual({ kind: "refused", state });
        expect(await storage.jobs.get(job.userId, job.id)).toEqual(before);
      },
    );

    test("that were ended are so after the process was killed", async () => {
      await using opened = await open();
      const { job } = await withAwaitingAction(opened.storage);
      await opened.storage.network.endTask(taskEnd(job));
      const storage = await opened.reopen();
      expect(await storage.network.action(job.id)).toMatchObject({ state: "done" });
      expect(await storage.jobs.get(job.userId, job.id)).toMatchObject({ status: "completed" });
    });
  });
});

/** A user with one action whose job is claimed. */
async function withClaimedAction(storage: Storage) {
  const make = createFactories();
  const { account } = await make.storedUser(storage);
  await make.scheduledJob(storage, account);
  return { storage, make, account, job: await claimJob(storage) };
}

async function withAwaitingAction(storage: Storage) {
  const claimed = await withClaimedAction(storage);
  await storage.network.markSending(claimOf(claimed.job), startOfTests);
  await storage.network.endAction(claimOf(claimed.job), endOf("awaiting"));
  return claimed;
}

function taskEnd(job: Job, overrides: Partial<TaskEnd> = {}): TaskEnd {
  return {
    userId: job.userId,
    jobId: job.id,
    outcome: "done",
    message: "By hand",
    metadata: { note: "ok" },
    at,
    ...overrides,
  };
}
