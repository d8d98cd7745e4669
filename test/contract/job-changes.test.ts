import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { ActionEnd } from "../../src/features/network/queue-model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import {
  actionEnd,
  claimAction,
  claimActions,
  claimJob,
  claimJobs,
  claimOf,
  createFactories,
} from "../support/factories.ts";

const minute = 60_000;
const at = startOfTests + 9;

describe.each(enginesAndPostgres)("changes of jobs by their owners on $name", ({ open, isSingleWriter }) => {
  describe("a cancellation", () => {
    test("ends a pending job as failed, marked as canceled", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId, { metadata: { rows: 1 } });
      const canceled = {
        status: "failed",
        completedAt: at,
        updatedAt: at,
        leaseUntil: null,
        metadata: { rows: 1, canceled: true },
      };
      const change = await storage.jobs.cancel(workspaceId, job.id, at);
      expect(change).toMatchObject({ kind: "changed", job: { ...job, ...canceled, message: "Canceled" } });
      if (change.kind === "changed") expect(await storage.jobs.get(workspaceId, job.id)).toEqual(change.job);
      expect(await claimJobs(storage, startOfTests + minute)).toEqual([]);
    });

    test("of a running job makes the claim of its runner void", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(storage, workspaceId);
      const job = await claimJob(storage);
      expect(await storage.jobs.cancel(workspaceId, job.id, at)).toMatchObject({
        kind: "changed",
        job: { status: "failed", leaseUntil: null },
      });
      expect(await storage.jobs.renew([claimOf(job)], at + minute)).toEqual([job.id]);
      expect(await storage.jobs.end(claimOf(job), { kind: "completed", message: "Done", metadata: {}, at })).toBe(
        false,
      );
      expect(await storage.jobs.get(workspaceId, job.id)).toMatchObject({ status: "failed", message: "Canceled" });
      expect(await claimJobs(storage, startOfTests + 10 * minute)).toEqual([]);
    });

    test.each(["completed", "failed"] as const)("of a job that has %s is refused", async (status) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId, { status });
      expect(await storage.jobs.cancel(workspaceId, job.id, at)).toEqual({ kind: "refused", job });
      expect(await storage.jobs.get(workspaceId, job.id)).toEqual(job);
    });

    test("of an action that is scheduled ends the action too, so that it can be scheduled anew", async () => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      const job = await make.scheduledJob(storage, account);
      expect((await storage.jobs.cancel(workspaceId, job.id, at)).kind).toBe("changed");
      const { action } = (await storage.network.action(workspaceId, job.id))!;
      expect(action).toMatchObject({ state: "canceled", slotAt: null, updatedAt: at });
      const again = make.actionRequest(account, { action: { profileUrl: action.profileUrl } });
      expect((await storage.network.schedule(again, false)).kind).toBe("scheduled");
    });

    test("of an action that is being sent is refused, also when its runner may be dead", async () => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      await make.scheduledJob(storage, account);
      const { job } = await claimAction(storage);
      for (const moment of [at, startOfTests + 10 * minute])
        expect((await storage.jobs.cancel(workspaceId, job.id, moment)).kind).toBe("refused");
      expect(await storage.network.endAction(claimOf(job), actionEnd())).toBe(true);
    });

    test("of an action that waits for a person takes it off the task list", async () => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      await make.scheduledJob(storage, account);
      const { job } = await claimAction(storage);
      await storage.network.delegate(claimOf(job), { to: "person", reference: null, checkAt: null, message: "", at });
      expect(await storage.network.countTasks(workspaceId)).toBe(1);
      expect(await storage.jobs.cancel(workspaceId, job.id, at)).toMatchObject({
        kind: "changed",
        job: { status: "failed" },
      });
      expect(await storage.network.countTasks(workspaceId)).toBe(0);
      const report = await storage.network.endDelegated(workspaceId, job.id, ["awaitingPerson"], actionEnd());
      expect(report).toMatchObject({ kind: "refused", action: { state: "canceled" } });
    });
  });

  describe("a retry", () => {
    test("sets a failed job to pending, due at once, with nothing of its end left", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId, {
        status: "failed",
        attempt: 3,
        completedAt: startOfTests,
        metadata: { rows: 1 },
      });
      const change = await storage.jobs.retry(workspaceId, job.id, at);
      const pending = {
        status: "pending",
        runAt: at,
        attempt: 3,
        leaseUntil: null,
        completedAt: null,
        updatedAt: at,
        metadata: { rows: 1 },
      };
      expect(change).toMatchObject({ kind: "changed", job: pending });
      if (change.kind === "changed") expect(await storage.jobs.get(workspaceId, job.id)).toEqual(change.job);
      expect(await claimJobs(storage, at - 1)).toEqual([]);
      expect((await claimJob(storage, at)).attempt).toBe(4);
    });

    test("of a canceled job takes the mark away", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId);
      await storage.jobs.cancel(workspaceId, job.id, at);
      const change = await storage.jobs.retry(workspaceId, job.id, at);
      expect(change).toMatchObject({ kind: "changed", job: { status: "pending", metadata: {} } });
      expect((await storage.jobs.get(workspaceId, job.id))?.metadata).toEqual({});
    });

    test("gives as many attempts as the job had at first, each time", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const { id } = await make.storedJob(storage, workspaceId, { maxAttempts: 3 });
      for (let round = 0; round < 3; round++) {
        expect(await storage.jobs.get(workspaceId, id), `round ${round}`).toMatchObject({
          failures: 0,
          maxAttempts: 3,
        });
        const job = await claimJob(storage, at);
        await storage.jobs.end(claimOf(job), {
          kind: "again",
          message: "Later",
          metadata: {},
          runAt: at,
          at,
          countsAsAttempt: true,
        });
        expect((await claimJob(storage, at)).failures).toBe(1);
        await storage.jobs.end({ id, attempt: job.attempt + 1 }, { kind: "failed", message: "No", metadata: {}, at });
        await storage.jobs.retry(workspaceId, id, at);
      }
    });

    test.each(["pending", "running", "completed"] as const)("of a job that is %s is refused", async (status) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId, { status });
      expect(await storage.jobs.retry(workspaceId, job.id, at)).toEqual({ kind: "refused", job });
      expect(await storage.jobs.get(workspaceId, job.id)).toEqual(job);
    });

    test("of two that come at once one is refused", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId, { status: "failed" });
      const changes = await Promise.all([
        storage.jobs.retry(workspaceId, job.id, at),
        storage.jobs.retry(workspaceId, job.id, at),
      ]);
      const kinds = changes.map(({ kind }) => kind);
      expect(isSingleWriter ? kinds : kinds.toSorted()).toEqual(["changed", "refused"]);
      expect(await claimJobs(storage, at)).toHaveLength(1);
    });

    test.each(["failed", "canceled"] as const)("of an action that was %s schedules the action again", async (state) => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      const scheduled = await make.scheduledJob(storage, account);
      if (state === "failed") await endedAction(storage, scheduled, "failed");
      else await storage.jobs.cancel(workspaceId, scheduled.id, at);
      expect((await storage.jobs.retry(workspaceId, scheduled.id, at)).kind).toBe("changed");
      expect(await storage.network.action(workspaceId, scheduled.id)).toMatchObject({
        action: { state: "scheduled", updatedAt: at },
      });
      expect((await claimAction(storage, at)).job.id).toBe(scheduled.id);
    });

    test("of an action with an unknown outcome is refused", async () => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      const job = await endedAction(storage, await make.scheduledJob(storage, account), "unknown");
      expect(await storage.jobs.retry(workspaceId, job.id, at)).toMatchObject({
        kind: "refused",
        job: { status: "failed" },
      });
      expect(await storage.network.action(workspaceId, job.id)).toMatchObject({ action: { state: "unknown" } });
      expect(await claimActions(storage, at)).toEqual([]);
    });

    test("of an action whose job was given up after the mark that it is being sent is refused", async () => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      await make.scheduledJob(storage, account);
      const { job } = await claimAction(storage);
      await storage.jobs.end(claimOf(job), { kind: "failed", message: "Given up", metadata: {}, at });
      expect((await storage.jobs.retry(workspaceId, job.id, at)).kind).toBe("refused");
      expect(await claimActions(storage, at)).toEqual([]);
      expect(await storage.network.action(workspaceId, job.id)).toMatchObject({
        action: { state: "unknown" },
        job: { status: "failed", message: "Given up" },
      });
      const uses = await storage.network.usage(workspaceId, account.id, at);
      expect(uses).toContainEqual(expect.objectContaining({ meter: "all", window: "day", used: 1 }));
    });

    test("never sets the same action on its way a second time beside one that is on its way", async () => {
      await using opened = await open();
      const { storage, workspaceId, account, make } = await withUser(opened.storage);
      const profileUrl = "https://network.example/in/ada";
      const failed = await endedAction(
        storage,
        await make.scheduledJob(storage, account, { action: { profileUrl } }),
        "failed",
      );
      await make.scheduledJob(storage, account, { action: { profileUrl } });
      expect((await storage.jobs.retry(workspaceId, failed.id, at)).kind).toBe("refused");
    });
  });

  test("somebody else's job is absent to both", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const stranger = (await make.storedUser(storage)).user.id;
    const [pending, failed] = [
      await make.storedJob(storage, workspaceId),
      await make.storedJob(storage, workspaceId, { status: "failed" }),
    ];
    expect(await storage.jobs.cancel(stranger, pending.id, at)).toEqual({ kind: "absent" });
    expect(await storage.jobs.retry(stranger, failed.id, at)).toEqual({ kind: "absent" });
    expect(await storage.jobs.cancel(workspaceId, "nothing", at)).toEqual({ kind: "absent" });
    expect(await storage.jobs.retry(workspaceId, "nothing", at)).toEqual({ kind: "absent" });
    expect(await storage.jobs.get(workspaceId, pending.id)).toEqual(pending);
    expect(await storage.jobs.get(workspaceId, failed.id)).toEqual(failed);
  });

  test("both are there after the process was killed", async () => {
    await using opened = await open();
    const { workspaceId, account, make } = await withUser(opened.storage);
    const canceled = await make.scheduledJob(opened.storage, account);
    const retried = await make.storedJob(opened.storage, workspaceId, { status: "failed" });
    await opened.storage.jobs.cancel(workspaceId, canceled.id, at);
    await opened.storage.jobs.retry(workspaceId, retried.id, at);
    const storage = await opened.reopen();
    expect(await storage.jobs.get(workspaceId, canceled.id)).toMatchObject({
      status: "failed",
      metadata: { canceled: true },
    });
    expect(await storage.network.action(workspaceId, canceled.id)).toMatchObject({ action: { state: "canceled" } });
    expect(await storage.jobs.get(workspaceId, retried.id)).toMatchObject({ status: "pending", runAt: at });
  });
});

async function withUser(storage: Storage) {
  const make = createFactories();
  const { user, account } = await make.storedUser(storage);
  return { storage, make, workspaceId: user.id, account };
}

/** Carries the one due action out up to the given end. */
async function endedAction(storage: Storage, scheduled: Job, state: ActionEnd["state"]): Promise<Job> {
  const { job } = await claimAction(storage, scheduled.runAt);
  if (job.id !== scheduled.id) throw new Error("Expected the scheduled action to be the one that is due");
  await storage.network.endAction(claimOf(job), actionEnd({ state, at: scheduled.runAt }));
  return job;
}
