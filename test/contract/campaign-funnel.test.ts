import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { dayMs, marksOf, stages } from "../../src/features/campaigns/funnel-marks.ts";
import { defaultSettings, untouched, type Campaign, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { FunnelFilter } from "../../src/features/campaigns/store.ts";
import { extended, type Exit } from "../../src/features/campaigns/trail.ts";
import { actionTypes } from "../../src/features/network/action-kinds.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { canonicalProfileUrl } from "../../src/platform/identity/profile-url.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimActions, claimOf, createFactories } from "../support/factories.ts";
import { pick, seeded } from "../support/random.ts";

const hourMs = 3_600_000;
const everything: FunnelFilter = { fromDay: null, toDay: null, accountId: null };

describe.each(enginesAndPostgres)("the funnel of campaigns on $name", ({ open }) => {
  test.each([1, 2, 3])(
    "equals a recount after random histories (%d)",
    async (seed) => {
      await using opened = await open();
      const world = await createWorld(opened.storage, seed);
      for (let round = 0; round < 12; round++) {
        const steps = Array.from({ length: 12 }, () => world.randomStep());
        // Some at the same time, which PostgreSQL runs in parallel.
        for (let n = 0; n < steps.length; n += 3) await Promise.all(steps.slice(n, n + 3).map((step) => step()));
        await world.expectRecount();
        if (round % 4 === 3) await opened.storage.maintain();
      }
      await world.expectRecount();
      expect(world.done.size).toBe(world.kinds);
    },
    120_000,
  );

  test("counts by day and account, and leaves places as they are", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user, accounts, campaigns, enrolled } = await createWorld(storage, 4);
    const [campaign] = campaigns as [Campaign, Campaign];
    const [first, second] = accounts as [(typeof accounts)[0], (typeof accounts)[0]];
    const today = Math.floor(startOfTests / dayMs);
    await enrolled({ campaignId: campaign.id, accountId: first.id });
    await enrolled({ campaignId: campaign.id, accountId: first.id, createdAt: startOfTests - dayMs });
    await enrolled({ campaignId: campaign.id, accountId: second.id, createdAt: startOfTests - 2 * dayMs });
    const of = (filter: Partial<FunnelFilter>) => storage.campaigns.funnel([campaign.id], { ...everything, ...filter });
    const sum = async (filter: Partial<FunnelFilter>, mark: string) =>
      (await of(filter)).filter((row) => row.mark === mark).reduce((total, { enrollments }) => total + enrollments, 0);
    expect([await sum({}, "enrolled"), await sum({}, "active")]).toEqual([3, 3]);
    expect([await sum({ fromDay: today }, "enrolled"), await sum({ fromDay: today }, "active")]).toEqual([1, 3]);
    expect(await sum({ fromDay: today - 1, toDay: today - 1 }, "enrolled")).toBe(1);
    expect(await sum({ accountId: second.id }, "enrolled")).toBe(1);
    expect(await storage.campaigns.funnelDays(campaign.id, { ...everything, fromDay: today - 1 })).toEqual([
      { day: today - 1, stage: "enrolled", enrollments: 1 },
      { day: today, stage: "enrolled", enrollments: 1 },
    ]);
    const series = await storage.campaigns.funnelSeries(campaign.id, { ...everything, fromDay: today - 1 }, "account");
    const ofDays = series.map(({ day, accountId, mark, enrollments }) => `${day} ${accountId} ${mark} ${enrollments}`);
    expect(new Set(ofDays)).toEqual(new Set([today - 1, today].map((day) => `${day} ${first.id} enrolled 1`)));
    expect(await storage.campaigns.funnel([], everything)).toEqual([]);
    expect(user.id).not.toBe("");
  });

  test("interest is credited to the campaign that got the latest reply, once, and taken back", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user, accounts, campaigns, enrolled, newLead } = await createWorld(storage, 5);
    const [account] = accounts as [(typeof accounts)[0]];
    const lead = await newLead();
    const base = { accountId: account.id, trail: [[0, startOfTests, "messaged"]] } as const;
    const [first, second] = campaigns as [Campaign, Campaign];
    const earlier = await enrolled({ ...base, campaignId: first.id, repliedAt: startOfTests + 1 }, lead);
    const later = await enrolled({ ...base, campaignId: second.id, repliedAt: startOfTests + 2 }, lead);
    const subject = { workspaceId: user.id, accountId: account.id, profileKey: later.profileKey };
    const note = (at: number | null, more: object = {}) => storage.campaigns.noteInterest({ ...subject, ...more }, at);
    const interested = async () =>
      (await storage.campaigns.funnel([first.id, second.id], everything))
        .filter(({ mark }) => mark === "interested")
        .map(({ campaignId, step, enrollments }) => [campaignId, step, enrollments]);
    expect([await note(startOfTests, { workspaceId: "another" }), await note(startOfTests + 3)]).toEqual([0, 1]);
    expect(await note(startOfTests + 4)).toBe(0);
    expect(await interested()).toEqual([[second.id, 0, 1]]);
    expect([await note(null), await note(null)]).toEqual([1, 0]);
    expect(await interested()).toEqual([]);
    expect(earlier.id).not.toBe(later.id);
  });
});

/** A user with two accounts and two running campaigns, and everything that may happen to enrollments. */
async function createWorld(storage: Storage, seed: number) {
  const random = seeded(seed);
  const make = createFactories(seed);
  const { user } = await make.storedUser(storage);
  const accounts = [1, 2].map(() => make.account(user.id, { workingHours: alwaysOpen }));
  for (const account of accounts) await storage.network.insertAccount(account);
  const campaigns = [1, 2].map(() => campaignOf());
  for (const campaign of campaigns) await storage.campaigns.insert(campaign);
  const people: { leadId: string; profileKey: string; email: string }[] = [];
  const done = new Set<string>();
  let now = startOfTests;
  let made = 0;

  function campaignOf(): Campaign {
    const settings = { ...defaultSettings, excludeOtherCampaigns: false };
    return {
      ...{ id: make.ids.next(startOfTests), workspaceId: user.id, name: "Spring", state: "running" },
      ...{
        steps: [{ type: "action", actionType: "visitProfile" }],
        accountIds: accounts.map(({ id }) => id),
        settings,
      },
      ...{ winners: {}, version: 1, firstStep: 0, startedAt: null, createdAt: startOfTests, updatedAt: startOfTests },
    };
  }

  async function newLead() {
    made++;
    const networkUrl = `https://network.example/in/person-${seed}-${made}`;
    const email = `person-${seed}-${made}@example.com`;
    const lead = await make.storedLead(storage, user.id, { networkUrl, email });
    const person = { leadId: lead.id, profileKey: canonicalProfileUrl(networkUrl)!, email };
    people.push(person);
    return person;
  }

  async function enrolled(overrides: Partial<Enrollment> = {}, person?: Awaited<ReturnType<typeof newLead>>) {
    const { leadId, profileKey } = person ?? (await newLead());
    const enrollment: Enrollment = {
      ...{ id: make.ids.next(startOfTests), campaignId: pick(campaigns, random).id, workspaceId: user.id, leadId },
      ...{ accountId: pick(accounts, random).id, profileKey, state: "active", reason: null, atStep: 0, sinceAt: now },
      ...{ wakeAt: now, jobId: null, connectedAt: null, repliedAt: null, ...untouched, version: 1 },
      ...{ createdAt: now, updatedAt: now, ...overrides },
    };
    await storage.campaigns.enroll([enrollment], false, now);
    return enrollment;
  }

  async function all(): Promise<Enrollment[]> {
    const pages = campaigns.map(({ id }) => storage.campaigns.enrollments(user.id, id, {}, null, 10_000));
    return (await Promise.all(pages)).flat();
  }

  const someone = () => (people.length === 0 ? null : pick(people, random));
  const randomTime = () => now - Math.floor(random() * 60) * hourMs;

  /** An active enrollment, without the counters. */
  async function someActive(): Promise<Enrollment | null> {
    const active = (await all()).filter(({ state }) => state === "active");
    return active.length === 0 ? null : pick(active, random);
  }

  const steps: Record<string, () => Promise<unknown>> = {
    enroll: () => enrolled(),
    enrollAgain: async () => {
      const person = someone();
      return person && enrolled({}, person);
    },
    act: async () => {
      const enrollment = await someActive();
      if (enrollment === null) return;
      const account = accounts.find(({ id }) => id === enrollment.accountId)!;
      const { id: enrollmentId, campaignId, profileKey: profileUrl, leadId } = enrollment;
      const actionType = pick(actionTypes, random);
      const atStep = enrollment.atStep + 1;
      const place = { enrollmentId, campaignId, campaignStep: atStep, profileUrl, leadId, actionType, notBefore: now };
      const request = make.actionRequest(account, { action: place });
      const variants =
        random() < 0.5 ? {} : { variants: { ...enrollment.variants, [atStep]: pick(["A", "B"], random) } };
      const change = { atStep, wakeAt: null, jobId: request.job.id, ...variants, updatedAt: now };
      await storage.campaigns.move(enrollment, change, request);
    },
    perform: async () => {
      const due = await claimActions(storage, now, 3);
      const state = pick(["completed", "completed", "completed", "skipped", "failed", "unknown"] as const, random);
      for (const { job } of due) await storage.network.endAction(claimOf(job), actionEnd({ state, at: now }));
    },
    sleep: async () => {
      const enrollment = await someActive();
      if (enrollment === null) return;
      const exit = pick<Exit>(["waited", "yes", "no"], random);
      const trail = extended(enrollment.trail, [enrollment.atStep + 1, now, exit]);
      const change = { atStep: enrollment.atStep + 2, wakeAt: now + hourMs, jobId: null, trail, updatedAt: now };
      await storage.campaigns.move(enrollment, change, null);
    },
    complete: async () => {
      const enrollment = await someActive();
      const change = { state: "completed", atStep: 50, wakeAt: null, updatedAt: now } as const;
      return enrollment && storage.campaigns.move(enrollment, change, null);
    },
    stop: async () => {
      const enrollment = await someActive();
      return enrollment && storage.campaigns.stop(user.id, enrollment.campaignId, enrollment.id, "byHand", now);
    },
    stopSome: () => storage.campaigns.stopAll(pick(campaigns, random).id, "campaignCanceled", 2, now),
    withdraw: () => storage.campaigns.withdrawActions(pick(campaigns, random).id, 2, now),
    news: async () => {
      const person = someone();
      const kind = pick(["accepted", "replied"] as const, random);
      const at = randomTime();
      const said = kind === "replied" ? { messages: [{ id: `message-${now}-${at}`, at, text: "Yes" }] } : {};
      const item = person && { profileKey: person.profileKey, kind, at, ...said };
      return item && storage.network.noteNews(pick(accounts, random).id, [item], now);
    },
    interest: async () => {
      const person = someone();
      const subject = {
        workspaceId: user.id,
        accountId: pick(accounts, random).id,
        profileKey: person?.profileKey ?? "",
      };
      return storage.campaigns.noteInterest(subject, random() < 0.3 ? null : randomTime());
    },
    label: async () => {
      const id = conversationId(pick(accounts, random).id, someone()?.profileKey ?? "");
      const change = { label: pick(["interested", "interested", "later", null] as const, random) };
      const request = { workspaceId: user.id, id, change, suppressions: [], at: now, actorId: null };
      return storage.inbox.change(request);
    },
    erase: async () => {
      const person = random() < 0.3 ? someone() : null;
      if (person === null) return;
      const scope = { workspaceId: user.id };
      const identity = await storage.persons.identify(
        scope,
        { email: person.email, profile: null, leadId: null },
        true,
      );
      if (identity === null) return;
      for await (const page of storage.persons.records(scope, identity))
        await storage.persons.erase(identity, page, now);
    },
  };

  function randomStep(): () => Promise<unknown> {
    const name = pick(
      ["enroll", "act", "act", "perform", "perform", "news", "news", "label", ...Object.keys(steps)],
      random,
    );
    now += Math.floor(random() * 10) * hourMs;
    done.add(name);
    return steps[name]!;
  }

  /** Compares all counters with the marks of all enrollments. */
  async function expectRecount(): Promise<void> {
    const enrollments = await all();
    const total = new Map<string, number>();
    const byDay = new Map<string, number>();
    const series = {
      step: new Map<string, number>(),
      variant: new Map<string, number>(),
      account: new Map<string, number>(),
    };
    const count = (counts: Map<string, number>, ...key: unknown[]) =>
      counts.set(JSON.stringify(key), (counts.get(JSON.stringify(key)) ?? 0) + 1);
    for (const enrollment of enrollments)
      for (const { mark, day, step, variant } of marksOf(enrollment)) {
        count(total, enrollment.campaignId, mark, enrollment.accountId, step, variant);
        if (stages.some((stage) => stage === mark)) count(byDay, enrollment.campaignId, day, mark);
        if (day === 0) continue;
        const { campaignId, accountId } = enrollment;
        count(series.step, campaignId, day, mark, "", step, "");
        count(series.variant, campaignId, day, mark, "", step, variant);
        count(series.account, campaignId, day, mark, accountId, -1, "");
      }
    const ids = campaigns.map(({ id }) => id);
    const counters = await storage.campaigns.funnel(ids, everything);
    const found = counters.map(({ campaignId, mark, accountId, step, variant, enrollments: n }) => {
      return [JSON.stringify([campaignId, mark, accountId, step, variant]), n];
    });
    expect(sorted(found)).toEqual(sorted([...total]));
    const days: unknown[] = [];
    for (const id of ids)
      for (const { day, stage, enrollments: n } of await storage.campaigns.funnelDays(id, everything))
        days.push([JSON.stringify([id, day, stage]), n]);
    expect(sorted(days)).toEqual(sorted([...byDay]));
    for (const by of ["step", "variant", "account"] as const) {
      const rows = await Promise.all(ids.map((id) => storage.campaigns.funnelSeries(id, everything, by)));
      const keyed = rows.flat().map(({ campaignId, day, mark, accountId, step, variant, enrollments: n }) => {
        return [JSON.stringify([campaignId, day, mark, accountId, step, variant]), n];
      });
      expect(sorted(keyed)).toEqual(sorted([...series[by]]));
    }
    const places = counters.filter(({ mark }) => ["active", "completed", "stopped", "failed"].includes(mark));
    expect(places.reduce((sum, row) => sum + row.enrollments, 0)).toBe(enrollments.length);
  }

  const kinds = Object.keys(steps).length;
  return { user, accounts, campaigns, newLead, enrolled, randomStep, expectRecount, done, kinds };
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}
