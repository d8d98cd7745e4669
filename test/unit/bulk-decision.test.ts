import { expect, test } from "bun:test";
import { decideBulk, retagged } from "../../src/features/leads/bulk-decision.ts";
import type { BulkBatch, LeadPatch } from "../../src/features/leads/bulk-job-model.ts";
import type { Lead } from "../../src/features/leads/model.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const workspaceId = "workspace";

function decide(
  leads: readonly Lead[],
  change: BulkBatch["change"],
  {
    gone = [],
    members = [],
    metadata = {},
    ...rest
  }: Partial<BulkBatch> & {
    gone?: string[];
    members?: string[];
    metadata?: Record<string, unknown>;
  } = {},
) {
  const stored = leads.map((lead, n) => ({ seq: n + 1, lead }));
  const job = make.job(workspaceId, {
    ...{ type: "lead_bulk", status: "running", attempt: 1, leaseUntil: 9e12 },
    metadata: { total: leads.length, ...metadata },
  });
  const batch: BulkBatch = {
    ...{ workspaceId, jobId: job.id, attempt: 1, skipsStale: false, actorId: null, leaseUntil: 9e12, at: 5000, change },
    leads: stored.map(({ seq, lead: { id, version } }) => ({ seq, id, version })),
    ...rest,
  };
  return decideBulk(batch, {
    job,
    lead: (id) => stored.find(({ lead }) => lead.id === id && !gone.includes(id)) ?? null,
    isActiveMember: (userId) => members.includes(userId),
  });
}

const update = (patch: LeadPatch, assignees: string[] = []) => ({ kind: "update" as const, patch, assignees });
const lead = (overrides: Partial<Lead> = {}) => make.lead(workspaceId, overrides);

test("counts what changed, what already was as requested, and what was skipped", () => {
  const leads = [lead(), lead({ status: "contacted" }), lead()];
  const { outcome, changes } = decide(leads, update({ status: "contacted" }), { gone: [leads[2]!.id] });
  expect(outcome).toEqual({ total: 3, processed: 3, changed: 1, unchanged: 1, skipped: { leadGone: 1 } });
  expect(changes.map(({ kind }) => kind)).toEqual(["patch", "event", "job"]);
  expect(changes.at(-1)).toMatchObject({ change: { metadata: { afterLead: 3, processed: 3 }, progress: 99 } });
});

test("counts on from what earlier batches counted", () => {
  const metadata = { total: 10, processed: 4, changed: 3, unchanged: 0, skipped: { leadGone: 1 } };
  const { outcome } = decide([lead()], { kind: "delete" }, { metadata });
  expect(outcome).toEqual({ total: 10, processed: 5, changed: 4, unchanged: 0, skipped: { leadGone: 1 } });
});

test("assigns leads in turn, across batches", () => {
  const assigned = (processed: number) =>
    decide([lead(), lead(), lead()], update({ assignedTo: "inTurn" }, ["a", "b"]), {
      members: ["a", "b"],
      metadata: { processed },
    }).changes.flatMap((change) => (change.kind === "patch" ? change.lead.assignedTo : []));
  expect(assigned(0)).toEqual(["a", "b", "a"]);
  expect(assigned(3)).toEqual(["b", "a", "b"]);
});

test("stores nothing once a member has left, a lead has changed, or the claim is void", () => {
  const one = lead();
  expect(decide([one], update({ assignedTo: "a" }, ["a"]))).toEqual({ outcome: "memberLeft", changes: [] });
  const before = { leads: [{ seq: 1, id: one.id, version: one.version - 1 }] };
  expect(decide([one], update({ status: "qualified" }), before)).toEqual({ outcome: "stale", changes: [] });
  expect(decide([one], update({ status: "qualified" }), { attempt: 2 })).toEqual({ outcome: null, changes: [] });
  const skipped = decide([one], { kind: "delete" }, { ...before, skipsStale: true });
  expect(skipped.outcome).toMatchObject({ changed: 0, skipped: { changedMeanwhile: 1 } });
});

test("no lead gets more tags than it may have", () => {
  const full = lead({ tags: Array.from({ length: 100 }, (_, n) => `t${n}`) });
  expect(decide([full], update({ addTags: ["more"] })).outcome).toMatchObject({ skipped: { tooManyTags: 1 } });
  const swapped = decide([full], update({ addTags: ["more"], removeTags: ["T0"] }));
  expect(swapped.outcome).toMatchObject({ changed: 1 });
});

test("tags are compared without case, and keep their spelling and order", () => {
  const tags = ["Spring", "vip"];
  expect(retagged({ tags }, { addTags: ["SPRING"] })).toBe(tags);
  expect(retagged({ tags }, { addTags: ["new"], removeTags: [" VIP "] })).toEqual(["Spring", "new"]);
});

test("counts what something else has processed", () => {
  const { outcome } = decide([lead(), lead(), lead()], { kind: "processed", skipped: { doNotContact: 2 } });
  expect(outcome).toMatchObject({ processed: 3, changed: 1, skipped: { doNotContact: 2 } });
});

test("lists no more than 20 reasons", () => {
  const skipped = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`reason ${n}`, 1]));
  const { outcome } = decide(
    Array.from({ length: 25 }, () => lead()),
    { kind: "processed", skipped },
  );
  expect(outcome).toMatchObject({ changed: 0, skipped: { other: 5 } });
});
