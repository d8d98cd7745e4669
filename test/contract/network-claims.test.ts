import { describe, expect, test } from "bun:test";
import type { Job, JobClaim } from "../../src/platform/jobs/model.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { ActionEnd, Deferral } from "../../src/features/network/queue-model.ts";
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
  type Make,
  storedAccount,
  withScheduled,
  withClaimed,
} from "../support/network-actions.ts";

const endStates = ["completed", "skipped", "failed", "unknown"] as const;

const noDistance = { medianSeconds: 0, minSeconds: 0 };

const busy: Deferral = { kind: "retry", retryAt: startOfTests + 5 * minute, message: "Later.", at };

/** One more action, claimed at the moment. */
async function withDue(storage: Storage, make: Make, account: NetworkAccount, now: number) {
  await make.scheduledJob(storage, account);
  return claimAction(storage, now);
}

describe.each(enginesAndPostgres)("claims of network actions on $name", ({ open, isSingleWriter }) => {
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
      expect(await storage.network.action(due.job.workspaceId, due.job.id)).toMatchObject({
        action: { state: "sending", slotAt: at },
      });
    });

    test("of an action that was marked when its lease ended makes its outcome unknown, and repeats nothing", async () => {
      await using opened = await open();
      const { storage, job } = await withClaimed(opened.storage);
      expect(await claimActions(storage, startOfTests + minute - 1)).toEqual([]);
      expect(await stateOf(storage, job)).toBe("sending");
      expect(await claimActions(storage, startOfTests + minute)).toEqual([]);
      expect(await storage.network.action(job.workspaceId, job.id)).toMatchObject({
        action: { state: "unknown" },
        job: { status: "failed", metadata: { outcome: "unknown" } },
      });
    });

    test("of an action for a person that was interrupted on its way into the list puts it back into the queue", async () => {
      await using opened = await open();
      const { storage, account, job } = await withClaimed(opened.storage, { connector: "manual" });
      expect(await stateOf(storage, job)).toBe("sending");
      expect(await claimActions(storage, startOfTests + minute)).toEqual([]);
      expect(await storage.network.action(job.workspaceId, job.id)).toMatchObject({
        action: { state: "scheduled" },
        job: { status: "pending", runAt: startOfTests + minute },
      });
      await storage.network.updateAccount(account.workspaceId, account.id, { connector: "simulated", updatedAt: 1 });
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
      await storage.network.updateAccount(account.workspaceId, account.id, { ...change, updatedAt: 1 });
      expect(await claimActions(storage, second.runAt)).toEqual([]);
      const found = (await storage.network.action(account.workspaceId, second.id))!;
      expect(found.action).toMatchObject({ state: "scheduled", pendingReason: reason });
      if (wait !== Infinity) expect(found.job.runAt).toBe(second.runAt + wait);
      expect(await claimActions(storage, Math.min(second.runAt + wait, startOfTests + 365 * day) - 1)).toEqual([]);
    });

    test("counts what it takes itself: of two that are due a cap of one lets one go", async () => {
      await using opened = await open();
      const { storage, account, job, make } = await withScheduled(opened.storage, { spacing: noDistance });
      const second = await make.scheduledJob(storage, account);
      await storage.network.updateAccount(account.workspaceId, account.id, {
        caps: { invites: { day: 1 } },
        updatedAt: 1,
      });
      const now = Math.max(job.runAt, second.runAt);
      expect((await claimActions(storage, now)).map((due) => due.job.id)).toEqual([job.id]);
      const { action } = (await storage.network.action(account.workspaceId, second.id))!;
      expect(action).toMatchObject({ state: "scheduled", pendingReason: "dailyLimit" });
    });

    test.each(["a person on the do-not-contact list", "a deleted lead", "a person who is connected by now"])(
      "skips the action for %s",
      async (what) => {
        await using opened = await open();
        const make = createFactories();
        const { account } = await storedAccount(opened.storage, make);
        const lead = await make.storedLead(opened.storage, account.workspaceId);
        const { storage } = opened;
        const profileUrl = "https://network.example/in/ada";
        const job = await make.scheduledJob(storage, account, { action: { leadId: lead.id, profileUrl } });
        if (what.includes("list")) await make.storedSuppression(storage, null, "profile", profileUrl);
        else if (what.includes("lead"))
          await storage.leads.remove({
            workspaceId: account.workspaceId,
            id: lead.id,
            version: null,
            at: startOfTests,
          });
        else {
          const request = make.actionRequest(account, {
            action: { actionType: "checkConnectionStatus", profileUrl, state: "completed", slotAt: startOfTests },
            job: { status: "completed" },
          });
          await storage.network.record(request, "connected");
        }
        expect(await claimActions(storage, startOfTests + day)).toEqual([]);
        expect(await storage.network.action(account.workspaceId, job.id)).toMatchObject({
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
      await storage.network.edit(account.workspaceId, next.id, { notBefore: startOfTests }, startOfTests);
      await storage.network.claimDue({ now: startOfTests, limit: 9, leaseUntil: 0 });
      const stored = await storage.network.action(account.workspaceId, job.id);
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
        const before = await storage.network.action(job.workspaceId, job.id);
        expect(await write(storage, claimOf(claimed))).toBe(false);
        expect(await storage.network.action(job.workspaceId, job.id)).toEqual(before);
        expect(await storage.network.account(job.workspaceId, account.id)).toEqual(account);
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
      expect(await storage.network.action(account.workspaceId, job.id)).toMatchObject({
        action: { state: "completed" },
      });
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
      const found = await (await opened.reopen()).network.action(job.workspaceId, job.id);
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
      expect(await storage.network.action(job.workspaceId, job.id)).toMatchObject({
        action: { state: "scheduled", slotAt: now + hour, notBefore: now + hour, pendingReason: "retry" },
        job: { status: "pending", runAt: now + hour, failures: attempt, message: "Later." },
      });
      expect(await claimActions(storage, now + hour - 1)).toEqual([]);
      now += hour;
      expect(await claimAction(storage, now)).toMatchObject({ job: { attempt: attempt + 1 } });
    }
    expect(await storage.network.defer({ id: job.id, attempt: 5 }, { ...busy, at: now })).toBe(true);
    expect(await storage.network.action(job.workspaceId, job.id)).toMatchObject({ action: { state: "failed" } });
  });

  test("a limit lets the meter rest longer each time, holds its kind only, and is forgotten a week after the rest", async () => {
    await using opened = await open();
    const { storage, account, make } = await withClaimed(opened.storage);
    const untils: number[] = [];
    let { job } = await withDue(storage, make, account, startOfTests + minute);
    for (const wait of [0, 0, 0, 8 * day]) {
      const [rest] = await storage.network.coolDowns(account.workspaceId, account.id);
      const now = (rest?.until ?? startOfTests + minute) + wait;
      if (rest !== undefined) ({ job } = await claimAction(storage, now));
      await storage.network.defer(claimOf(job), { kind: "limited", retryAt: null, reason: "Enough.", at: now });
      const [after] = await storage.network.coolDowns(account.workspaceId, account.id);
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
    expect(await storage.network.account(account.workspaceId, account.id)).toMatchObject({
      state: "needsReconnect",
      stateReason: "Sign in.",
    });
    expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
    expect(await storage.network.action(job.workspaceId, job.id)).toMatchObject({ action: { state: "scheduled" } });
  });
});
