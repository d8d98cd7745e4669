import { describe, expect, test } from "bun:test";
import type { BulkBatch, MatchingLead, MatchingRequest } from "../../src/features/leads/bulk-job-model.ts";
import type { Event, EventType } from "../../src/platform/events/model.ts";
import type { Lead, LeadFilter } from "../../src/features/leads/model.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimOf, createFactories } from "../support/factories.ts";

const later = startOfTests + 60_000;

describe.each(enginesAndPostgres)("changes of all leads that match on $name", ({ open }) => {
  test("finds leads by number, in pages, up to an instant, and only those of the workspace", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, job } = await withJob(storage);
    const { workspaceId } = job;
    const other = await make.storedUser(storage);
    await make.storedLead(storage, other.user.id, { tags: ["x"] });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await make.storedLead(storage, workspaceId, { tags: ["X"] })).id);
    await make.storedLead(storage, workspaceId, { tags: [] });
    await make.storedLead(storage, workspaceId, { tags: ["x"], createdAt: later + 5, updatedAt: later + 5 });
    const first = await matching(storage, job, { tag: "x" }, { limit: 3 });
    const rest = await matching(storage, job, { tag: "x" }, { afterLead: first.at(-1)!.seq });
    expect([first, rest].map((page) => page.map(({ id }) => id))).toEqual([ids.slice(0, 3), ids.slice(3)]);
    expect(first[0]).toMatchObject({ version: 1 });
    expect(await storage.leads.matching({ ...request, workspaceId: "nobody", filter: {} })).toEqual([]);
  });

  test("an update changes tags, status, and member, with counts and events, and keeps everything else", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, job } = await withJob(storage);
    const { workspaceId } = job;
    const a = await make.storedLead(storage, workspaceId, { tags: ["old", "Keep"], customFields: { size: 5 } });
    const b = await make.storedLead(storage, workspaceId, { status: "qualified", tags: ["new"] });
    const leads = await matching(storage, job, {});
    const patch = { status: "qualified", addTags: ["New"], removeTags: ["OLD"], assignedTo: job.userId! } as const;
    const outcome = await storage.leads.bulkBatch(
      batchOf(job, leads, { change: { kind: "update", patch, assignees: [job.userId!] } }),
    );
    expect(outcome).toEqual({ total: 2, processed: 2, changed: 2, unchanged: 0, skipped: {} });
    const common = { status: "qualified", assignedTo: job.userId, version: 2, updatedAt: later } as const;
    expect(await storage.leads.get(workspaceId, a.id)).toEqual({ ...a, ...common, tags: ["Keep", "New"] });
    expect(await storage.leads.get(workspaceId, b.id)).toEqual({ ...b, ...common, tags: ["new"] });
    const counted = async (filter: LeadFilter) => await storage.leads.count(workspaceId, filter);
    expect(await counted({ tag: "new" })).toBe(2);
    expect(await counted({ tag: "old" })).toBe(0);
    expect(await counted({ statuses: ["new"] })).toBe(0);
    expect(await counted({ statuses: ["qualified"] })).toBe(2);
    expect(await counted({ assignedTo: job.userId! })).toBe(2);
    expect(await counted({ text: a.email! })).toBe(1);
    expect((await storage.leads.findSame(workspaceId, identityOf(a), null))?.id).toBe(a.id);
    expect(await changesOf(storage, workspaceId, a.id)).toEqual([["status", "assignedTo", "tags"]]);
    expect(await changesOf(storage, workspaceId, b.id)).toEqual([["assignedTo"]]);
    expect(await storage.jobs.get(workspaceId, job.id)).toMatchObject({
      metadata: { processed: 2, changed: 2, afterLead: leads[1]!.seq },
      leaseUntil: later + 60_000,
      progress: 99,
    });
  });

  test("what is as requested gets no new version and no event", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, job } = await withJob(storage);
    const one = await make.storedLead(storage, job.workspaceId, { tags: ["Spring"] });
    const leads = await matching(storage, job, {});
    const change = { kind: "update", patch: { addTags: ["spring"] }, assignees: [] } as const;
    expect(await storage.leads.bulkBatch(batchOf(job, leads, { change }))).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await storage.leads.get(job.workspaceId, one.id)).toEqual(one);
    expect(await changesOf(storage, job.workspaceId, one.id)).toEqual([]);
  });

  test("deleted leads are gone with all that they were found by", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, job } = await withJob(storage);
    const { workspaceId } = job;
    const gone: Lead[] = [];
    for (let n = 0; n < 3; n++) gone.push(await make.storedLead(storage, workspaceId, { tags: ["x"] }));
    const kept = await make.storedLead(storage, workspaceId);
    const leads = await matching(storage, job, { tag: "x" });
    expect(await storage.leads.bulkBatch(batchOf(job, leads, { change: { kind: "delete" } }))).toMatchObject({
      changed: 3,
    });
    expect(await storage.leads.count(workspaceId, {})).toBe(1);
    expect(await storage.leads.count(workspaceId, { tag: "x" })).toBe(0);
    expect(await storage.leads.get(workspaceId, kept.id)).toEqual(kept);
    for (const lead of gone) expect(await storage.leads.findSame(workspaceId, identityOf(lead), null)).toBeNull();
    const events = await eventsOf(storage, workspaceId, "lead.deleted");
    expect(new Set(events.map(({ leadId }) => leadId))).toEqual(new Set(gone.map(({ id }) => id)));
  });

  test("a batch is stored as a whole or not at all", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, job } = await withJob(storage);
    const [a, b] = [await make.storedLead(storage, job.workspaceId), await make.storedLead(storage, job.workspaceId)];
    const leads = await matching(storage, job, {});
    await storage.leads.update(make.leadUpdate(b, { title: "Changed" }));
    const batch = batchOf(job, leads, { change: { kind: "delete" } });
    expect(await storage.leads.bulkBatch(batch)).toBe("stale");
    expect(await storage.leads.get(job.workspaceId, a.id)).toEqual(a);
    expect(await storage.leads.bulkBatch({ ...batch, skipsStale: true })).toMatchObject({
      processed: 2,
      changed: 1,
      skipped: { changedMeanwhile: 1 },
    });
    expect(await storage.leads.get(job.workspaceId, a.id)).toBeNull();
    expect(await storage.leads.get(job.workspaceId, b.id)).toMatchObject({ title: "Changed" });
  });

  test("nothing is stored for who is no member, for a canceled job, and by an earlier attempt", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, job } = await withJob(storage);
    const one = await make.storedLead(storage, job.workspaceId);
    const leads = await matching(storage, job, {});
    const update = { kind: "update", patch: { assignedTo: "nobody" }, assignees: ["nobody"] } as const;
    expect(await storage.leads.bulkBatch(batchOf(job, leads, { change: update }))).toBe("memberLeft");
    const change = { kind: "delete" } as const;
    expect(await storage.leads.bulkBatch(batchOf(job, leads, { change, attempt: job.attempt - 1 }))).toBeNull();
    await storage.jobs.cancel(job.workspaceId, job.id, later);
    expect(await storage.leads.bulkBatch(batchOf(job, leads, { change }))).toBeNull();
    expect(await storage.leads.get(job.workspaceId, one.id)).toEqual(one);
    expect(await storage.jobs.end(claimOf(job), { kind: "completed", message: "", metadata: {}, at: later })).toBe(
      false,
    );
  });
});

const request = { createdUntil: later, afterLead: 0, limit: 100 };

function matching(
  storage: Storage,
  { workspaceId }: Job,
  filter: LeadFilter,
  rest: Partial<MatchingRequest> = {},
): Promise<MatchingLead[]> {
  return storage.leads.matching({ ...request, workspaceId, filter, ...rest });
}

/** A claimed job of a member. */
async function withJob(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const metadata = { total: 2, processed: 0, changed: 0, unchanged: 0, skipped: {} };
  await make.storedJob(storage, user.id, { type: "lead_bulk", userId: user.id, metadata });
  const claim = { type: "lead_bulk", limit: 1, now: startOfTests, leaseUntil: later } as const;
  const [job] = await storage.jobs.claim(claim);
  return { make, job: job! };
}

function batchOf(
  { workspaceId, id, attempt, userId }: Job,
  leads: readonly MatchingLead[],
  rest: Partial<BulkBatch> & Pick<BulkBatch, "change">,
): BulkBatch {
  const common = { workspaceId, jobId: id, attempt, leads, actorId: userId, at: later, leaseUntil: later + 60_000 };
  return { ...common, skipsStale: false, ...rest };
}

function identityOf({ email }: Lead) {
  return { email: email!.toLowerCase(), network: null, name: null };
}

async function eventsOf(storage: Storage, workspaceId: string, type: EventType): Promise<Event[]> {
  const page = { after: null, before: null, newestFirst: false, limit: 100 };
  return await storage.events.page({ scopes: [workspaceId], filter: { types: [type] }, ...page });
}

/** The fields of each change of a lead. */
async function changesOf(storage: Storage, workspaceId: string, leadId: string): Promise<unknown[]> {
  const events = await eventsOf(storage, workspaceId, "lead.updated");
  return events.filter((event) => event.leadId === leadId).map(({ data }) => data["fields"]);
}
