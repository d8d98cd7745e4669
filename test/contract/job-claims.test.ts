import { describe, expect, test } from "bun:test";
import type { Job, JobEnd, JobType } from "../../src/platform/jobs/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimJob, claimJobs, claimOf, createFactories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

const minute = 60_000;
const common = { message: "It ended", metadata: { b: 2, c: 3 }, at: startOfTests + 7 };
const ends: Record<JobEnd["kind"], JobEnd> = {
  completed: { kind: "completed", ...common },
  failed: { kind: "failed", ...common },
  again: { kind: "again", ...common, runAt: startOfTests + minute, countsAsAttempt: true },
  parked: { kind: "parked", ...common },
};
const kinds = Object.keys(ends) as JobEnd["kind"][];

describe.each(enginesAndPostgres)("claims of jobs on $name", ({ open, isSingleWriter }) => {
  test("a due job is claimed with a lease and the next attempt number; nothing else of it changes", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const job = await make.storedJob(storage, workspaceId, { attempt: 4, payload: { x: 1 }, metadata: { y: 2 } });
    const now = startOfTests + 5;
    const claimed = { ...job, status: "running" as const, attempt: 5, leaseUntil: now + minute, updatedAt: now };
    expect(await claimJobs(storage, now)).toEqual([claimed]);
    expect(await storage.jobs.get(workspaceId, job.id)).toEqual(claimed);
  });

  test("users take turns, however many jobs one of them has queued; of each the longest due comes first", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const others = [(await make.storedUser(storage)).user.id, (await make.storedUser(storage)).user.id];
    const queued = new Map<string, string[]>([workspaceId, ...others].map((id) => [id, []]));
    const queue = async (id: string, runAt: number) => {
      queued.get(id)!.push((await make.storedJob(storage, id, { runAt })).id);
    };
    for (let n = 0; n < 30; n++) await queue(workspaceId, startOfTests - 100 + n);
    for (const id of others) for (const n of [2, 1]) await queue(id, startOfTests - n);
    await make.storedJob(storage, others[0]!, { runAt: startOfTests + 1 });
    await make.storedJob(storage, others[0]!, { type: "prospect_import" });
    const claimed: Job[] = [];
    for (const limit of [1, 1, 1, 2, 1, 1, 1]) claimed.push(...(await claimJobs(storage, startOfTests, { limit })));
    for (const [id, ids] of queued) {
      const served = claimed.filter((job) => job.workspaceId === id).map((job) => job.id);
      expect(served).toEqual(ids.slice(0, id === workspaceId ? 4 : 2));
    }
    for (let at = 0; at < 6; at += 3)
      expect(new Set(claimed.slice(at, at + 3).map((job) => job.workspaceId)).size).toBe(3);
  });

  test("a job is claimed from the moment on at which it is due, not before", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    await make.storedJob(storage, workspaceId, { runAt: startOfTests + 10 });
    expect(await claimJobs(storage, startOfTests + 9)).toEqual([]);
    expect(await claimJobs(storage, startOfTests + 10)).toHaveLength(1);
  });

  test("a claimed job is not claimed again before its lease ends", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    await make.storedJob(storage, workspaceId);
    expect(await claimJobs(storage)).toHaveLength(1);
    for (const now of [startOfTests, startOfTests + minute - 1]) expect(await claimJobs(storage, now)).toEqual([]);
  });

  test("a job whose lease ended is claimed again with the next attempt number", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    await make.storedJob(storage, workspaceId);
    const first = await claimJob(storage);
    const now = startOfTests + minute + 1;
    expect(await claimJob(storage, now)).toEqual({
      ...first,
      attempt: 2,
      failures: 1,
      leaseUntil: now + minute,
      updatedAt: now,
    });
  });

  test("jobs are claimed oldest due first, ties by id, at most as many as asked for", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const runAts = [-1, -3, -2, -2, -5].map((ms) => startOfTests + ms);
    const jobs = await Promise.all(runAts.map((runAt) => make.storedJob(storage, workspaceId, { runAt })));
    const expected = [4, 1, 2, 3, 0].map((index) => jobs[index]!.id);
    const pages = [
      await claimJobs(storage, startOfTests, { limit: 2 }),
      await claimJobs(storage, startOfTests, { limit: 2 }),
    ];
    const rest = await claimJobs(storage, startOfTests, { limit: 2 });
    expect([...pages, rest].map((page) => page.map(({ id }) => id))).toEqual([
      expected.slice(0, 2),
      expected.slice(2, 4),
      expected.slice(4),
    ]);
  });

  test("abandoned and due jobs together are never more than asked for", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    for (let n = 0; n < 3; n++) await make.storedJob(storage, workspaceId);
    await claimJobs(storage);
    for (let n = 0; n < 3; n++) await make.storedJob(storage, workspaceId);
    const later = startOfTests + 2 * minute;
    const claims = [
      await claimJobs(storage, later, { limit: 2 }),
      await claimJobs(storage, later, { limit: 2 }),
      await claimJobs(storage, later),
    ];
    expect(claims.map((jobs) => jobs.length)).toEqual([2, 2, 2]);
    expect(new Set(claims.flat().map(({ id }) => id)).size).toBe(6);
  });

  test("only jobs of the wanted type are claimed, whosever they are", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const other = (await make.storedUser(storage)).user.id;
    const imports = [await make.storedJob(storage, workspaceId), await make.storedJob(storage, other)];
    const enrichment = await make.storedJob(storage, workspaceId, { type: "data_enrichment" });
    const first = await claimJobs(storage, startOfTests, { type: "lead_import" });
    expect(first.map(({ id }) => id)).toEqual(imports.map(({ id }) => id));
    expect(await claimJobs(storage, startOfTests, { type: "voice_training" })).toEqual([]);
    expect((await claimJobs(storage, startOfTests, { type: "data_enrichment" })).map(({ id }) => id)).toEqual([
      enrichment.id,
    ]);
  });

  test.each(["completed", "failed"] as const)("a job that has %s is never claimed", async (status) => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    await make.storedJob(storage, workspaceId, { status });
    expect(await claimJobs(storage, startOfTests + 1000 * minute)).toEqual([]);
  });

  test("two claimers never get the same job, in whatever order their claims, ends and lost leases come", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const dice = createDice(21);
    const completions = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 60 }, () =>
        make.storedJob(storage, workspaceId, { runAt: startOfTests + dice.below(20 * minute) }),
      ),
    );
    let held: Job[] = [];
    for (let now = startOfTests; completions.size < 60; now += dice.between(1, 2 * minute)) {
      held = held.filter(({ leaseUntil }) => (leaseUntil ?? 0) >= now);
      const claims = await Promise.all([0, 1].map(() => claimJobs(storage, now, { limit: dice.between(1, 5) })));
      const claimed = claims.flat();
      const ids = [...held, ...claimed].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      held.push(...claimed);
      const ending = held.filter(() => dice.chance(0.6));
      held = held.filter((job) => !ending.includes(job));
      const ended = await Promise.all(
        ending.map((job) => storage.jobs.end(claimOf(job), { ...ends.completed, at: now })),
      );
      expect(ended).toEqual(ending.map(() => true));
      for (const { id } of ending) completions.set(id, (completions.get(id) ?? 0) + 1);
    }
    expect([...completions.values()]).toEqual(Array.from({ length: 60 }, () => 1));
    expect((await storage.jobs.countAll()).completed).toBe(60);
  });

  test("a claim is there after the process was killed, and the next process takes the job over", async () => {
    await using opened = await open();
    const { workspaceId, make } = await withUser(opened.storage);
    const job = await make.storedJob(opened.storage, workspaceId);
    const lost = await claimJob(opened.storage);
    const storage = await opened.reopen();
    expect(await storage.jobs.get(workspaceId, job.id)).toMatchObject({ status: "running", attempt: 1 });
    // Other nodes can't know that the process is dead before its lease ends.
    if (!isSingleWriter) expect(await claimJobs(storage)).toEqual([]);
    expect((await claimJob(storage, isSingleWriter ? startOfTests : startOfTests + minute)).attempt).toBe(2);
    expect(await storage.jobs.end(claimOf(lost), ends.completed)).toBe(false);
  });

  test("a renewal prolongs leases that hold and tells of the others", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    for (let n = 0; n < 4; n++) await make.storedJob(storage, workspaceId);
    const [held, ended, canceled, takenOver] = await claimJobs(storage);
    await storage.jobs.end(claimOf(ended!), ends.completed);
    await storage.jobs.cancel(workspaceId, canceled!.id, startOfTests);
    await storage.jobs.renew([claimOf(held!)], startOfTests + 3 * minute);
    const again = await claimJob(storage, startOfTests + 2 * minute);
    expect(again.id).toBe(takenOver!.id);
    const claims = [held!, ended!, canceled!, takenOver!].map(claimOf);
    const lost = await storage.jobs.renew([...claims, { id: "nothing", attempt: 1 }], startOfTests + 9 * minute);
    expect(lost).toEqual([ended!.id, canceled!.id, takenOver!.id, "nothing"]);
    expect((await storage.jobs.get(workspaceId, held!.id))?.leaseUntil).toBe(startOfTests + 9 * minute);
    expect((await storage.jobs.get(workspaceId, takenOver!.id))?.leaseUntil).toBe(again.leaseUntil);
    expect((await storage.jobs.get(workspaceId, ended!.id))?.leaseUntil).toBeNull();
    expect(await storage.jobs.renew([], startOfTests)).toEqual([]);
  });

  describe("the end of a claim", () => {
    test.each<[JobEnd["kind"], Partial<Job>]>([
      ["completed", { status: "completed", progress: 100, completedAt: common.at, leaseUntil: null }],
      ["failed", { status: "failed", completedAt: common.at, leaseUntil: null }],
      ["again", { status: "pending", runAt: startOfTests + minute, leaseUntil: null, failures: 1 }],
      ["parked", { status: "running", leaseUntil: null }],
    ])("as %s writes what became of the job, and merges the metadata", async (kind, change) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(storage, workspaceId, { metadata: { a: 1, b: 1 }, progress: 40 });
      const job = await claimJob(storage);
      expect(await storage.jobs.end(claimOf(job), ends[kind])).toBe(true);
      const written = {
        ...job,
        ...change,
        message: common.message,
        metadata: { a: 1, b: 2, c: 3 },
        updatedAt: common.at,
      };
      expect(await storage.jobs.get(workspaceId, job.id)).toEqual(written);
    });

    test("that doesn't count as an attempt leaves as many attempts as there were before", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const { id } = await make.storedJob(storage, workspaceId, { maxAttempts: 3 });
      const attemptsLeft = async () => {
        const job = await storage.jobs.get(workspaceId, id);
        return (job?.maxAttempts ?? 0) - (job?.failures ?? 0);
      };
      for (const [countsAsAttempt, left] of [
        [false, 3],
        [true, 2],
        [false, 2],
        [true, 1],
        [true, 0],
      ] as const) {
        const job = await claimJob(storage);
        await storage.jobs.end(claimOf(job), { kind: "again", ...common, runAt: startOfTests, countsAsAttempt });
        expect(await attemptsLeft()).toBe(left);
      }
    });

    test("by parking leaves the job running, due never and claimed by nobody", async () => {
      await using opened = await open();
      const { workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(opened.storage, workspaceId);
      await opened.storage.jobs.end(claimOf(await claimJob(opened.storage)), ends.parked);
      expect(await dueAt(opened.storage, "lead_import")).toBeNull();
      expect(await claimJobs(opened.storage, startOfTests + 1e6 * minute)).toEqual([]);
      const storage = await opened.reopen();
      expect(await claimJobs(storage, startOfTests + 1e6 * minute)).toEqual([]);
    });

    test.each(kinds)("as %s makes it void for every later end and for renewals", async (kind) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(storage, workspaceId);
      const claim = claimOf(await claimJob(storage));
      await storage.jobs.end(claim, ends[kind]);
      const before = await storage.jobs.get(workspaceId, claim.id);
      for (const later of kinds)
        expect(await storage.jobs.end(claim, { ...ends[later], message: "Too late" }), later).toBe(false);
      expect(await storage.jobs.renew([claim], startOfTests + 9 * minute)).toEqual([claim.id]);
      expect(await storage.jobs.get(workspaceId, claim.id)).toEqual(before);
    });

    test.each(kinds)("as %s is refused, and writes nothing, once another runner has the job", async (kind) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(storage, workspaceId);
      const slow = await claimJob(storage);
      const taken = await claimJob(storage, startOfTests + 2 * minute);
      expect(await storage.jobs.end(claimOf(slow), ends[kind])).toBe(false);
      expect(await storage.jobs.get(workspaceId, slow.id)).toEqual(taken);
      expect(await storage.jobs.end(claimOf(taken), ends[kind])).toBe(true);
    });

    test("is refused for a job that was never claimed, or does not exist", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const job = await make.storedJob(storage, workspaceId);
      for (const claim of [claimOf(job), { id: "nothing", attempt: 1 }])
        expect(await storage.jobs.end(claim, ends.completed)).toBe(false);
      expect(await storage.jobs.get(workspaceId, job.id)).toEqual(job);
    });

    test.each(kinds)("as %s is there after the process was killed", async (kind) => {
      await using opened = await open();
      const { workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(opened.storage, workspaceId);
      const claim = claimOf(await claimJob(opened.storage));
      await opened.storage.jobs.end(claim, ends[kind]);
      const before = await opened.storage.jobs.get(workspaceId, claim.id);
      const storage = await opened.reopen();
      expect(await storage.jobs.get(workspaceId, claim.id)).toEqual(before);
    });
  });

  describe("the next due moment", () => {
    test("is that of the pending job that is due first or of the lease that ends first, among the wanted types", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const { jobs } = storage;
      expect(await dueAt(storage, "lead_import")).toBeNull();
      await make.storedJob(storage, workspaceId, { runAt: startOfTests + 5 * minute });
      await make.storedJob(storage, workspaceId, { runAt: startOfTests + 2 * minute });
      await make.storedJob(storage, workspaceId, { runAt: startOfTests + 1, type: "voice_training" });
      await make.storedJob(storage, workspaceId, { runAt: 1, status: "completed" });
      expect(await dueAt(storage, "lead_import")).toBe(startOfTests + 2 * minute);
      await make.storedJob(storage, workspaceId);
      const job = await claimJob(storage);
      expect(await dueAt(storage, "lead_import")).toBe(startOfTests + minute);
      expect(await jobs.dueTimes(["lead_import", "voice_training", "data_enrichment"])).toEqual(
        new Map<JobType, number>([
          ["lead_import", startOfTests + minute],
          ["voice_training", startOfTests + 1],
        ]),
      );
      await jobs.end(claimOf(job), ends.completed);
      expect(await dueAt(storage, "lead_import")).toBe(startOfTests + 2 * minute);
    });

    test.each([
      ["a pending job", false],
      ["a lease that ends", true],
    ])("for %s is the first moment at which it is claimed", async (_what, isLeased) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedJob(storage, workspaceId, { runAt: startOfTests });
      if (isLeased) await claimJob(storage);
      const first = (await dueAt(storage, "lead_import")) ?? 0;
      expect(await claimJobs(storage, first - 1)).toEqual([]);
      expect(await claimJobs(storage, first)).toHaveLength(1);
    });
  });
});

async function dueAt({ jobs }: Storage, type: JobType): Promise<number | null> {
  return (await jobs.dueTimes([type])).get(type) ?? null;
}

async function withUser(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  return { storage, make, workspaceId: user.id };
}
