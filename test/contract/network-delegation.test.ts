import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimAction, claimActions, claimOf, createFactories } from "../support/factories.ts";
import {
  minute,
  hour,
  day,
  at,
  toPerson,
  toVendor,
  stateOf,
  storedAccount,
  withScheduled,
  withClaimed,
} from "../support/network-actions.ts";

describe.each(enginesAndPostgres)("delegated network actions on $name", ({ open }) => {
  describe("what was handed on", () => {
    test.each([
      ["a person", toPerson, "awaitingPerson"],
      ["a vendor", toVendor, "awaitingVendor"],
    ] as const)(
      "to %s waits without a lease, counts, and outlives the process",
      async (_who, handed, pendingReason) => {
        await using opened = await open();
        const { storage, job } = await withClaimed(opened.storage);
        expect(await storage.network.delegate(claimOf(job), handed)).toBe(true);
        const reopened = await opened.reopen();
        expect(await reopened.network.action(job.workspaceId, job.id)).toMatchObject({
          action: { state: "awaiting", pendingReason, slotAt: startOfTests, reference: handed.reference },
          job: { status: "running", leaseUntil: null },
        });
        expect(await claimActions(reopened, startOfTests + 365 * day)).toEqual([]);
      },
    );

    test("to a vendor is asked after at its moment, and again when the one who asked died", async () => {
      await using opened = await open();
      const { storage, job } = await withClaimed(opened.storage);
      await storage.network.delegate(claimOf(job), { ...toVendor, checkAt: startOfTests + hour });
      expect(await claimActions(storage, startOfTests + hour - 1)).toEqual([]);
      const first = await claimAction(storage, startOfTests + hour);
      expect(first).toMatchObject({ task: "follow", action: { state: "awaiting", reference: "v-1" } });
      const reopened = await opened.reopen();
      const second = await claimAction(reopened, startOfTests + hour + minute);
      expect(second.task).toBe("follow");
      expect(await reopened.network.endAction(claimOf(first.job), actionEnd())).toBe(false);
      expect(await reopened.network.endAction(claimOf(second.job), actionEnd())).toBe(true);
    });

    test("ends by a report, once, of the right kind, and only for its owner", async () => {
      await using opened = await open();
      const { storage, job, make } = await withClaimed(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      await storage.network.delegate(claimOf(job), toVendor);
      const report = (workspaceId: string, from: "awaitingVendor" | "awaitingPerson") =>
        storage.network.endDelegated(workspaceId, job.id, [from], actionEnd({ at, reference: "r-2" }));
      expect(await report(stranger, "awaitingVendor")).toEqual({ kind: "absent" });
      expect(await report(job.workspaceId, "awaitingPerson")).toMatchObject({ kind: "refused" });
      const [first, second] = await Promise.all([0, 1].map(() => report(job.workspaceId, "awaitingVendor")));
      expect(first).toMatchObject({ kind: "changed", action: { state: "completed", reference: "r-2" } });
      expect(second).toMatchObject({ kind: "refused", action: { state: "completed" } });
    });

    test("to a webhook may be reported before its answer to the call was written down", async () => {
      await using opened = await open();
      for (const [connector, expected] of [
        ["webhook", "changed"],
        ["unipile", "refused"],
      ] as const) {
        const { storage, job } = await withClaimed(opened.storage, { connector });
        const change = await storage.network.endDelegated(job.workspaceId, job.id, ["awaitingVendor"], actionEnd());
        expect(change.kind).toBe(expected);
        expect(await storage.network.delegate(claimOf(job), toVendor)).toBe(expected === "refused");
        expect(await stateOf(storage, job)).toBe(expected === "refused" ? "awaiting" : "completed");
      }
    });

    test("to a vendor can't be canceled; to a person it can", async () => {
      await using opened = await open();
      for (const [handed, expected] of [
        [toVendor, "refused"],
        [toPerson, "changed"],
      ] as const) {
        const { storage, job } = await withClaimed(opened.storage);
        await storage.network.delegate(claimOf(job), handed);
        expect((await storage.jobs.cancel(job.workspaceId, job.id, at)).kind).toBe(expected);
        expect((await storage.network.cancel(job.workspaceId, job.id, at)).kind).toBe("refused");
      }
    });

    test("to persons is listed longest waiting first, in pages, to its owner only", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { account } = await storedAccount(storage, make, { spacing: { medianSeconds: 0, minSeconds: 0 } });
      const stranger = await make.storedUser(storage);
      const ids: string[] = [];
      for (const since of [5, 3, 3, 9]) {
        ids.push((await make.scheduledJob(storage, account)).id);
        const { job } = await claimAction(storage);
        await storage.network.delegate(claimOf(job), { ...toPerson, at: startOfTests + since });
      }
      await make.scheduledJob(storage, account);
      const expected = [1, 2, 0, 3].map((index) => ids[index]!);
      const list = async (limit: number, offset: number) =>
        (await storage.network.tasks(account.workspaceId, limit, offset)).map(({ jobId }) => jobId);
      expect(await list(10, 0)).toEqual(expected);
      expect([await list(3, 0), await list(3, 3), await list(3, 6)]).toEqual([
        expected.slice(0, 3),
        expected.slice(3),
        [],
      ]);
      expect(await storage.network.countTasks(account.workspaceId)).toBe(4);
      expect(await storage.network.tasks(stranger.user.id, 10, 0)).toEqual([]);
      expect(await storage.network.countTasks(stranger.user.id)).toBe(0);
    });
  });

  describe("a worker", () => {
    const claimFor = (storage: Storage, workspaceId: string, now: number, accountId: string | null = null) =>
      storage.network.claimForWorker({ workspaceId, accountId, now, leaseUntil: now + 5 * minute });

    test("gets what is due, one at a time, within hours, caps and pace, and hears when to come again", async () => {
      await using opened = await open();
      const { storage, account, make } = await withScheduled(opened.storage, {
        connector: "worker",
        caps: { all: { day: 2 } },
      });
      for (let n = 0; n < 3; n++) await make.scheduledJob(storage, account);
      const { workspaceId } = account;
      expect(await claimFor(storage, workspaceId, startOfTests)).toEqual({ claimed: null, retryAt: null });
      expect(await claimActions(storage, startOfTests + 2 * day)).toEqual([]);
      const now = startOfTests + 2 * day;
      const first = await claimFor(storage, workspaceId, now);
      expect(first).toMatchObject({ claimed: { task: "send", action: { state: "sending" }, job: { attempt: 1 } } });
      expect(await claimFor(storage, workspaceId, now)).toEqual({ claimed: null, retryAt: now + minute });
      expect((await claimFor(storage, workspaceId, now + minute)).claimed).not.toBeNull();
      expect(await claimFor(storage, workspaceId, now + 2 * minute)).toEqual({ claimed: null, retryAt: now + day });
      const stranger = (await make.storedUser(storage)).user.id;
      expect((await claimFor(storage, stranger, now + 2 * day)).claimed).toBeNull();
      expect((await claimFor(storage, stranger, now + 2 * day, account.id)).claimed).toBeNull();
    });

    test("keeps its lease by heartbeats, over a restart too; without them the outcome is unknown", async () => {
      await using opened = await open();
      const { account } = await withScheduled(opened.storage, { connector: "worker" });
      const { workspaceId } = account;
      await claimActions(opened.storage);
      const { claimed } = await claimFor(opened.storage, workspaceId, startOfTests);
      const claim = claimOf(claimed!.job);
      expect(await opened.storage.network.renewLease(workspaceId, claim, startOfTests + 10 * minute)).toBe(true);
      expect(await opened.storage.network.renewLease("somebody", claim, startOfTests + day)).toBe(false);
      const storage = await opened.reopen();
      expect(await claimActions(storage, startOfTests + 10 * minute - 1)).toEqual([]);
      expect(await storage.network.action(workspaceId, claim.id)).toMatchObject({ action: { state: "sending" } });
      await claimActions(storage, startOfTests + 10 * minute);
      expect(await storage.network.action(workspaceId, claim.id)).toMatchObject({ action: { state: "unknown" } });
      expect(await storage.network.renewLease(workspaceId, claim, startOfTests + day)).toBe(false);
      expect(await storage.network.endAction(claim, actionEnd())).toBe(false);
    });

    test("gives back what waits for it when the account gets another connector, in its order", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage, { connector: "worker" });
      const second = await make.scheduledJob(storage, account);
      const now = startOfTests + hour;
      await claimActions(storage, now);
      expect(await storage.network.action(account.workspaceId, second.id)).toMatchObject({
        action: { state: "awaiting" },
      });
      await storage.network.updateAccount(account.workspaceId, account.id, { connector: "simulated", updatedAt: now });
      const due = await claimActions(storage, now);
      expect(due.map((item) => item.job.id)).toEqual([job.id]);
      expect((await claimActions(storage, now + minute)).map((item) => item.job.id)).toEqual([second.id]);
    });

    test("does not get an action that became unwanted while it waited", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage, { connector: "worker" });
      await claimActions(storage);
      const { action } = (await storage.network.action(account.workspaceId, job.id))!;
      await make.storedSuppression(storage, null, "profile", action.profileKey);
      expect((await claimFor(storage, account.workspaceId, startOfTests)).claimed).toBeNull();
      expect(await storage.network.action(account.workspaceId, job.id)).toMatchObject({ action: { state: "skipped" } });
    });
  });
});
