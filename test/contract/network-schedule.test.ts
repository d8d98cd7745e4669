import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import { actionTypes } from "../../src/features/network/action-kinds.ts";
import type { ScheduleOutcome } from "../../src/features/network/queue-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimOf, createFactories } from "../support/factories.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const isoOf = (at: number) => new Date(at).toISOString();

describe.each(enginesAndPostgres)("scheduling of network actions on $name", ({ open }) => {
  test("an action that may run now is due now, and its job tells so", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const request = make.actionRequest(account, { job: { metadata: { actionType: "sendMessage" } } });
    const outcome = await storage.network.schedule(request, false);
    const action = { ...request.action, slotAt: startOfTests, pendingReason: "queued" as const };
    expect(outcome).toEqual({ kind: "scheduled", action, job: { ...request.job, runAt: startOfTests } });
    const now = isoOf(startOfTests);
    expect(await storage.jobs.get(account.workspaceId, request.job.id)).toMatchObject({
      status: "pending",
      runAt: startOfTests,
      message: `Waiting until ${now} for its turn in the queue`,
      metadata: {
        actionType: "sendMessage",
        delay: 0,
        scheduledFor: now,
        nextEligibleAt: now,
        pendingReason: "queued",
      },
    });
    expect((await storage.network.action(account.workspaceId, request.job.id))?.action).toEqual(action);
  });

  test("actions keep their distance: the first waits for it, those behind for their turn", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const jobs = [];
    for (let n = 0; n < 3; n++) jobs.push(await make.scheduledJob(storage, account));
    expect(jobs.map(({ runAt }) => runAt - startOfTests)).toEqual([0, minute, 2 * minute]);
    const shown = await Promise.all(
      jobs.map(async ({ id }) => (await storage.jobs.get(account.workspaceId, id))?.metadata),
    );
    expect(shown.map((metadata) => metadata?.["pendingReason"])).toEqual(["queued", "spacing", "queued"]);
    expect(shown[1]).toMatchObject({ delay: minute, scheduledFor: isoOf(startOfTests + minute) });
  });

  test.each<[string, Partial<NetworkAccount>, number, string]>([
    [
      "working hours",
      { workingHours: [[], [{ from: 540, to: 1080 }], [], [], [], [], []] },
      23 * hour,
      "outsideWorkingHours",
    ],
    ["the cap of its kind in a day", { caps: { invites: { day: 2 } } }, day, "dailyLimit"],
    ["the cap of everything in a day", { caps: { all: { day: 2 } } }, day, "dailyLimit"],
    ["the cap of a week", { caps: { invites: { week: 2 } } }, 7 * day, "weeklyLimit"],
    ["the cap of a month", { caps: { all: { month: 2 } } }, 30 * day, "monthlyLimit"],
    ["the warm-up", { warmUp: { perDay: 2, addPerDay: 0, startedAt: startOfTests } }, day, "warmup"],
  ])("an action waits for %s", async (_what, change, delay, reason) => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, change);
    const jobs = [];
    for (let n = 0; n < 3; n++) jobs.push(await make.scheduledJob(storage, account));
    const last = delay === 23 * hour ? jobs[0]! : jobs[2]!;
    expect(last.runAt).toBe(startOfTests + delay);
    expect((await storage.jobs.get(account.workspaceId, last.id))?.metadata).toMatchObject({
      pendingReason: reason,
      nextEligibleAt: isoOf(startOfTests + delay),
    });
  });

  test("a note takes from the notes of a month, and requests without one go on", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { tier: "free", connector: "manual" });
    const withNote = () => make.scheduledJob(storage, account, { action: { message: "Hello" } });
    for (let n = 0; n < 5; n++) expect((await withNote()).runAt).toBe(startOfTests + n * minute);
    const waiting = await withNote();
    expect(waiting.runAt).toBe(startOfTests + 30 * day);
    expect((await storage.jobs.get(account.workspaceId, waiting.id))?.metadata["pendingReason"]).toBe(
      "monthlyNoteLimit",
    );
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + 5 * minute);
  });

  test("an action that is asked for later is not placed earlier, and does not hold others back", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const later = await make.scheduledJob(storage, account, { action: { notBefore: startOfTests + hour } });
    expect(later.runAt).toBe(startOfTests + hour);
    expect((await storage.jobs.get(account.workspaceId, later.id))?.metadata["pendingReason"]).toBe("notBefore");
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test.each<[string, Partial<NetworkAccount>, string]>([
    ["hours that never open", { workingHours: alwaysOpen.map(() => []) }, "outsideWorkingHours"],
    ["a cap of 0", { caps: { invites: { day: 0 } } }, "dailyLimit"],
    ["a cap of 0 for everything", { caps: { all: { week: 0 } } }, "weeklyLimit"],
  ])("with %s nothing is stored", async (_what, change, reason) => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, change);
    const request = make.actionRequest(account);
    expect(await storage.network.schedule(request, false)).toMatchObject({ kind: "never", reason });
    expect(await storage.network.action(account.workspaceId, request.job.id)).toBeNull();
    expect(await storage.jobs.get(account.workspaceId, request.job.id)).toBeNull();
    await storage.network.updateAccount(account.workspaceId, account.id, {
      caps: {},
      workingHours: alwaysOpen,
      updatedAt: 1,
    });
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test("two hundred actions that are scheduled at once take two hundred slots, spaced and within the caps", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { caps: { all: { day: 60 } } });
    const requests = Array.from({ length: 200 }, (_, n) =>
      make.actionRequest(account, {
        action: { draw: (n % 10) / 10, actionType: n % 3 === 0 ? "visitProfile" : "sendConnectionRequest" },
      }),
    );
    const outcomes = await Promise.all(requests.map((request) => storage.network.schedule(request, false)));
    const slots = outcomes
      .map((outcome) => (outcome.kind === "scheduled" ? outcome.job.runAt : 0))
      .toSorted((a, b) => a - b);
    for (const [index, slot] of slots.entries()) {
      if (index > 0) expect(slot - slots[index - 1]!).toBeGreaterThanOrEqual(minute);
      if (index >= 60) expect(slot - slots[index - 60]!).toBeGreaterThanOrEqual(day);
    }
    const stored = await storage.jobs.page({
      workspaceId: account.workspaceId,
      filter: {},
      limit: 300,
      offset: 0,
      after: null,
    });
    expect(stored.map(({ runAt }) => runAt).toSorted((a, b) => a - b)).toEqual(slots);
  });

  test("accounts do not wait for each other", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const second = make.account(account.workspaceId, { workingHours: alwaysOpen });
    await storage.network.insertAccount(second);
    const jobs = [await make.scheduledJob(storage, account), await make.scheduledJob(storage, second)];
    expect(jobs.map(({ runAt }) => runAt)).toEqual([startOfTests, startOfTests]);
  });

  test("a dry run foretells the slot, also a freed one, and stores nothing", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage, { caps: { invites: { day: 3 } } });
    const jobs = [];
    for (let n = 0; n < 5; n++) jobs.push(await make.scheduledJob(storage, account));
    await storage.jobs.cancel(account.workspaceId, jobs[1]!.id, startOfTests);
    for (let n = 0; n < 3; n++) {
      const request = make.actionRequest(account);
      const foretold = await storage.network.schedule(request, true);
      expect(await storage.network.schedule(request, true)).toEqual(foretold);
      expect(await storage.network.action(account.workspaceId, request.job.id)).toBeNull();
      const slot = (outcome: ScheduleOutcome) => (outcome.kind === "scheduled" ? outcome.job.runAt : null);
      expect(await storage.network.schedule(request, false)).toEqual(foretold);
      if (n === 0) expect(slot(foretold)).toBe(jobs[1]!.runAt);
    }
  });

  describe("a person who must not, or need not, get it", () => {
    const profileUrl = "https://network.example/in/ada";
    const invite = { action: { profileUrl } };

    test("is told of at scheduling: on the do-not-contact list, by profile or by the lead's address", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      await make.storedSuppression(storage, account.workspaceId, "profile", profileUrl);
      const lead = await make.storedLead(storage, account.workspaceId, { email: "bob@example.com" });
      await make.storedSuppression(storage, null, "email", "bob@example.com");
      for (const action of [{ profileUrl }, { leadId: lead.id }])
        for (const actionType of ["sendMessage", "visitProfile", "sendConnectionRequest"] as const) {
          const request = make.actionRequest(account, { action: { ...action, actionType } });
          const refused = { kind: "objected", objection: { kind: "doNotContact" } };
          expect(await storage.network.schedule(request, false)).toMatchObject(refused);
          expect(await storage.network.schedule(request, true)).toMatchObject(refused);
        }
      const withdrawal = make.actionRequest(account, {
        action: { profileUrl, actionType: "withdrawConnectionRequest" },
      });
      expect((await storage.network.schedule(withdrawal, false)).kind).toBe("scheduled");
    });

    test("is not invited again while a request is pending, when connected, or within 21 days of a withdrawal", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const carryOut = async (now: number, actionType: "sendConnectionRequest" | "withdrawConnectionRequest") => {
        await make.scheduledJob(storage, account, {
          action: { profileUrl, actionType, notBefore: now },
          job: { createdAt: now },
        });
        const { job } = await claimAction(storage, now);
        await storage.network.endAction(claimOf(job), actionEnd({ at: now }));
      };
      const inviteAt = (now: number) =>
        storage.network.schedule(make.actionRequest(account, { ...invite, job: { createdAt: now } }), true);
      await carryOut(startOfTests, "sendConnectionRequest");
      expect(await inviteAt(startOfTests + day)).toEqual({
        kind: "objected",
        objection: { kind: "alreadyPending", since: startOfTests },
      });
      const withdrawnAt = startOfTests + 2 * day;
      await carryOut(withdrawnAt, "withdrawConnectionRequest");
      const until = withdrawnAt + 21 * day;
      expect(await inviteAt(until - 1)).toEqual({ kind: "objected", objection: { kind: "cannotResendYet", until } });
      expect((await inviteAt(until)).kind).toBe("scheduled");
      await storage.network.noteNews(
        account.id,
        [{ profileKey: profileUrl, kind: "accepted", at: until + 1 }],
        until + 1,
      );
      expect(await inviteAt(until + day)).toMatchObject({ kind: "objected", objection: { kind: "alreadyConnected" } });
    });
  });

  describe("an action that is on its way already", () => {
    const profileUrl = "https://network.example/in/ada";

    test("is answered instead of a second one, and takes no slot", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const job = await make.scheduledJob(storage, account, { action: { profileUrl } });
      const again = make.actionRequest(account, {
        action: { profileUrl: "HTTPS://www.network.example/in/Ada/?x=1", message: "Hello" },
      });
      expect(await storage.network.schedule(again, false)).toMatchObject({
        kind: "existing",
        job,
        action: { jobId: job.id },
      });
      expect(await storage.network.action(account.workspaceId, again.job.id)).toBeNull();
      expect(await storage.jobs.get(account.workspaceId, again.job.id)).toBeNull();
      expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + minute);
    });

    test("is answered to all but one of those that ask at once", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const requests = Array.from({ length: 20 }, () => make.actionRequest(account, { action: { profileUrl } }));
      const outcomes = await Promise.all(requests.map((request) => storage.network.schedule(request, false)));
      const { scheduled, existing } = Object.groupBy(outcomes, ({ kind }) => kind);
      expect([scheduled?.length, existing?.length]).toEqual([1, 19]);
      expect(new Set(outcomes.map((outcome) => (outcome as { job: Job }).job.id)).size).toBe(1);
    });

    test("is one of the same account and the same kind", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const second = make.account(account.workspaceId);
      await storage.network.insertAccount(second);
      const requests = [account, second].flatMap((of) =>
        actionTypes.map((actionType) =>
          make.actionRequest(of, { action: { profileUrl, actionType, details: { allowOverlap: true } } }),
        ),
      );
      const outcomes = await Promise.all(requests.map((request) => storage.network.schedule(request, false)));
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["scheduled"]));
    });

    test.each(["awaitingApproval", "scheduled", "sending", "awaiting"] as const)(
      "is answered while it is %s",
      async (state) => {
        await using opened = await open();
        const { storage, account, make } = await withAccount(opened.storage);
        const waits = state === "awaitingApproval" ? { state } : {};
        const job = await make.scheduledJob(storage, account, { action: { profileUrl, ...waits } });
        if (state === "sending" || state === "awaiting") {
          const { job: claimed } = await claimAction(storage);
          const handed = { to: "person", reference: null, checkAt: null, message: "", at: startOfTests } as const;
          if (state === "awaiting") await storage.network.delegate(claimOf(claimed), handed);
        }
        const outcome = await storage.network.schedule(make.actionRequest(account, { action: { profileUrl } }), false);
        expect(outcome).toMatchObject({ kind: "existing", job: { id: job.id }, action: { state } });
      },
    );

    test.each(["skipped", "failed", "unknown"] as const)(
      "is over once it is %s, and the next request schedules anew",
      async (state) => {
        await using opened = await open();
        const { storage, account, make } = await withAccount(opened.storage);
        await make.scheduledJob(storage, account, { action: { profileUrl } });
        const { job } = await claimAction(storage);
        await storage.network.endAction(claimOf(job), actionEnd({ state }));
        const outcome = await storage.network.schedule(make.actionRequest(account, { action: { profileUrl } }), false);
        expect(outcome.kind).toBe("scheduled");
      },
    );

    test("is answered again once it is back in the queue, whatever was scheduled after it meanwhile", async () => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const { workspaceId } = account;
      const first = await make.scheduledJob(storage, account, { action: { profileUrl } });
      await storage.network.cancel(workspaceId, first.id, startOfTests);
      const second = await make.scheduledJob(storage, account, { action: { profileUrl } });
      const request = make.actionRequest(account, { action: { profileUrl } });
      expect(await storage.network.schedule(request, true)).toMatchObject({ job: { id: second.id } });
      expect((await storage.jobs.retry(workspaceId, first.id, startOfTests)).kind).toBe("refused");
      await storage.network.cancel(workspaceId, second.id, startOfTests);
      expect((await storage.network.schedule(request, true)).kind).toBe("scheduled");
      expect((await storage.jobs.retry(workspaceId, first.id, startOfTests)).kind).toBe("changed");
      const outcome = await storage.network.schedule(request, false);
      expect(outcome).toMatchObject({ kind: "existing", job: { id: first.id } });
    });
  });

  test("an account that is gone, or is somebody else's, takes no action", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const stranger = (await make.storedUser(storage)).user.id;
    for (const of of [
      { id: "nothing", workspaceId: stranger },
      { id: account.id, workspaceId: stranger },
    ]) {
      const request = make.actionRequest(of);
      expect(await storage.network.schedule(request, false)).toEqual({ kind: "accountGone" });
      expect(await storage.network.action(stranger, request.job.id)).toBeNull();
      expect(await storage.jobs.get(stranger, request.job.id)).toBeNull();
    }
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test("a job that can't be stored takes no slot", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const taken = await make.storedJob(storage, account.workspaceId);
    const request = make.actionRequest(account, { job: { id: taken.id } });
    await expect(storage.network.schedule(request, false)).rejects.toThrow();
    expect(await storage.network.action(account.workspaceId, taken.id)).toBeNull();
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
  });

  test("scheduled actions and the slots that they took are there after the process was killed", async () => {
    await using opened = await open();
    const { account, make } = await withAccount(opened.storage);
    const job = await make.scheduledJob(opened.storage, account);
    const storage = await opened.reopen();
    expect(await storage.jobs.get(account.workspaceId, job.id)).toMatchObject({ runAt: job.runAt, status: "pending" });
    expect(await storage.network.action(account.workspaceId, job.id)).toMatchObject({ action: { state: "scheduled" } });
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + minute);
  });
});

async function withAccount(storage: Storage, overrides: Partial<NetworkAccount> = {}) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const account = make.account(user.id, { workingHours: alwaysOpen, ...overrides });
  await storage.network.insertAccount(account);
  return { storage, account, make };
}
