import { describe, expect, test } from "bun:test";
import { untouched, type Campaign, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { EnrollmentFilter } from "../../src/features/campaigns/store.ts";
import type { Lead } from "../../src/features/leads/model.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimActions, claimOf, createFactories } from "../support/factories.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

describe.each(enginesAndPostgres)("campaigns on $name", ({ open, isSingleWriter }) => {
  describe("a campaign", () => {
    test("is kept as it was given, over a restart, for its user alone", async () => {
      await using opened = await open();
      const { user, stranger, campaign } = await createWorld(opened.storage);
      const storage = await opened.reopen();
      expect(await storage.campaigns.get(user.id, campaign.id)).toEqual(campaign);
      expect(await storage.campaigns.get(stranger.id, campaign.id)).toBeNull();
      expect(await storage.campaigns.list(stranger.id, 10)).toEqual([]);
    });

    test("keeps the texts of its steps, whatever characters they have", async () => {
      await using opened = await open();
      const { storage, user, campaignOf } = await createWorld(opened.storage);
      const note = "\u0000\ud800é";
      const odd = campaignOf({ steps: [{ type: "action", actionType: "sendConnectionRequest", message: note }] });
      await storage.campaigns.insert(odd);
      expect(await storage.campaigns.get(user.id, odd.id)).toEqual(odd);
    });

    test("is listed behind newer ones", async () => {
      await using opened = await open();
      const { user, campaign, campaignOf } = await createWorld(opened.storage);
      const newer = campaignOf({ createdAt: startOfTests + 1 });
      await opened.storage.campaigns.insert(newer);
      const listed = await opened.storage.campaigns.list(user.id, 10);
      expect(listed.map(({ id }) => id)).toEqual([newer.id, campaign.id]);
    });

    test("changes only in the states that are named, and only for its user", async () => {
      await using opened = await open();
      const { storage, user, stranger, campaign } = await createWorld(opened.storage);
      const change = { name: "Autumn", updatedAt: startOfTests + 1 };
      expect(await storage.campaigns.update(user.id, campaign.id, ["draft", "paused"], change)).toBeNull();
      expect(await storage.campaigns.update(stranger.id, campaign.id, ["running"], change)).toBeNull();
      expect(await storage.campaigns.get(user.id, campaign.id)).toEqual(campaign);
      const changed = { ...campaign, ...change, version: 2 };
      expect(await storage.campaigns.update(user.id, campaign.id, ["running"], change)).toEqual(changed);
      expect(await storage.campaigns.get(user.id, campaign.id)).toEqual(changed);
    });

    test("is edited by one of many who edit the same version at the same time", async () => {
      await using opened = await open();
      const { storage, user, campaign } = await createWorld(opened.storage);
      const edit = (n: number) =>
        storage.campaigns.update(user.id, campaign.id, ["running"], { name: `Name ${n}`, updatedAt: n }, null, 1);
      const edited = (await Promise.all([1, 2, 3].map(edit))).filter((each) => each !== null);
      expect(edited).toHaveLength(1);
      expect(await storage.campaigns.get(user.id, campaign.id)).toEqual(edited[0]!);
      expect(await edit(4)).toBeNull();
    });

    test("gives each enrollment the steps in which it is, after they were changed twice", async () => {
      await using opened = await open();
      const { storage, user, campaignOf, enrolled } = await createWorld(opened.storage);
      const stepsOf = (message: string): Campaign["steps"] => [
        { type: "action", actionType: "sendConnectionRequest", message },
        { type: "wait", days: 1 },
      ];
      const campaign = campaignOf({ startedAt: startOfTests, steps: stepsOf("one") });
      await storage.campaigns.insert(campaign);
      const change = (message: string) =>
        storage.campaigns.update(user.id, campaign.id, ["running"], { steps: stepsOf(message), updatedAt: 1 });
      expect(await change("two")).toMatchObject({ version: 2, firstStep: 3 });
      expect(await change("three")).toMatchObject({ version: 3, firstStep: 6 });
      for (const atStep of [1, 3, 6])
        await enrolled({ campaignId: campaign.id, atStep, wakeAt: startOfTests + atStep });
      const due = await (await opened.reopen()).campaigns.due(startOfTests + 10, 10);
      expect(due.map(({ enrollment, earlier }) => [enrollment.atStep, earlier])).toEqual([
        [1, { firstStep: 0, steps: stepsOf("one") }],
        [3, { firstStep: 3, steps: stepsOf("two") }],
        [6, null],
      ]);
    });

    test("is started by one of many who start it at the same time", async () => {
      await using opened = await open();
      const { storage, user, campaignOf } = await createWorld(opened.storage);
      const draft = campaignOf({ state: "draft" });
      await storage.campaigns.insert(draft);
      const start = (n: number) =>
        storage.campaigns.update(user.id, draft.id, ["draft"], { state: "running", startedAt: n, updatedAt: n });
      const started = await Promise.all([1, 2, 3].map(start));
      expect(started.filter((each) => each !== null)).toHaveLength(1);
    });

    test("is removed with its enrollments while it is a draft, and never later", async () => {
      await using opened = await open();
      const { storage, user, stranger, campaign, campaignOf, enrolled } = await createWorld(opened.storage);
      const draft = campaignOf({ state: "draft" });
      await storage.campaigns.insert(draft);
      const enrollment = await enrolled({ campaignId: draft.id });
      expect(await storage.campaigns.remove(user.id, campaign.id)).toBe(false);
      expect(await storage.campaigns.remove(stranger.id, draft.id)).toBe(false);
      expect(await storage.campaigns.remove(user.id, draft.id)).toBe(true);
      expect(await storage.campaigns.get(user.id, draft.id)).toBeNull();
      expect(await storage.campaigns.enrollments(user.id, draft.id, {}, null, 10)).toEqual([]);
      expect(
        await storage.campaigns.stop(user.id, enrollment.campaignId, enrollment.id, "byHand", startOfTests),
      ).toBeNull();
    });
  });

  describe("enrolling", () => {
    test("answers for each lead, in order, and stores those that nothing speaks against", async () => {
      await using opened = await open();
      const { storage, user, enrollmentOf, newLead, make } = await createWorld(opened.storage);
      const unwanted = await newLead();
      await make.storedSuppression(storage, user.id, "email", unwanted.email!);
      const fine = enrollmentOf(await newLead());
      const wishes = [fine, enrollmentOf(unwanted), enrollmentOf({ ...(await newLead()), id: "gone" }), { ...fine }];
      const before = await storage.campaigns.enroll(wishes, true, startOfTests);
      expect(before).toEqual([null, "doNotContact", "leadGone", null]);
      expect(await storage.campaigns.enrollments(user.id, fine.campaignId, {}, null, 10)).toEqual([]);
      const outcome = await storage.campaigns.enroll(wishes, false, startOfTests);
      expect(outcome).toEqual([null, "doNotContact", "leadGone", "alreadyEnrolled"]);
      expect(await storage.campaigns.enrollments(user.id, fine.campaignId, {}, null, 10)).toEqual([fine]);
    });

    test("the same lead many times at once enrolls it once", async () => {
      await using opened = await open();
      const { storage, enrollmentOf, newLead } = await createWorld(opened.storage);
      const lead = await newLead();
      const outcomes = await Promise.all(
        [1, 2, 3].map(() => storage.campaigns.enroll([enrollmentOf(lead)], false, startOfTests)),
      );
      expect(outcomes.flat().filter((outcome) => outcome === null)).toHaveLength(1);
    });

    test("into a campaign that has ended, or somebody else's, is refused", async () => {
      await using opened = await open();
      const { storage, stranger, campaignOf, enrollmentOf, newLead } = await createWorld(opened.storage);
      const ended = campaignOf({ state: "canceled" });
      await storage.campaigns.insert(ended);
      const lead = await newLead();
      const wishes = [enrollmentOf(lead, { campaignId: ended.id }), enrollmentOf(lead, { workspaceId: stranger.id })];
      expect(await storage.campaigns.enroll(wishes, false, startOfTests)).toEqual(["campaignEnded", "campaignEnded"]);
    });

    test("leaves out who is on the way through another campaign, if that is wished, until that is over", async () => {
      await using opened = await open();
      const { storage, user, campaignOf, enrollmentOf, enrolled, newLead } = await createWorld(opened.storage);
      const lead = await newLead();
      const first = await enrolled({}, lead);
      const settings = {
        stopOnReply: true,
        excludeOtherCampaigns: true,
        excludeContactedDays: null,
        allowOverlap: false,
      };
      const second = campaignOf({ settings });
      await storage.campaigns.insert(second);
      const wish = enrollmentOf(lead, { campaignId: second.id });
      expect(await storage.campaigns.enroll([wish], false, startOfTests)).toEqual(["inOtherCampaign"]);
      await storage.campaigns.stop(user.id, first.campaignId, first.id, "byHand", startOfTests);
      expect(await storage.campaigns.enroll([wish], false, startOfTests)).toEqual([null]);
    });

    test("leaves out who was sent something lately, if that is wished", async () => {
      await using opened = await open();
      const { storage, account, make, campaignOf, enrollmentOf, newLead } = await createWorld(opened.storage);
      const lead = await newLead();
      await make.scheduledJob(storage, account, { action: { profileUrl: lead.networkUrl! } });
      const { job } = await claimAction(storage);
      await storage.network.endAction(claimOf(job), actionEnd({ relation: "pending" }));
      const settings = {
        stopOnReply: true,
        excludeOtherCampaigns: false,
        excludeContactedDays: 30,
        allowOverlap: false,
      };
      const target = campaignOf({ settings });
      await storage.campaigns.insert(target);
      const wish = enrollmentOf(lead, { campaignId: target.id });
      expect(await storage.campaigns.enroll([wish], true, startOfTests + 29 * day)).toEqual(["contactedRecently"]);
      expect(await storage.campaigns.enroll([wish], true, startOfTests + 31 * day)).toEqual([null]);
    });
  });

  describe("what is due", () => {
    test("is what running campaigns have to look at, earliest first, with all that decides", async () => {
      await using opened = await open();
      const { storage, user, campaign, campaignOf, enrolled, newLead } = await createWorld(opened.storage);
      const lead = await newLead();
      const late = await enrolled({ wakeAt: startOfTests + 2 });
      const early = await enrolled({ wakeAt: startOfTests + 1 }, lead);
      await enrolled({ wakeAt: startOfTests + 3 });
      await enrolled({ wakeAt: null });
      const paused = campaignOf({ state: "paused" });
      await storage.campaigns.insert(paused);
      await enrolled({ campaignId: paused.id });
      const due = await storage.campaigns.due(startOfTests + 2, 10);
      expect(due.map(({ enrollment }) => enrollment.id)).toEqual([early.id, late.id]);
      expect(due[0]).toEqual({ enrollment: early, campaign, earlier: null, lead, contact: null, action: null });
      expect(await storage.campaigns.due(startOfTests + 2, 1)).toHaveLength(1);
      expect(await storage.campaigns.nextDueAt()).toBe(startOfTests + 1);
      await storage.campaigns.update(user.id, campaign.id, ["running"], { state: "paused", updatedAt: startOfTests });
      expect(await storage.campaigns.due(startOfTests + 2, 10)).toEqual([]);
      expect(await storage.campaigns.nextDueAt()).toBeNull();
    });

    test("comes when the action of its step has ended", async () => {
      await using opened = await open();
      const { storage, moved } = await createWorld(opened.storage);
      const { enrollment, jobId } = await moved();
      expect(await storage.campaigns.due(startOfTests + day, 10)).toEqual([]);
      const { job } = await claimAction(storage);
      await storage.network.endAction(claimOf(job), actionEnd({ relation: "pending" }));
      const [due] = await storage.campaigns.due(startOfTests, 10);
      expect(due).toMatchObject({
        enrollment: { id: enrollment.id, jobId },
        contact: { relation: "pending" },
        action: { jobId, state: "completed" },
      });
    });

    test("comes when the person accepts or answers, which is written down", async () => {
      await using opened = await open();
      const { storage, account, invited } = await createWorld(opened.storage);
      const { id, profileKey, version } = await invited();
      const wait = { atStep: 4, wakeAt: startOfTests + 14 * day, jobId: null, updatedAt: startOfTests };
      await storage.campaigns.move({ id, version }, wait, null);
      const note = (kind: "accepted" | "replied", at: number) =>
        storage.network.noteNews(account.id, [{ profileKey, kind, at }], at);
      await note("accepted", startOfTests + minute);
      const [accepted] = await storage.campaigns.due(startOfTests + minute, 10);
      expect(accepted?.enrollment).toMatchObject({ id, connectedAt: startOfTests + minute, repliedAt: null });
      await note("replied", startOfTests + 2 * minute);
      const [replied] = await storage.campaigns.due(startOfTests + 2 * minute, 10);
      expect(replied?.enrollment).toMatchObject({ id, repliedAt: startOfTests + 2 * minute });
      expect(replied?.enrollment.version).toBeGreaterThan(accepted!.enrollment.version);
    });

    test("knows of a lead that was deleted", async () => {
      await using opened = await open();
      const { storage, user, enrolled } = await createWorld(opened.storage);
      const { leadId } = await enrolled();
      await storage.leads.remove({ workspaceId: user.id, id: leadId, version: null, at: startOfTests });
      expect(await storage.campaigns.due(startOfTests, 10)).toMatchObject([{ enrollment: { leadId }, lead: null }]);
    });
  });

  describe("a move", () => {
    test("with an action stores both, found again by who is killed right after", async () => {
      await using opened = await open();
      const { storage, user, enrolled, stepOf } = await createWorld(opened.storage);
      const enrollment = await enrolled();
      const { change, request } = stepOf(enrollment);
      expect(await storage.campaigns.move(enrollment, change, request)).toMatchObject({ kind: "scheduled" });
      const next = await opened.reopen();
      expect(await next.campaigns.enrollments(user.id, enrollment.campaignId, {}, null, 10)).toMatchObject([
        { atStep: 3, wakeAt: null, jobId: request.job.id, version: enrollment.version + 1 },
      ]);
      expect(await next.network.action(user.id, request.job.id)).toMatchObject({
        action: { enrollmentId: enrollment.id, state: "scheduled" },
      });
    });

    test.each(["objected", "never"] as const)("whose action is %s changes nothing", async (kind) => {
      await using opened = await open();
      const { storage, user, account, make, enrolled, stepOf } = await createWorld(opened.storage);
      const enrollment = await enrolled();
      const { change, request } = stepOf(enrollment);
      if (kind === "objected") await make.storedSuppression(storage, user.id, "profile", enrollment.profileKey);
      else await storage.network.updateAccount(user.id, account.id, { caps: { invites: { day: 0 } }, updatedAt: 1 });
      expect(await storage.campaigns.move(enrollment, change, request)).toMatchObject({ kind });
      expect(await storage.campaigns.enrollments(user.id, enrollment.campaignId, {}, null, 10)).toEqual([enrollment]);
      expect(await storage.network.action(user.id, request.job.id)).toBeNull();
      expect(await storage.jobs.get(user.id, request.job.id)).toBeNull();
    });

    test("of an old version is refused, and of two at the same time one holds", async () => {
      await using opened = await open();
      const { storage, account, enrolled, invited, stepOf } = await createWorld(opened.storage);
      const other = await invited();
      const enrollment = await enrolled();
      const steps = [stepOf(enrollment), stepOf(enrollment)];
      const outcomes = await Promise.all(
        steps.map(({ change, request }) => storage.campaigns.move(enrollment, change, request)),
      );
      const kinds = outcomes.map((outcome) => outcome?.kind ?? null);
      if (isSingleWriter) expect(kinds).toEqual(["scheduled", null]);
      else expect(new Set(kinds)).toEqual(new Set(["scheduled", null]));
      const news = { profileKey: other.profileKey, kind: "replied" as const, at: startOfTests };
      await storage.network.noteNews(account.id, [news], startOfTests);
      expect(await storage.campaigns.move(other, { wakeAt: null, updatedAt: startOfTests }, null)).toBeNull();
    });

    test("sends nothing while the campaign is paused, or over for this lead", async () => {
      await using opened = await open();
      const { storage, user, campaign, enrolled, stepOf } = await createWorld(opened.storage);
      const [waiting, stopped] = [await enrolled(), await enrolled()];
      await storage.campaigns.stop(user.id, stopped.campaignId, stopped.id, "byHand", startOfTests);
      const toStopped = stepOf(stopped);
      expect(await storage.campaigns.move(stopped, toStopped.change, toStopped.request)).toBeNull();
      await storage.campaigns.update(user.id, campaign.id, ["running"], { state: "paused", updatedAt: startOfTests });
      const toWaiting = stepOf(waiting);
      expect(await storage.campaigns.move(waiting, toWaiting.change, toWaiting.request)).toBeNull();
      expect(await claimActions(storage)).toEqual([]);
    });

    test("that ends the way takes back what still waits, and leaves what is being sent", async () => {
      await using opened = await open();
      const { storage, user, moved } = await createWorld(opened.storage);
      const waiting = await moved({ notBefore: startOfTests + day });
      const sending = await moved();
      const { job } = await claimAction(storage);
      for (const { enrollment } of [waiting, sending])
        expect(
          await storage.campaigns.stop(user.id, enrollment.campaignId, enrollment.id, "replied", startOfTests),
        ).toMatchObject({
          state: "stopped",
          reason: "replied",
          wakeAt: null,
        });
      const stateOf = async (jobId: string) => (await storage.network.action(user.id, jobId))?.action.state;
      expect(await stateOf(waiting.jobId)).toBe("canceled");
      expect([job.id, await stateOf(sending.jobId)]).toEqual([sending.jobId, "sending"]);
    });
  });

  test("withdrawn actions leave the queue in slices, and their steps begin again", async () => {
    await using opened = await open();
    const { storage, user, campaign, moved } = await createWorld(opened.storage);
    const all = [await moved(), await moved(), await moved()];
    expect(await storage.campaigns.withdrawActions(campaign.id, 2, startOfTests + 1)).toBe(2);
    expect(await storage.campaigns.withdrawActions(campaign.id, 2, startOfTests + 1)).toBe(1);
    expect(await storage.campaigns.withdrawActions(campaign.id, 2, startOfTests + 1)).toBe(0);
    expect(await claimActions(storage, startOfTests + day)).toEqual([]);
    for (const { jobId } of all) expect((await storage.network.action(user.id, jobId))?.action.state).toBe("canceled");
    const due = await storage.campaigns.due(startOfTests + 1, 10);
    expect(due.map(({ enrollment, action }) => [enrollment.state, enrollment.jobId, action])).toEqual(
      all.map(() => ["active", null, null]),
    );
  });

  test("stopping all ends active enrollments in slices, with the reason, and no other campaign's", async () => {
    await using opened = await open();
    const { storage, user, campaign, campaignOf, enrolled } = await createWorld(opened.storage);
    const other = campaignOf();
    await storage.campaigns.insert(other);
    await enrolled({ campaignId: other.id });
    for (let n = 0; n < 3; n++) await enrolled();
    const stop = () => storage.campaigns.stopAll(campaign.id, "campaignCanceled", 2, startOfTests);
    expect([await stop(), await stop(), await stop()]).toEqual([2, 1, 0]);
    const states = async ({ id }: Campaign) =>
      (await storage.campaigns.enrollments(user.id, id, {}, null, 10)).map(({ state, reason }) => [state, reason]);
    expect(await states(campaign)).toEqual([1, 2, 3].map(() => ["stopped", "campaignCanceled"]));
    expect(await states(other)).toEqual([["active", null]]);
  });

  test("enrollments are listed by id in pages, narrowed by state, for their user alone", async () => {
    await using opened = await open();
    const { storage, user, stranger, campaign, enrolled } = await createWorld(opened.storage);
    const all: Enrollment[] = [];
    for (let n = 0; n < 5; n++) all.push(await enrolled());
    all.sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = (after: string | null) => storage.campaigns.enrollments(user.id, campaign.id, {}, after, 2);
    expect(await page(null)).toEqual(all.slice(0, 2));
    expect(await page(all[1]!.id)).toEqual(all.slice(2, 4));
    expect(await page(all[3]!.id)).toEqual(all.slice(4));
    expect(await storage.campaigns.stop(user.id, "another", all[2]!.id, "byHand", startOfTests)).toBeNull();
    expect(await storage.campaigns.enrollments(user.id, campaign.id, { state: "stopped" }, null, 10)).toEqual([]);
    await storage.campaigns.stop(user.id, all[2]!.campaignId, all[2]!.id, "byHand", startOfTests);
    const stopped = await storage.campaigns.enrollments(user.id, campaign.id, { state: "stopped" }, null, 10);
    expect(stopped.map(({ id }) => id)).toEqual([all[2]!.id]);
    expect(await storage.campaigns.enrollments(stranger.id, campaign.id, {}, null, 10)).toEqual([]);
  });

  test("enrollments are narrowed by outcome and state, and counted so", async () => {
    await using opened = await open();
    const { storage, user, stranger, campaign, enrolled } = await createWorld(opened.storage);
    const { campaigns } = storage;
    const at = startOfTests;
    await enrolled();
    const connected = await enrolled({ connectedAt: at });
    const replied = await enrolled({ connectedAt: at, repliedAt: at, interestedAt: at });
    await campaigns.stop(user.id, campaign.id, connected.id, "byHand", startOfTests);
    const found = async (filter: EnrollmentFilter, userId = user.id) => {
      const listed = await campaigns.enrollments(userId, campaign.id, filter, null, 10);
      expect(await campaigns.countEnrollments(userId, campaign.id, filter)).toBe(listed.length);
      return listed.map(({ id }) => id);
    };
    expect(await found({})).toHaveLength(3);
    expect(await found({ outcome: "connected" })).toEqual([connected.id, replied.id].toSorted());
    expect(await found({ outcome: "connected", state: "stopped" })).toEqual([connected.id]);
    expect(await found({ outcome: "replied" })).toEqual([replied.id]);
    expect(await found({ outcome: "interested" })).toEqual([replied.id]);
    expect(await found({ outcome: "connected" }, stranger.id)).toEqual([]);
  });

  test("the numbers are those of people, states and actions", async () => {
    await using opened = await open();
    const { storage, user, account, campaign, invited, moved } = await createWorld(opened.storage);
    const { profileKey } = await invited();
    await storage.network.noteNews(account.id, [{ profileKey, kind: "accepted", at: startOfTests }], startOfTests);
    await storage.network.noteNews(account.id, [{ profileKey, kind: "replied", at: startOfTests }], startOfTests);
    await moved();
    const { enrollment } = await moved();
    await storage.campaigns.stop(user.id, enrollment.campaignId, enrollment.id, "byHand", startOfTests);
    const { enrollments, ...others } = await storage.campaigns.counts(campaign.id);
    expect(enrollments.toSorted((a, b) => (a.state < b.state ? -1 : 1))).toEqual([
      { state: "active", reason: null, n: 2 },
      { state: "stopped", reason: "byHand", n: 1 },
    ]);
    expect(others).toEqual({
      connected: 1,
      replied: 1,
      actions: [
        { step: 3, state: "canceled", n: 1 },
        { step: 3, state: "completed", n: 1 },
        { step: 3, state: "scheduled", n: 1 },
      ],
    });
  });
});

/** A user with an account that is always open, a running campaign without exclusions, and somebody else. */
async function createWorld(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const { user: stranger } = await make.storedUser(storage);
  const account: NetworkAccount = make.account(user.id, { workingHours: alwaysOpen });
  await storage.network.insertAccount(account);
  const campaign = campaignOf();
  await storage.campaigns.insert(campaign);
  let people = 0;

  function campaignOf(overrides: Partial<Campaign> = {}): Campaign {
    return {
      id: make.ids.next(startOfTests),
      workspaceId: user.id,
      name: "Spring",
      state: "running",
      steps: [{ type: "action", actionType: "visitProfile" }],
      accountIds: [account.id],
      settings: { stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false },
      winners: {},
      version: 1,
      firstStep: 0,
      startedAt: null,
      createdAt: startOfTests,
      updatedAt: startOfTests,
      ...overrides,
    };
  }

  function newLead(): Promise<Lead> {
    return make.storedLead(storage, user.id, { networkUrl: `https://network.example/in/lead-${++people}` });
  }

  function enrollmentOf({ id: leadId, networkUrl }: Lead, overrides: Partial<Enrollment> = {}): Enrollment {
    return {
      id: make.ids.next(startOfTests),
      campaignId: campaign.id,
      workspaceId: user.id,
      leadId,
      accountId: account.id,
      profileKey: networkUrl!,
      state: "active",
      reason: null,
      atStep: 0,
      sinceAt: startOfTests,
      wakeAt: startOfTests,
      jobId: null,
      connectedAt: null,
      repliedAt: null,
      ...untouched,
      version: 1,
      createdAt: startOfTests,
      updatedAt: startOfTests,
      ...overrides,
    };
  }

  async function enrolled(overrides: Partial<Enrollment> = {}, lead?: Lead): Promise<Enrollment> {
    const enrollment = enrollmentOf(lead ?? (await newLead()), overrides);
    const [refusal] = await storage.campaigns.enroll([enrollment], false, startOfTests);
    if (refusal !== null) throw new Error(`Expected the lead to be enrolled, got ${refusal}`);
    return enrollment;
  }

  /** The wish to send a request as its fourth step. */
  function stepOf({ id: enrollmentId, campaignId, profileKey }: Enrollment, more: { notBefore?: number } = {}) {
    const place = { enrollmentId, campaignId, campaignStep: 3, profileUrl: profileKey, ...more };
    const request = make.actionRequest(account, { action: place });
    const change = { atStep: 3, wakeAt: null, jobId: request.job.id, updatedAt: startOfTests };
    return { change, request };
  }

  /** A lead whose request is in the queue. */
  async function moved(more: { notBefore?: number } = {}) {
    const enrollment = await enrolled();
    const { change, request } = stepOf(enrollment, more);
    const outcome = await storage.campaigns.move(enrollment, change, request);
    if (outcome?.kind !== "scheduled") throw new Error(`Expected a step to be scheduled, got ${outcome?.kind}`);
    return { enrollment, jobId: request.job.id };
  }

  /** A lead whose request went out. */
  async function invited(): Promise<Enrollment> {
    const { enrollment } = await moved();
    const { job } = await claimAction(storage);
    await storage.network.endAction(claimOf(job), actionEnd({ relation: "pending" }));
    const due = await storage.campaigns.due(startOfTests, 10);
    return due.find((each) => each.enrollment.id === enrollment.id)!.enrollment;
  }

  const makers = { campaignOf, newLead, enrollmentOf, enrolled, stepOf, moved, invited };
  return { storage, make, user, stranger, account, campaign, ...makers };
}
