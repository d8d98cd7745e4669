import { describe, expect, test } from "bun:test";
import { array, assert, constant, constantFrom, nat, oneof, property, record, type Arbitrary } from "fast-check";
import {
  canDelete,
  decideChange,
  decideEnrollment,
  decideMove,
  stopped,
  type CampaignFacts,
  type CampaignsChange,
} from "../../src/features/campaigns/decisions.ts";
import {
  campaignStates,
  defaultSettings,
  type Campaign,
  type Enrollment,
  untouched,
} from "../../src/features/campaigns/model.ts";
import type { ScheduleOutcome } from "../../src/features/network/queue-model.ts";
import type { NewEvent } from "../../src/platform/events/model.ts";
import { startOfTests as now } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const workspaceId = "user";
const dayMs = 86_400_000;
const action = make.actionRequest(make.account(workspaceId));
const { job } = action;

function campaignOf(overrides: Partial<Campaign> = {}): Campaign {
  return {
    ...{ id: "campaign", workspaceId, name: "Spring", state: "running", steps: [], accountIds: ["account"] },
    ...{
      settings: defaultSettings,
      winners: {},
      version: 1,
      firstStep: 0,
      startedAt: null,
      createdAt: now,
      updatedAt: now,
    },
    ...overrides,
  };
}

function enrollmentOf(id: string, overrides: Partial<Enrollment> = {}): Enrollment {
  return {
    ...{
      id,
      campaignId: "campaign",
      workspaceId,
      leadId: `lead-${id}`,
      accountId: "account",
      profileKey: `profile-${id}`,
    },
    ...{ state: "active", reason: null, atStep: 0, sinceAt: now, wakeAt: now, jobId: null },
    ...{ connectedAt: null, repliedAt: null, ...untouched, version: 1, createdAt: now, updatedAt: now },
    ...overrides,
  };
}

/** A campaign and its enrollments; the network answers `outcome` to every action. */
class World {
  campaign = campaignOf();
  readonly enrollments = new Map<string, Enrollment>();
  readonly events: NewEvent[] = [];
  networkChanges = 0;

  constructor(
    readonly outcome: ScheduleOutcome = { kind: "scheduled", ...action },
    readonly overrides: Partial<CampaignFacts> = {},
  ) {}

  get facts(): CampaignFacts {
    const all = [...this.enrollments.values()];
    return {
      campaign: (id) => (id === this.campaign.id ? this.campaign : null),
      hasLead: () => true,
      isSuppressed: () => false,
      isEnrolled: (_, leadId) => all.some((each) => each.leadId === leadId),
      isInOtherCampaign: () => false,
      lastContactAt: () => null,
      hasOtherActive: (_, id) => all.some((each) => each.id !== id && each.state === "active"),
      target: () => null,
      schedule: () => ({ outcome: this.outcome, changes: [] }),
      ...this.overrides,
    };
  }

  move(id: string, version: number, values: Parameters<typeof decideMove>[2], withAction = false) {
    const found = this.enrollments.get(id) ?? null;
    const { outcome, changes } = decideMove(found, version, values, withAction ? action : null, this.facts);
    this.write(changes);
    return outcome;
  }

  write(changes: readonly CampaignsChange[]): void {
    for (const change of changes)
      if (change.kind === "campaign") this.campaign = { ...this.campaign, ...change.values };
      else if (change.kind === "enroll") this.enrollments.set(change.enrollment.id, change.enrollment);
      else if (change.kind === "enrollment") {
        const before = this.enrollments.get(change.id)!;
        this.enrollments.set(change.id, { ...before, ...change.values, version: before.version + 1 });
      } else if (change.kind === "network") this.networkChanges++;
      else if (change.kind === "event") this.events.push(change.event);
  }
}

const ends = { stop: "stopped", complete: "completed" } as const;

type Step =
  | { kind: "enroll" | "stop" | "complete" | "act"; n: number; staleBy: number }
  | { kind: "state"; state: "running" | "paused" | "canceled" };
const step: Arbitrary<Step> = oneof(
  {
    weight: 6,
    arbitrary: record({ kind: constantFrom("enroll", "stop", "complete", "act"), n: nat(4), staleBy: nat(1) }),
  },
  record({ kind: constant("state" as const), state: constantFrom("running", "paused", "canceled") }),
);

test("an enrollment ends once, a stale move changes nothing, and a campaign completes with its last enrollment", () => {
  assert(
    property(array(step, { maxLength: 50 }), (steps) => {
      const world = new World();
      for (const [index, taken] of steps.entries()) {
        const at = now + index;
        if (taken.kind === "state") {
          world.write(
            decideChange(world.campaign, workspaceId, campaignStates, { state: taken.state, updatedAt: at }).changes,
          );
          continue;
        }
        const id = `${taken.n}`;
        if (taken.kind === "enroll") {
          const { outcome, changes } = decideEnrollment(enrollmentOf(id), world.facts, at);
          expect(outcome === null).toBe(world.campaign.state !== "canceled" && !world.enrollments.has(id));
          world.write(changes);
          continue;
        }
        const before = world.enrollments.get(id);
        const completed = world.events.filter(({ type }) => type === "campaign.completed").length;
        const values =
          taken.kind === "act"
            ? { atStep: 1, jobId: job.id, updatedAt: at }
            : { state: ends[taken.kind], wakeAt: null, updatedAt: at };
        const version = (before?.version ?? 1) - taken.staleBy;
        const outcome = world.move(id, version, values, taken.kind === "act");
        const after = world.enrollments.get(id);
        const isAllowed =
          before?.state === "active" &&
          taken.staleBy === 0 &&
          (taken.kind !== "act" || world.campaign.state === "running");
        expect(outcome !== null).toBe(isAllowed);
        if (!isAllowed) expect(after).toEqual(before);
        else expect(after).toMatchObject({ ...values, version: before.version + 1 });
        const hasActive = [...world.enrollments.values()].some(({ state }) => state === "active");
        const isLast = isAllowed && taken.kind !== "act" && !hasActive && world.campaign.state === "running";
        const completedAfter = world.events.filter(({ type }) => type === "campaign.completed").length;
        expect(completedAfter - completed).toBe(isLast ? 1 : 0);
      }
    }),
    { seed: 20_260_107, numRuns: 300 },
  );
});

describe("an enrollment is refused", () => {
  const refusal = (
    facts: Partial<CampaignFacts>,
    settings: Partial<Campaign["settings"]> = {},
    campaign: Partial<Campaign> = {},
  ) => {
    const world = new World(undefined, facts);
    world.campaign = campaignOf({ settings: { ...defaultSettings, ...settings }, ...campaign });
    return decideEnrollment(enrollmentOf("1"), world.facts, now).outcome;
  };

  test("for one reason after the other", () => {
    expect(refusal({})).toBeNull();
    expect(refusal({}, {}, { workspaceId: "somebody else" })).toBe("campaignEnded");
    expect(refusal({ hasLead: () => false }, {}, { state: "canceled" })).toBe("campaignEnded");
    expect(refusal({ hasLead: () => false, isEnrolled: () => true })).toBe("leadGone");
    expect(refusal({ isEnrolled: () => true, isSuppressed: () => true })).toBe("alreadyEnrolled");
    expect(refusal({ isSuppressed: () => true, isInOtherCampaign: () => true })).toBe("doNotContact");
  });

  test("in another campaign, or when recently contacted, only if the campaign excludes that", () => {
    const elsewhere = { isInOtherCampaign: () => true };
    expect(refusal(elsewhere)).toBe("inOtherCampaign");
    expect(refusal(elsewhere, { excludeOtherCampaigns: false })).toBeNull();
    const contacted = { lastContactAt: () => now - 3 * dayMs };
    expect(refusal(contacted)).toBeNull();
    expect(refusal(contacted, { excludeContactedDays: 4 })).toBe("contactedRecently");
    expect(refusal(contacted, { excludeContactedDays: 3 })).toBeNull();
  });
});

describe("a move with an action", () => {
  const values = { atStep: 2, jobId: "wanted", updatedAt: now };
  const moved = (outcome: ScheduleOutcome) => {
    const world = new World(outcome);
    world.enrollments.set("1", enrollmentOf("1"));
    expect(world.move("1", 1, values, true)).toEqual(outcome);
    return world.enrollments.get("1");
  };

  test("remembers the job of the action, also of one that was scheduled before", () => {
    for (const kind of ["scheduled", "existing"] as const)
      expect(moved({ kind, ...action })).toMatchObject({ atStep: 2, jobId: job.id, version: 2 });
  });

  test("that the network refuses leaves the enrollment where it is", () => {
    expect(moved({ kind: "accountGone" })).toEqual(enrollmentOf("1"));
    expect(moved({ kind: "never", reason: "outsideWorkingHours" })).toEqual(enrollmentOf("1"));
  });
});

test("an enrollment that ends withdraws its action, and one that moves on does not", () => {
  const world = new World();
  world.enrollments.set("1", enrollmentOf("1", { jobId: job.id }));
  world.move("1", 1, { atStep: 1, updatedAt: now });
  expect(world.networkChanges).toBe(0);
  world.move("1", 2, stopped("stoppedByUser", now));
  expect(world.networkChanges).toBe(1);
  expect(world.enrollments.get("1")).toMatchObject({ state: "stopped", reason: "stoppedByUser", wakeAt: null });
});

test("a campaign changes in the given states only, and says so when its state is another one", () => {
  const change = (values: Parameters<typeof decideChange>[3], states: readonly Campaign["state"][] = ["running"]) =>
    decideChange(campaignOf(), workspaceId, states, values);
  const kinds = ({ changes }: { changes: readonly CampaignsChange[] }) =>
    changes.map((each) => (each.kind === "event" ? each.event.type : each.kind));
  expect(change({ state: "paused", updatedAt: now }, ["draft"])).toEqual({ outcome: null, changes: [] });
  expect(decideChange(campaignOf(), "somebody else", ["running"], { updatedAt: now }).outcome).toBeNull();
  expect(kinds(change({ name: "Summer", updatedAt: now }))).toEqual(["campaign"]);
  expect(kinds(change({ state: "running", updatedAt: now }))).toEqual(["campaign"]);
  expect(kinds(change({ state: "paused", updatedAt: now }))).toEqual(["campaign", "campaign.paused"]);
  expect(change({ name: "Summer", updatedAt: now + 1 }).outcome).toEqual(
    campaignOf({ name: "Summer", version: 2, updatedAt: now + 1 }),
  );
});

test("only drafts can be deleted, by their user", () => {
  expect(canDelete(campaignOf({ state: "draft" }), workspaceId)).toBe(true);
  expect(canDelete(campaignOf({ state: "draft" }), "somebody else")).toBe(false);
  expect(canDelete(campaignOf(), workspaceId)).toBe(false);
  expect(canDelete(null, workspaceId)).toBe(false);
});
