import { describe, expect, test } from "bun:test";
import { createBulkHandler, type BulkSettings, type EnrollLeads } from "../../src/features/leads/bulk-job.ts";
import type { LeadStore } from "../../src/features/leads/store.ts";
import type { JobContext } from "../../src/platform/jobs/handler.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimOf, createFactories } from "../support/factories.ts";

const lease = 60_000;
const tagged = (tag: string) => ({ kind: "update", patch: { addTags: [tag] }, assignees: [] }) as const;

describe.each(enginesAndPostgres)("jobs that change leads by a filter on $name", ({ open }) => {
  test("a job whose process died continues behind what is stored, and changes no lead twice", async () => {
    await using opened = await open();
    const { storage } = opened;
    const size = storage.leads.bulkLeadsAtOnce;
    const count = 2 * size + 100;
    const { job, workspaceId } = await withLeads(storage, count, tagged("x"));
    const dying = failing(storage.leads, 2, () => {
      throw new Error("killed");
    });
    await expect(run(dying, storage, job)).rejects.toThrow("killed");
    const next = await claim(storage, startOfTests + 2 * lease);
    expect(next).toMatchObject({ id: job.id, attempt: 2, metadata: { processed: 2 * size } });
    expect(await run(storage.leads, storage, next)).toMatchObject({
      kind: "completed",
      message: `Changed ${count} leads`,
    });
    const { leads } = await all(storage, workspaceId);
    expect(leads.map(({ version, tags }) => `${version} ${tags.join()}`)).toEqual(Array(count).fill("2 x"));
  });

  test("a canceled job stops at the next batch, and keeps what it has done", async () => {
    await using opened = await open();
    const { storage } = opened;
    const size = storage.leads.bulkLeadsAtOnce;
    const { job, workspaceId } = await withLeads(storage, size + 100, { kind: "delete" });
    const canceling = failing(storage.leads, 1, () => storage.jobs.cancel(workspaceId, job.id, startOfTests));
    expect(await run(canceling, storage, job)).toBeNull();
    expect(await storage.leads.count(workspaceId, {})).toBe(100);
    expect(await storage.jobs.get(workspaceId, job.id)).toMatchObject({
      ...{ status: "failed", metadata: { canceled: true, processed: size } },
    });
  });

  test("a lead that changes after the search is searched for again, and left alone once it no longer matches", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { job, workspaceId, make } = await withLeads(storage, 3, { kind: "delete" }, { statuses: ["new"] });
    const [first, second] = (await all(storage, workspaceId)).leads;
    const changing = failing(storage.leads, 0, async () => {
      await storage.leads.update(make.leadUpdate(first!, { status: "qualified" }));
      await storage.leads.update(make.leadUpdate(second!, { title: "Still new" }));
    });
    expect(await run(changing, storage, job)).toMatchObject({ message: "Deleted 2 leads" });
    expect((await all(storage, workspaceId)).leads.map(({ id }) => id)).toEqual([first!.id]);
  });

  test("no more leads are deleted than were expected", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { job, workspaceId } = await withLeads(storage, 5, { kind: "delete" }, {}, 3);
    expect(await run(storage.leads, storage, job)).toMatchObject({ message: "Deleted 3 leads" });
    expect(await storage.leads.count(workspaceId, {})).toBe(2);
  });

  test("the job fails with a reason once the member to assign to has left", async () => {
    await using opened = await open();
    const { storage } = opened;
    const operation = { kind: "update", patch: { assignedTo: "gone" }, assignees: ["gone"] } as const;
    const { job } = await withLeads(storage, 1, operation);
    expect(await run(storage.leads, storage, job)).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("has left the workspace"),
    });
  });

  test("the history has each change after what was there before it, with its fields", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { job, workspaceId } = await withLeads(storage, 3, tagged("x"));
    await run(storage.leads, storage, job);
    const events = await storage.events.since(0, 100);
    const ofLeads = events.filter(({ type }) => type.startsWith("lead."));
    const [created, updated] = ["lead.created", "lead.updated"];
    expect(ofLeads.map(({ type }): string => type)).toEqual([created, created, created, updated, updated, updated]);
    const [{ leadId, data }] = [ofLeads[3]!];
    expect(data).toEqual({ fields: ["tags"] });
    expect(ofLeads[0]!.leadId).toBe(leadId);
    expect(new Set(ofLeads.slice(3).map((event) => event.leadId)).size).toBe(3);
    expect(ofLeads.slice(3).every((event) => event.workspaceId === workspaceId)).toBe(true);
  });

  test("enrolled leads are counted, and refused ones by reason", async () => {
    await using opened = await open();
    const { storage } = opened;
    const size = storage.leads.bulkLeadsAtOnce;
    const { job } = await withLeads(storage, size + 50, { kind: "enroll", campaignId: "spring" });
    const asked: number[] = [];
    const enroll: EnrollLeads = async (_workspaceId, campaignId, ids) => {
      expect(campaignId).toBe("spring");
      asked.push(ids.length);
      return new Map(ids.map((id, n) => [id, n === 0 ? "doNotContact" : "enrolled"]));
    };
    expect(await run(storage.leads, storage, job, enroll)).toMatchObject({
      message: `Enrolled ${size + 48} leads, 2 skipped`,
    });
    expect(asked).toEqual([size, 50]);
  });
});

/** Calls `instead` before one batch, after `batches` others. */
function failing(leads: LeadStore, batches: number, instead: () => unknown): LeadStore {
  let stored = 0;
  return {
    ...leads,
    async bulkBatch(batch) {
      if (stored++ === batches) await instead();
      return await leads.bulkBatch(batch);
    },
  };
}

async function withLeads(
  storage: Storage,
  count: number,
  operation: BulkSettings["operation"],
  filter: BulkSettings["filter"] = {},
  most: number | null = null,
) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const workspaceId = user.id;
  await storage.leads.insertAll(Array.from({ length: count }, () => make.leadInsert(workspaceId)));
  const payload: BulkSettings = { filter, createdUntil: startOfTests + lease, operation, most };
  await make.storedJob(storage, workspaceId, { type: "lead_bulk", payload, metadata: { total: count } });
  return { make, workspaceId, job: await claim(storage, startOfTests) };
}

async function claim(storage: Storage, now: number): Promise<Job> {
  const [job] = await storage.jobs.claim({ type: "lead_bulk", limit: 1, now, leaseUntil: now + lease });
  return job!;
}

function run(leads: LeadStore, { workspaces }: Storage, job: Job, enroll: EnrollLeads = async () => new Map()) {
  const context: JobContext = {
    ...{ claim: claimOf(job), signal: new AbortController().signal, isHeld: () => true },
    leaseUntil: () => startOfTests + lease,
    retryOnDiskFault: (write) => write(),
  };
  return createBulkHandler(leads, workspaces, enroll, new FakeClock()).run(job, context);
}

function all({ leads }: Storage, workspaceId: string) {
  const sort = { field: "createdAt", descending: false } as const;
  return leads.page({ workspaceId, filter: {}, sort, limit: 10_000, offset: 0, after: null });
}
