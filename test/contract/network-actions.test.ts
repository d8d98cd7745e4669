import { describe, expect, test } from "bun:test";
import type { Job, JobClaim } from "../../src/platform/jobs/model.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { ActionPage } from "../../src/features/network/store.ts";
import type { ActionEnd, Delegation, Deferral } from "../../src/features/network/queue-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimActions, claimOf, createFactories } from "../support/factories.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const at = startOfTests + 9;
const endStates = ["completed", "skipped", "failed", "unknown"] as const;
const noDistance = { medianSeconds: 0, minSeconds: 0 };
const busy: Deferral = { kind: "retry", retryAt: startOfTests + 5 * minute, message: "Later.", at };
const toPerson: Delegation = { to: "person", reference: null, checkAt: null, message: "", at };
const toVendor: Delegation = { ...toPerson, to: "vendor", reference: "v-1" };

describe.each(enginesAndPostgres)("network actions on $name", ({ open, isSingleWriter }) => {
  describe("a claim of due actions", () => {
    test("marks what may go as sending, durably, and gives it to nobody else", async () => {
      await using opened = await open();
      const { storage, job, due } = await withClaimed(opened.storage);
      expect(due).toMatchObject({
        task: "send",
        job: { id: job.id, status: "running", attempt: 1, leaseUntil: startOfTests + minute },
        action: { state: "sending", slotAt: startOfTests },
      });
      expect(await claimActions(storage)).toEqual([]);
      const reopened = await opened.reopen();
      expect(await stateOf(reopened, job)).toBe("sending");
    });

    test("of two that come at once one gets it", async () => {
      await using opened = await open();
      const { storage } = await withScheduled(opened.storage);
      const claims = await Promise.all([claimActions(storage), claimActions(storage)]);
      expect(claims.map((due) => due.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
    });

    test("leaves the voice to be prepared first, and marks it once then", async () => {
      await using opened = await open();
      const voice = { actionType: "sendVoiceMessage", message: "Hello" } as const;
      const { storage, due } = await withClaimed(opened.storage, {}, voice);
      expect(due).toMatchObject({ task: "prepare", action: { state: "scheduled" } });
      const marks = await Promise.all([0, 1].map(() => storage.network.markSending(claimOf(due.job), at)));
      // With several connections, any of them may be the first.
      if (isSingleWriter) expect(marks).toEqual([true, false]);
      else expect(marks.toSorted((a, b) => Number(b) - Number(a))).toEqual([true, false]);
      expect(await storage.network.action(due.job.userId, due.job.id)).toMatchObject({
        action: { state: "sending", slotAt: at },
      });
    });

    test("of an action that was marked when its lease ended makes its outcome unknown, and repeats nothing", async () => {
      await using opened = await open();
      const { storage, job } = await withClaimed(opened.storage);
      expect(await claimActions(storage, startOfTests + minute - 1)).toEqual([]);
      expect(await stateOf(storage, job)).toBe("sending");
      expect(await claimActions(storage, startOfTests + minute)).toEqual([]);
      expect(await storage.network.action(job.userId, job.id)).toMatchObject({
        action: { state: "unknown" },
        job: { status: "failed", metadata: { outcome: "unknown" } },
      });
    });

    test("of an action for a person that was interrupted on its way into the list puts it back into the queue", async () => {
      await using opened = await open();
      const { storage, account, job } = await withClaimed(opened.storage, { connector: "manual" });
      expect(await stateOf(storage, job)).toBe("sending");
      expect(await claimActions(storage, startOfTests + minute)).toEqual([]);
      expect(await storage.network.action(job.userId, job.id)).toMatchObject({
        action: { state: "scheduled" },
        job: { status: "pending", runAt: startOfTests + minute },
      });
      await storage.network.updateAccount(account.userId, account.id, { connector: "simulated", updatedAt: 1 });
      const again = await claimAction(storage, startOfTests + minute);
      expect(again).toMatchObject({ task: "send", job: { id: job.id }, account: { connector: "simulated" } });
      expect(await claimActions(storage, startOfTests + 2 * minute)).toEqual([]);
      expect(await stateOf(storage, job)).toBe("unknown");
    });

    test.each<[string, Partial<NetworkAccount>, number, string]>([
      [
        "the hours",
        { workingHours: [[], [{ from: 540, to: 1080 }], [], [], [], [], []] },
        23 * hour - minute,
        "outsideWorkingHours",
      ],
      ["a cap", { caps: { invites: { day: 1 } } }, day - minute, "dailyLimit"],
      ["the shortest distance", { spacing: { medianSeconds: 7200, minSeconds: 7200 } }, 2 * hour - minute, "spacing"],
      ["a pause", { state: "paused" }, Infinity, "accountPaused"],
    ])("asks again what holds it back: %s, changed meanwhile", async (_what, change, wait, reason) => {
      await using opened = await open();
      const { storage, account, make } = await withClaimed(opened.storage);
      const second = await make.scheduledJob(storage, account);
      await storage.network.updateAccount(account.userId, account.id, { ...change, updatedAt: 1 });
      expect(await claimActions(storage, second.runAt)).toEqual([]);
      const found = (await storage.network.action(account.userId, second.id))!;
      expect(found.action).toMatchObject({ state: "scheduled", pendingReason: reason });
      if (wait !== Infinity) expect(found.job.runAt).toBe(second.runAt + wait);
      expect(await claimActions(storage, Math.min(second.runAt + wait, startOfTests + 365 * day) - 1)).toEqual([]);
    });

    test("counts what it takes itself: of two that are due a cap of one lets one go", async () => {
      await using opened = await open();
      const { storage, account, job, make } = await withScheduled(opened.storage, { spacing: noDistance });
      const second = await make.scheduledJob(storage, account);
      await storage.network.updateAccount(account.userId, account.id, { caps: { invites: { day: 1 } }, updatedAt: 1 });
      const now = Math.max(job.runAt, second.runAt);
      expect((await claimActions(storage, now)).map((due) => due.job.id)).toEqual([job.id]);
      const { action } = (await storage.network.action(account.userId, second.id))!;
      expect(action).toMatchObject({ state: "scheduled", pendingReason: "dailyLimit" });
    });

    test.each(["a person on the do-not-contact list", "a deleted lead", "a person who is connected by now"])(
      "skips the action for %s",
      async (what) => {
        await using opened = await open();
        const make = createFactories();
        const { account } = await storedAccount(opened.storage, make);
        const lead = await make.storedLead(opened.storage, account.userId);
        const { storage } = opened;
        const profileUrl = "https://network.example/in/ada";
        const job = await make.scheduledJob(storage, account, { action: { leadId: lead.id, profileUrl } });
        if (what.includes("list")) await make.storedSuppression(storage, null, "profile", profileUrl);
        else if (what.includes("lead"))
          await storage.leads.remove({ userId: account.userId, id: lead.id, version: null, at: startOfTests });
        else {
          const request = make.actionRequest(account, {
            action: { actionType: "checkConnectionStatus", profileUrl, state: "completed", slotAt: startOfTests },
            job: { status: "completed" },
          });
          await storage.network.record(request, "connected");
        }
        expect(await claimActions(storage, startOfTests + day)).toEqual([]);
        expect(await storage.network.action(account.userId, job.id)).toMatchObject({
          action: { state: "skipped", slotAt: null },
          job: { status: "completed", message: expect.stringContaining("Not sent") },
        });
      },
    );

    test("takes at most as many as asked for, and tells that there are more", async () => {
      await using opened = await open();
      const make = createFactories();
      const { account } = await storedAccount(opened.storage, make, { spacing: { medianSeconds: 0, minSeconds: 0 } });
      for (let n = 0; n < 3; n++) await make.scheduledJob(opened.storage, account);
      const claim = (limit: number) =>
        opened.storage.network.claimDue({ now: startOfTests, limit, leaseUntil: startOfTests + minute });
      const first = await claim(2);
      expect(first).toMatchObject({ due: [{}, {}], more: true });
      expect(await claim(2)).toMatchObject({ due: [{}], more: false });
    });

    test("leaves the time at which an action was carried out as it is, also when it is claimed at an earlier one", async () => {
      await using opened = await open();
      const carriedOutAt = startOfTests + 30 * day;
      const { storage, account, make, job } = await withClaimed(opened.storage, {}, {}, carriedOutAt);
      await storage.network.endAction(claimOf(job), actionEnd({ at: carriedOutAt }));
      const next = await make.scheduledJob(storage, account, { action: { notBefore: startOfTests } });
      await storage.network.edit(account.userId, next.id, { notBefore: startOfTests }, startOfTests);
      await storage.network.claimDue({ now: startOfTests, limit: 9, leaseUntil: 0 });
      const stored = await storage.network.action(account.userId, job.id);
      expect(stored?.action).toMatchObject({ state: "completed", slotAt: carriedOutAt });
    });
  });

  describe("a void claim", () => {
    const writes: [string, (storage: Storage, claim: JobClaim) => Promise<boolean>][] = [
      ["marks nothing", (storage, claim) => storage.network.markSending(claim, at)],
      ["puts nothing off", (storage, claim) => storage.network.defer(claim, busy)],
      [
        "limits nothing",
        (storage, claim) => storage.network.defer(claim, { kind: "limited", retryAt: null, reason: "", at }),
      ],
      ["signs nothing out", (storage, claim) => storage.network.defer(claim, { kind: "signedOut", reason: "", at })],
      ["hands nothing on", (storage, claim) => storage.network.delegate(claim, toVendor)],
      ["ends nothing", (storage, claim) => storage.network.endAction(claim, actionEnd({ at }))],
    ];
    const voids: [string, (storage: Storage, job: Job) => Promise<unknown>][] = [
      ["its lease ended", (storage) => claimActions(storage, startOfTests + 2 * minute)],
      ["the action waits for a person", (storage, job) => storage.network.delegate(claimOf(job), toPerson)],
      ["the action ended", (storage, job) => storage.network.endAction(claimOf(job), actionEnd())],
      ["another attempt has it", async (_storage, job) => (job.attempt -= 1)],
    ];

    test.each(writes.flatMap(([what, write]) => voids.map(([when, make]) => [what, when, write, make] as const)))(
      "%s once %s",
      async (_what, _when, write, makeVoid) => {
        await using opened = await open();
        const { storage, job, account } = await withClaimed(opened.storage);
        const claimed = { ...job };
        await makeVoid(storage, claimed);
        const before = await storage.network.action(job.userId, job.id);
        expect(await write(storage, claimOf(claimed))).toBe(false);
        expect(await storage.network.action(job.userId, job.id)).toEqual(before);
        expect(await storage.network.account(job.userId, account.id)).toEqual(account);
      },
    );
  });

  test("ends that are told at once hold each by its own claim, also beside one that is void", async () => {
    await using opened = await open();
    const { storage, account, make } = await withScheduled(opened.storage, { spacing: noDistance });
    await make.scheduledJob(storage, account);
    const claimed = (await claimActions(storage, startOfTests + day)).map(({ job }) => job);
    expect(claimed).toHaveLength(2);
    const [first, second] = claimed.map((job) => claimOf(job));
    const end = actionEnd({ at: startOfTests + day });
    const before = { ...first!, attempt: 0 };
    const ends = [second!, first!, before, second!].map((claim) => storage.network.endAction(claim, end));
    expect(await Promise.all(ends)).toEqual([true, true, false, false]);
    for (const job of claimed)
      expect(await storage.network.action(account.userId, job.id)).toMatchObject({ action: { state: "completed" } });
    expect(await storage.network.endAction(first!, end)).toBe(false);
  });

  test.each(endStates)(
    "an action that ends as %s takes its job with it, and counts if it may have had its effect",
    async (state) => {
      await using opened = await open();
      const { storage, job } = await withClaimed(opened.storage);
      const end: ActionEnd = actionEnd({ state, at, metadata: { outcome: state } });
      expect(await storage.network.endAction(claimOf(job), end)).toBe(true);
      const isFine = state === "completed" || state === "skipped";
      const counts = state === "completed" || state === "unknown";
      const found = await (await opened.reopen()).network.action(job.userId, job.id);
      expect(found).toMatchObject({
        action: { state, pendingReason: null, slotAt: counts ? startOfTests : null, updatedAt: at },
        job: {
          status: isFine ? "completed" : "failed",
          progress: isFine ? 100 : 0,
          message: "It ended",
          metadata: { outcome: state },
          leaseUntil: null,
          completedAt: at,
        },
      });
      expect(await claimActions(opened.storage, startOfTests + 365 * day)).toEqual([]);
    },
  );

  test("an action that was put off is due at the new moment, and given up when it had no effect five times", async () => {
    await using opened = await open();
    const { storage, job } = await withClaimed(opened.storage);
    let now = startOfTests;
    for (let attempt = 1; attempt < 5; attempt++) {
      expect(await storage.network.defer({ id: job.id, attempt }, { ...busy, retryAt: now + hour, at: now })).toBe(
        true,
      );
      expect(await storage.network.action(job.userId, job.id)).toMatchObject({
        action: { state: "scheduled", slotAt: now + hour, notBefore: now + hour, pendingReason: "retry" },
        job: { status: "pending", runAt: now + hour, failures: attempt, message: "Later." },
      });
      expect(await claimActions(storage, now + hour - 1)).toEqual([]);
      now += hour;
      expect(await claimAction(storage, now)).toMatchObject({ job: { attempt: attempt + 1 } });
    }
    expect(await storage.network.defer({ id: job.id, attempt: 5 }, { ...busy, at: now })).toBe(true);
    expect(await storage.network.action(job.userId, job.id)).toMatchObject({ action: { state: "failed" } });
  });

  test("a limit lets the meter rest longer each time, holds its kind only, and is forgotten a week after the rest", async () => {
    await using opened = await open();
    const { storage, account, make } = await withClaimed(opened.storage);
    const untils: number[] = [];
    let { job } = await withDue(storage, make, account, startOfTests + minute);
    for (const wait of [0, 0, 0, 8 * day]) {
      const [rest] = await storage.network.coolDowns(account.userId, account.id);
      const now = (rest?.until ?? startOfTests + minute) + wait;
      if (rest !== undefined) ({ job } = await claimAction(storage, now));
      await storage.network.defer(claimOf(job), { kind: "limited", retryAt: null, reason: "Enough.", at: now });
      const [after] = await storage.network.coolDowns(account.userId, account.id);
      untils.push((after!.until - now) / hour);
      expect(after).toMatchObject({ meter: "invites", reason: "Enough.", since: now });
      expect(await storage.network.accountsToPlan()).toEqual([account.id]);
    }
    expect(untils).toEqual([5, 24, 72, 5]);
  });

  test("an account that was signed out holds everything until it is connected again", async () => {
    await using opened = await open();
    const { storage, account, job } = await withClaimed(opened.storage);
    await storage.network.defer(claimOf(job), { kind: "signedOut", reason: "Sign in.", at });
    expect(await storage.network.account(account.userId, account.id)).toMatchObject({
      state: "needsReconnect",
      stateReason: "Sign in.",
    });
    expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
    expect(await storage.network.action(job.userId, job.id)).toMatchObject({ action: { state: "scheduled" } });
  });

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
        expect(await reopened.network.action(job.userId, job.id)).toMatchObject({
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
      const report = (userId: string, from: "awaitingVendor" | "awaitingPerson") =>
        storage.network.endDelegated(userId, job.id, [from], actionEnd({ at, reference: "r-2" }));
      expect(await report(stranger, "awaitingVendor")).toEqual({ kind: "absent" });
      expect(await report(job.userId, "awaitingPerson")).toMatchObject({ kind: "refused" });
      const [first, second] = await Promise.all([0, 1].map(() => report(job.userId, "awaitingVendor")));
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
        const change = await storage.network.endDelegated(job.userId, job.id, ["awaitingVendor"], actionEnd());
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
        expect((await storage.jobs.cancel(job.userId, job.id, at)).kind).toBe(expected);
        expect((await storage.network.cancel(job.userId, job.id, at)).kind).toBe("refused");
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
        (await storage.network.tasks(account.userId, limit, offset)).map(({ jobId }) => jobId);
      expect(await list(10, 0)).toEqual(expected);
      expect([await list(3, 0), await list(3, 3), await list(3, 6)]).toEqual([
        expected.slice(0, 3),
        expected.slice(3),
        [],
      ]);
      expect(await storage.network.countTasks(account.userId)).toBe(4);
      expect(await storage.network.tasks(stranger.user.id, 10, 0)).toEqual([]);
      expect(await storage.network.countTasks(stranger.user.id)).toBe(0);
    });
  });

  describe("a worker", () => {
    const claimFor = (storage: Storage, userId: string, now: number, accountId: string | null = null) =>
      storage.network.claimForWorker({ userId, accountId, now, leaseUntil: now + 5 * minute });

    test("gets what is due, one at a time, within hours, caps and pace, and hears when to come again", async () => {
      await using opened = await open();
      const { storage, account, make } = await withScheduled(opened.storage, {
        connector: "worker",
        caps: { all: { day: 2 } },
      });
      for (let n = 0; n < 3; n++) await make.scheduledJob(storage, account);
      const { userId } = account;
      expect(await claimFor(storage, userId, startOfTests)).toEqual({ claimed: null, retryAt: null });
      expect(await claimActions(storage, startOfTests + 2 * day)).toEqual([]);
      const now = startOfTests + 2 * day;
      const first = await claimFor(storage, userId, now);
      expect(first).toMatchObject({ claimed: { task: "send", action: { state: "sending" }, job: { attempt: 1 } } });
      expect(await claimFor(storage, userId, now)).toEqual({ claimed: null, retryAt: now + minute });
      expect((await claimFor(storage, userId, now + minute)).claimed).not.toBeNull();
      expect(await claimFor(storage, userId, now + 2 * minute)).toEqual({ claimed: null, retryAt: now + day });
      const stranger = (await make.storedUser(storage)).user.id;
      expect((await claimFor(storage, stranger, now + 2 * day)).claimed).toBeNull();
      expect((await claimFor(storage, stranger, now + 2 * day, account.id)).claimed).toBeNull();
    });

    test("keeps its lease by heartbeats, over a restart too; without them the outcome is unknown", async () => {
      await using opened = await open();
      const { account } = await withScheduled(opened.storage, { connector: "worker" });
      const { userId } = account;
      await claimActions(opened.storage);
      const { claimed } = await claimFor(opened.storage, userId, startOfTests);
      const claim = claimOf(claimed!.job);
      expect(await opened.storage.network.renewLease(userId, claim, startOfTests + 10 * minute)).toBe(true);
      expect(await opened.storage.network.renewLease("somebody", claim, startOfTests + day)).toBe(false);
      const storage = await opened.reopen();
      expect(await claimActions(storage, startOfTests + 10 * minute - 1)).toEqual([]);
      expect(await storage.network.action(userId, claim.id)).toMatchObject({ action: { state: "sending" } });
      await claimActions(storage, startOfTests + 10 * minute);
      expect(await storage.network.action(userId, claim.id)).toMatchObject({ action: { state: "unknown" } });
      expect(await storage.network.renewLease(userId, claim, startOfTests + day)).toBe(false);
      expect(await storage.network.endAction(claim, actionEnd())).toBe(false);
    });

    test("gives back what waits for it when the account gets another connector, in its order", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage, { connector: "worker" });
      const second = await make.scheduledJob(storage, account);
      const now = startOfTests + hour;
      await claimActions(storage, now);
      expect(await storage.network.action(account.userId, second.id)).toMatchObject({ action: { state: "awaiting" } });
      await storage.network.updateAccount(account.userId, account.id, { connector: "simulated", updatedAt: now });
      const due = await claimActions(storage, now);
      expect(due.map((item) => item.job.id)).toEqual([job.id]);
      expect((await claimActions(storage, now + minute)).map((item) => item.job.id)).toEqual([second.id]);
    });

    test("does not get an action that became unwanted while it waited", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage, { connector: "worker" });
      await claimActions(storage);
      const { action } = (await storage.network.action(account.userId, job.id))!;
      await make.storedSuppression(storage, null, "profile", action.profileKey);
      expect((await claimFor(storage, account.userId, startOfTests)).claimed).toBeNull();
      expect(await storage.network.action(account.userId, job.id)).toMatchObject({ action: { state: "skipped" } });
    });
  });

  describe("approval", () => {
    test("gives an action its slot; before, it is never due", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage, {}, { state: "awaitingApproval" });
      expect(job.runAt).toBeGreaterThan(startOfTests + 1e5 * day);
      expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
      expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
      const approved = await storage.network.approve(account.userId, job.id, startOfTests);
      expect(approved).toMatchObject({
        kind: "changed",
        action: { state: "scheduled", slotAt: startOfTests + minute },
      });
      expect(await storage.network.approve(account.userId, job.id, startOfTests)).toMatchObject({ kind: "refused" });
    });

    test("is not given by canceling and running again", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(opened.storage, {}, { state: "awaitingApproval" });
      await storage.jobs.cancel(account.userId, job.id, at);
      const change = await storage.jobs.retry(account.userId, job.id, at);
      expect(change).toMatchObject({ kind: "changed", job: { metadata: { pendingReason: "awaitingApproval" } } });
      expect(await stateOf(storage, job)).toBe("awaitingApproval");
      expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
    });

    test("is needed again when somebody who may only propose has edited the action", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(opened.storage);
      const edit = { message: "Something else", needsApproval: true };
      const change = await storage.network.edit(account.userId, job.id, edit, at);
      expect(change).toMatchObject({
        kind: "changed",
        action: { state: "awaitingApproval", message: "Something else" },
      });
      expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
    });
  });

  describe("an edit", () => {
    test("of the text keeps the slot; of the moment finds another, later or earlier, not hindered by its own", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(opened.storage, {}, { message: "Hi" });
      const slotAfter = async (edit: object) => {
        const change = await storage.network.edit(account.userId, job.id, edit, startOfTests);
        return change.kind === "changed" ? change.action.slotAt! - startOfTests : change;
      };
      expect(await slotAfter({ message: "Hello" })).toBe(0);
      expect(await slotAfter({ notBefore: startOfTests + 30_000 })).toBe(30_000);
      expect(await slotAfter({ notBefore: startOfTests + hour })).toBe(hour);
      expect(await slotAfter({ notBefore: startOfTests + minute })).toBe(minute);
      const found = await storage.network.action(account.userId, job.id);
      expect(found).toMatchObject({ action: { message: "Hello" }, job: { runAt: startOfTests + minute } });
    });

    test("that is refused changes nothing", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage);
      const { action } = (await storage.network.action(account.userId, job.id))!;
      await storage.network.updateAccount(account.userId, account.id, { caps: { all: { day: 0 } }, updatedAt: 1 });
      const before = await storage.network.action(account.userId, job.id);
      const edit = { message: "New", notBefore: startOfTests + hour };
      expect((await storage.network.edit(account.userId, job.id, edit, at)).kind).toBe("never");
      expect(await storage.network.action(account.userId, job.id)).toEqual(before);
      await make.storedSuppression(storage, null, "profile", action.profileKey);
      expect((await storage.network.edit(account.userId, job.id, edit, at)).kind).toBe("objected");
      expect(await storage.network.action(account.userId, job.id)).toEqual(before);
    });

    test("does not make two of the same", async () => {
      await using opened = await open();
      const like = (post: string) =>
        ({ actionType: "likePost", profileUrl: "https://network.example/in/ada", targetKey: post }) as const;
      const { storage, account, make, job } = await withScheduled(opened.storage, {}, like("a"));
      const other = await make.scheduledJob(storage, account, { action: like("b") });
      const { userId } = account;
      expect(await storage.network.edit(userId, other.id, { targetKey: "a" }, at)).toEqual({
        kind: "twin",
        jobId: job.id,
      });
      expect((await storage.network.edit(userId, other.id, { targetKey: "c" }, at)).kind).toBe("changed");
      expect((await storage.network.schedule(make.actionRequest(account, { action: like("b") }), true)).kind).toBe(
        "scheduled",
      );
      expect((await storage.network.schedule(make.actionRequest(account, { action: like("c") }), true)).kind).toBe(
        "existing",
      );
    });

    test("is refused once the action has begun, and absent for others", async () => {
      await using opened = await open();
      const { storage, job, make } = await withClaimed(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      expect((await storage.network.edit(job.userId, job.id, { message: "x" }, at)).kind).toBe("refused");
      for (const change of ["approve", "cancel"] as const)
        expect(await storage.network[change](stranger, job.id, at)).toEqual({ kind: "absent" });
      expect(await storage.network.edit(stranger, job.id, { message: "x" }, at)).toEqual({ kind: "absent" });
      expect(await storage.network.resolve(stranger, job.id, actionEnd())).toEqual({ kind: "absent" });
    });

    test("while a voice message is prepared makes the old preparation void", async () => {
      await using opened = await open();
      const voice = { actionType: "sendVoiceMessage", message: "Hello" } as const;
      const { storage, due } = await withClaimed(opened.storage, {}, voice);
      const { job } = due;
      await storage.network.edit(job.userId, job.id, { message: "Good bye" }, startOfTests);
      expect(await storage.network.markSending(claimOf(job), startOfTests)).toBe(false);
      expect((await claimAction(storage)).action.message).toBe("Good bye");
    });
  });

  test.each([
    ["completed", "completed", startOfTests],
    ["not sent", "failed", null],
  ] as const)(
    "an unknown action that a person says was %s is %s, as of when it was tried",
    async (_what, state, slotAt) => {
      await using opened = await open();
      const { storage, job } = await withClaimed(opened.storage);
      await storage.network.endAction(claimOf(job), actionEnd({ state: "unknown" }));
      const end = actionEnd({ state, at: startOfTests + 9 * day });
      const change = await storage.network.resolve(job.userId, job.id, end);
      expect(change).toMatchObject({ kind: "changed", action: { state, slotAt } });
      expect(await storage.network.resolve(job.userId, job.id, end)).toMatchObject({ kind: "refused" });
      const retried = await storage.jobs.retry(job.userId, job.id, startOfTests + 9 * day);
      expect(retried.kind).toBe(state === "completed" ? "refused" : "changed");
    },
  );

  test("a record of what was done by hand counts, and does not undo what has happened since", async () => {
    await using opened = await open();
    const { storage, account, make } = await withScheduled(opened.storage, { caps: { invites: { day: 2 } } });
    const profileUrl = "https://network.example/in/ada";
    const done = (doneAt: number) =>
      make.actionRequest(account, {
        action: { profileUrl, state: "completed", slotAt: doneAt },
        job: { status: "completed" },
      });
    await storage.network.record(done(startOfTests - hour), "connected");
    expect(await storage.network.contact(account.userId, account.id, profileUrl)).toMatchObject({
      relation: "connected",
    });
    await storage.network.record(done(startOfTests - 90 * day), null);
    expect(await storage.network.contact(account.userId, account.id, profileUrl)).toMatchObject({
      relation: "connected",
    });
    expect(await storage.network.accountsToPlan()).toEqual([account.id]);
    // One by hand in the last day, one that waits: the next must wait for the first to leave the window.
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + 23 * hour);
  });

  test("usage counts what was used and what is planned, window by window", async () => {
    await using opened = await open();
    const { storage, account, make, job } = await withClaimed(opened.storage, {}, { message: "Hello" });
    await storage.network.endAction(claimOf(job), actionEnd());
    await make.scheduledJob(storage, account, { action: { notBefore: startOfTests + 2 * day } });
    const usage = await storage.network.usage(account.userId, account.id, startOfTests + hour);
    const of = (meter: string) =>
      usage.filter((count) => count.meter === meter).map(({ used, planned }) => [used, planned]);
    expect(of("notes")).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    for (const meter of ["invites", "all"])
      expect(of(meter)).toEqual([
        [1, 0],
        [1, 1],
        [1, 1],
      ]);
    expect(of("visits")).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(usage.find(({ meter, window }) => meter === "all" && window === "day")?.resetsAt).toBe(startOfTests + day);
    expect(await storage.network.usage("somebody", account.id, startOfTests)).toEqual([]);
  });

  test("lists are newest first, in pages, filtered, and hold nothing of others", async () => {
    await using opened = await open();
    const { storage, account, make, job } = await withScheduled(opened.storage);
    const stranger = await make.storedUser(storage);
    await make.scheduledJob(storage, stranger.account);
    const visit = await make.scheduledJob(storage, account, { action: { actionType: "visitProfile" } });
    const page = async (filter: object, limit = 10, after: ActionPage["after"] = null) =>
      storage.network.page({ userId: account.userId, filter, limit, order: "newest", after });
    const idsOf = (list: Awaited<ReturnType<typeof page>>) => list.map(({ action }) => action.jobId);
    expect(idsOf(await page({}))).toEqual([visit.id, job.id]);
    const [first] = await page({}, 1);
    expect(idsOf(await page({}, 1, { at: 0, seq: first!.seq }))).toEqual([job.id]);
    expect(idsOf(await page({ actionType: "visitProfile" }))).toEqual([visit.id]);
    expect(idsOf(await page({ states: ["completed"] }))).toEqual([]);
    expect(idsOf(await page({ accountId: stranger.account.id }))).toEqual([]);
  });

  test("what waits is listed soonest first, what was carried out latest first, in pages over all accounts", async () => {
    await using opened = await open();
    const { storage, account, make, job: first } = await withScheduled(opened.storage);
    const other = make.account(account.userId, { workingHours: alwaysOpen });
    await storage.network.insertAccount(other);
    const second = await make.scheduledJob(storage, other, { action: { notBefore: startOfTests + hour } });
    const third = await make.scheduledJob(storage, account, { action: { notBefore: startOfTests + 2 * hour } });
    const pages = async (order: "soonest" | "latest") => {
      const found: string[] = [];
      for (let after: ActionPage["after"] = null; ;) {
        const [item] = await storage.network.page({ userId: account.userId, filter: {}, limit: 1, order, after });
        if (item === undefined) return found;
        found.push(item.action.jobId);
        after = { at: item.action.slotAt ?? 0, seq: item.seq };
      }
    };
    expect(await pages("soonest")).toEqual([first.id, second.id, third.id]);
    expect(await pages("latest")).toEqual([]);
    for (const now of [startOfTests, startOfTests + hour]) {
      const { job } = await claimAction(storage, now);
      await storage.network.endAction(claimOf(job), actionEnd({ at: now }));
    }
    expect(await pages("soonest")).toEqual([third.id]);
    expect(await pages("latest")).toEqual([second.id, first.id]);
  });
});

async function stateOf(storage: Storage, { userId, id }: Job): Promise<NetworkAction["state"] | undefined> {
  return (await storage.network.action(userId, id))?.action.state;
}

type Make = ReturnType<typeof createFactories>;

async function storedAccount(storage: Storage, make: Make, overrides: Partial<NetworkAccount> = {}) {
  const { user } = await make.storedUser(storage, { email: `${Math.random()}@example.com` });
  const account = make.account(user.id, { workingHours: alwaysOpen, ...overrides });
  await storage.network.insertAccount(account);
  return { account };
}

/** An account that is always open, with one scheduled action. */
async function withScheduled(
  storage: Storage,
  overrides: Partial<NetworkAccount> = {},
  action: Partial<NetworkAction> = {},
) {
  const make = createFactories(Math.floor(Math.random() * 1e9));
  const { account } = await storedAccount(storage, make, overrides);
  return { storage, make, account, job: await make.scheduledJob(storage, account, { action }) };
}

/** The same, with its one action claimed. */
async function withClaimed(
  storage: Storage,
  overrides: Partial<NetworkAccount> = {},
  action: Partial<NetworkAction> = {},
  now = startOfTests,
) {
  const world = await withScheduled(storage, overrides, action);
  const due = await claimAction(storage, now);
  return { ...world, due, job: due.job };
}

/** One more action, claimed at the moment. */
async function withDue(storage: Storage, make: Make, account: NetworkAccount, now: number) {
  await make.scheduledJob(storage, account);
  return claimAction(storage, now);
}
