import { describe, expect, test } from "bun:test";
import { jobStatuses, jobTypes, type Job, type JobFilter, type JobPlace } from "../../src/platform/jobs/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimJobs, createFactories, type Factories } from "../support/factories.ts";
import { createDice, type Dice } from "../support/ids.ts";

describe.each(enginesAndPostgres)("jobs on $name", ({ open }) => {
  test("a job is read by its owner as it was stored, and by nobody else", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const owner = (await make.storedUser(storage)).user.id;
    const stranger = (await make.storedUser(storage)).user.id;
    const job = make.job(owner, {
      type: "data_enrichment",
      status: "completed",
      attempt: 2,
      message: "Done",
      progress: 12.5,
      metadata: { rows: 3, nested: { list: [1, null] } },
      payload: { delimiter: ";" },
      completedAt: startOfTests + 4,
    });
    await storage.jobs.insert(job);
    expect(await storage.jobs.get(owner, job.id)).toEqual(job);
    expect(await storage.jobs.get(stranger, job.id)).toBeNull();
    expect(await storage.jobs.get(owner, "nothing")).toBeNull();
    expect(await pageOf(storage, stranger)).toEqual([]);
    expect(Object.values(await storage.jobs.countByStatus(stranger, {}))).toEqual([0, 0, 0, 0]);
  });

  test("a job for nobody, or with an id that is taken, is refused", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const job = await make.storedJob(opened.storage, user.id);
    await expect(opened.storage.jobs.insert(make.job("nobody"))).rejects.toThrow();
    await expect(opened.storage.jobs.insert(make.job(user.id, { id: job.id, message: "X" }))).rejects.toThrow();
    expect(await pageOf(opened.storage, user.id)).toEqual([job]);
  });

  test("a page holds the newest jobs first, ties by id, at most as many as asked for, behind the offset", async () => {
    await using opened = await open();
    const { storage, workspaceId, jobs } = await withRandomJobs(opened.storage);
    const expected = newestFirst(jobs);
    expect(await pageOf(storage, workspaceId)).toEqual(expected);
    expect(await pageOf(storage, workspaceId, {}, { limit: 4, offset: 3 })).toEqual(expected.slice(3, 7));
    expect(await pageOf(storage, workspaceId, {}, { offset: 1000 })).toEqual([]);
  });

  test("the pages of a cursor meet every job exactly once while others are inserted in between", async () => {
    await using opened = await open();
    const { storage, workspaceId, jobs, make, dice } = await withRandomJobs(opened.storage);
    const found: Job[] = [];
    for (let after: JobPlace | null = null; ;) {
      const page = await pageOf(storage, workspaceId, {}, { limit: 6, after });
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      after = { createdAt: last.createdAt, id: last.id };
      await storage.jobs.insert(randomJob(make, dice, workspaceId));
    }
    const ids = found.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(found.filter(({ id }) => jobs.some((job) => job.id === id))).toEqual(newestFirst(jobs));
    expect(found).toEqual(newestFirst(found));
  });

  test("filters narrow pages and counts alike; the bounds of a period belong to it", async () => {
    await using opened = await open();
    const { storage, workspaceId, jobs, dice } = await withRandomJobs(opened.storage);
    for (let round = 0; round < 60; round++) {
      const filter = randomFilter(dice);
      const expected = newestFirst(jobs.filter((job) => passes(job, filter)));
      expect(await pageOf(storage, workspaceId, filter), JSON.stringify(filter)).toEqual(expected);
      const counts = jobStatuses.map((status) => [status, expected.filter((job) => job.status === status).length]);
      expect(await storage.jobs.countByStatus(workspaceId, filter)).toEqual(Object.fromEntries(counts));
    }
  });

  test("jobs are counted by status and stretch of time, from a moment on, by their owner", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const owner = (await make.storedUser(storage)).user.id;
    const stretch = 1000;
    const begin = Math.ceil(startOfTests / stretch) * stretch;
    for (const [at, status] of [
      [begin - 1, "failed"],
      [begin, "failed"],
      [begin + 999, "failed"],
      [begin + 999, "pending"],
      [begin + 1000, "completed"],
    ] as const)
      await make.storedJob(storage, owner, { createdAt: at, status });
    const counts = await storage.jobs.countByTime(owner, begin, stretch);
    expect(counts).toContainEqual({ at: begin, status: "failed", jobs: 2 });
    expect(counts).toContainEqual({ at: begin, status: "pending", jobs: 1 });
    expect(counts.at(-1)).toEqual({ at: begin + 1000, status: "completed", jobs: 1 });
    expect(counts).toHaveLength(3);
    expect(await storage.jobs.countByTime("somebody", 0, stretch)).toEqual([]);
  });

  test("jobs are counted by when they were executed; what waits for somebody is pending", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const owner = (await make.storedUser(storage)).user.id;
    const stretch = 1000;
    const begin = Math.ceil(startOfTests / stretch) * stretch;
    const runAt = begin + 2500;
    for (const change of [
      { status: "completed", completedAt: begin + 1500 },
      { status: "failed", completedAt: begin + 1600 },
      { status: "running", updatedAt: begin + 3500, leaseUntil: begin + 9000 },
      { status: "running", leaseUntil: null, runAt },
      { status: "pending", runAt },
    ] as const)
      await make.storedJob(storage, owner, { createdAt: begin, ...change });
    await make.storedJob(storage, owner, { createdAt: begin - 1, status: "completed", completedAt: begin + 1500 });
    expect(await storage.jobs.countByExecution(owner, begin, stretch)).toEqual([
      { at: begin + 1000, status: expect.any(String), jobs: 1 },
      { at: begin + 1000, status: expect.any(String), jobs: 1 },
      { at: begin + 2000, status: "pending", jobs: 2 },
      { at: begin + 3000, status: "running", jobs: 1 },
    ]);
  });

  test("operators see the jobs of all users counted by status", async () => {
    await using opened = await open();
    const { storage, jobs, make } = await withRandomJobs(opened.storage);
    const other = (await make.storedUser(storage)).user.id;
    await make.storedJob(storage, other, { status: "failed" });
    const counts = jobStatuses.map((status) => [
      status,
      jobs.filter((job) => job.status === status).length + Number(status === "failed"),
    ]);
    expect(await storage.jobs.countAll()).toEqual(Object.fromEntries(counts));
  });

  test("a message is edited on a job of anybody, in any state, and everything else stays", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    for (const status of jobStatuses) {
      const job = await make.storedJob(storage, user.id, { status });
      const isOpen = status === "pending" || status === "running";
      const text = isOpen ? { editedMessage: "Another text" } : { message: "Another text" };
      const edited = { ...job, ...text, updatedAt: startOfTests + 3 };
      expect(await storage.jobs.editMessage(job.id, "Another text", startOfTests + 3)).toEqual(edited);
      expect(await storage.jobs.get(user.id, job.id)).toEqual(edited);
    }
    expect(await storage.jobs.editMessage("nothing", "X", startOfTests)).toBeNull();
  });

  test("a job is open while it is pending, running or failed not long ago", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const jobs = await Promise.all(jobStatuses.map((status) => make.storedJob(opened.storage, user.id, { status })));
    expect(await Promise.all(jobs.map(({ id }) => opened.storage.jobs.isOpen(id, 0)))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const failed = jobs.find(({ status }) => status === "failed")!;
    expect(await opened.storage.jobs.isOpen(failed.id, failed.updatedAt)).toBe(false);
    expect(await opened.storage.jobs.isOpen("nothing", 0)).toBe(false);
  });

  test("inserted jobs and edited messages are there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const job = await make.storedJob(opened.storage, user.id);
    await opened.storage.jobs.editMessage(job.id, "Edited", startOfTests);
    const storage = await opened.reopen();
    expect(await storage.jobs.get(user.id, job.id)).toEqual({ ...job, editedMessage: "Edited" });
    expect(await claimJobs(storage)).toHaveLength(1);
  });
});

async function pageOf(
  storage: Storage,
  workspaceId: string,
  filter: JobFilter = {},
  { limit = 100, offset = 0, after = null }: { limit?: number; offset?: number; after?: JobPlace | null } = {},
): Promise<Job[]> {
  return await storage.jobs.page({ workspaceId, filter, limit, offset, after });
}

/** Jobs of few different moments, so that ties are common. */
async function withRandomJobs(storage: Storage) {
  const make = createFactories();
  const dice = createDice(5);
  const workspaceId = (await make.storedUser(storage)).user.id;
  const jobs = Array.from({ length: 40 }, () => randomJob(make, dice, workspaceId));
  await Promise.all(dice.shuffled(jobs).map((job) => storage.jobs.insert(job)));
  return { storage, workspaceId, jobs, make, dice };
}

function randomJob(make: Factories, dice: Dice, workspaceId: string): Job {
  return make.job(workspaceId, {
    status: dice.pick(jobStatuses),
    type: dice.pick(jobTypes),
    createdAt: startOfTests + dice.below(8),
  });
}

function randomFilter(dice: Dice): JobFilter {
  return {
    ...(dice.chance(0.5) && { status: dice.pick(jobStatuses) }),
    ...(dice.chance(0.5) && { type: dice.pick(jobTypes) }),
    ...(dice.chance(0.5) && { createdFrom: startOfTests + dice.below(8) }),
    ...(dice.chance(0.5) && { createdTo: startOfTests + dice.below(8) }),
  };
}

function passes(
  job: Job,
  { status = job.status, type = job.type, createdFrom = 0, createdTo = job.createdAt }: JobFilter,
): boolean {
  return job.status === status && job.type === type && job.createdAt >= createdFrom && job.createdAt <= createdTo;
}

function newestFirst(jobs: Job[]): Job[] {
  return jobs.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}
