import { describe, expect, test } from "bun:test";
import type { JobContext, JobHandler } from "../../src/platform/jobs/handler.ts";
import type { Job, JobType, JobEnd } from "../../src/platform/jobs/model.ts";
import { retryDelayMs } from "../../src/platform/jobs/retry-policy.ts";
import { JobRunner } from "../../src/platform/jobs/runner.ts";
import type { JobStore } from "../../src/platform/jobs/store.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const second = 1000;
const minute = 60 * second;

describe("due jobs", () => {
  test("are carried out when the runner starts, and their end is written", async () => {
    await using setup = await createRunner([handlerOf(async () => completed("Well done"))]);
    const job = await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({
      status: "completed",
      attempt: 1,
      message: "Well done",
      leaseUntil: null,
    });
  });

  test("are handed to the handler of their type, with their claim and a lease for its own writes", async () => {
    const seen: { job: Job; context: JobContext }[] = [];
    const see = (type: JobType) =>
      handlerOf(
        async (job, context) => {
          seen.push({ job, context });
          return completed(type);
        },
        { type },
      );
    await using setup = await createRunner([see("lead_import"), see("voice_training")]);
    const job = await setup.add({ type: "voice_training", payload: { x: 1 } });
    setup.runner.start();
    await setup.runner.idle();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.job).toMatchObject({ id: job.id, status: "running", attempt: 1, payload: { x: 1 } });
    expect(seen[0]?.context.claim).toEqual({ id: job.id, attempt: 1 });
    expect(seen[0]?.context.leaseUntil()).toBe(startOfTests + minute);
    expect(await setup.get(job)).toMatchObject({ status: "completed", message: "voice_training" });
  });

  test("that come later are carried out when the clock gets there, without anybody telling", async () => {
    await using setup = await createRunner([handlerOf(async () => completed())]);
    const job = await setup.add({ runAt: startOfTests + 10 * second });
    setup.runner.start();
    await setup.runner.idle();
    setup.clock.advance(10 * second - 1);
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("pending");
    setup.clock.advance(1);
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("completed");
  });

  test("that nobody told of are found within half a minute", async () => {
    await using setup = await createRunner([handlerOf(async () => completed())]);
    setup.runner.start();
    await setup.runner.idle();
    const job = await setup.add();
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("pending");
    setup.clock.advance(30 * second);
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("completed");
  });

  test("that somebody told of are carried out at once, also when that was told while the runner was looking", async () => {
    await using setup = await createRunner([handlerOf(async () => completed())]);
    setup.runner.start();
    const job = setup.make.job(setup.workspaceId);
    const inserting = setup.storage.jobs.insert(job);
    for (let n = 0; n < 5; n++) setup.runner.poke();
    await inserting;
    setup.runner.poke();
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("completed");
  });

  test("are not touched by a runner that was not started, or that has stopped", async () => {
    await using setup = await createRunner([handlerOf(async () => completed())]);
    const job = await setup.add();
    setup.runner.poke();
    await setup.runner.idle();
    setup.runner.start();
    await setup.runner.stop(second);
    const later = await setup.add();
    setup.runner.poke();
    setup.clock.advance(10 * minute);
    await setup.runner.idle();
    expect((await setup.get(later))?.status).toBe("pending");
    expect((await setup.get(job))?.attempt).toBeLessThanOrEqual(1);
  });

  test("that a handler ended by itself are left as it left them", async () => {
    await using setup = await createRunner([
      handlerOf(async (_job, { claim }) => {
        await setup.storage.jobs.end(claim, {
          kind: "failed",
          message: "By the handler",
          metadata: {},
          at: startOfTests,
        });
        return null;
      }),
    ]);
    const job = await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({ status: "failed", message: "By the handler", attempt: 1 });
  });
});

describe("at once", () => {
  test("no more jobs of a type run than its handler allows, and the end of one begins the next", async () => {
    let running = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    const full = Promise.withResolvers<void>();
    const handler = handlerOf(
      async () => {
        most = Math.max(most, ++running);
        if (gates.length < 2)
          await new Promise<void>((resolve) => (gates.push(resolve), gates.length === 2 && full.resolve()));
        running--;
        return completed();
      },
      { concurrency: 2 },
    );
    await using setup = await createRunner([handler]);
    const jobs = await Promise.all(Array.from({ length: 7 }, () => setup.add()));
    setup.runner.start();
    await full.promise;
    expect(await statuses(setup, jobs)).toEqual([
      "running",
      "running",
      "pending",
      "pending",
      "pending",
      "pending",
      "pending",
    ]);
    for (const open of gates) open();
    await setup.runner.idle();
    expect(await statuses(setup, jobs)).toEqual(jobs.map(() => "completed"));
    expect(most).toBe(2);
  });

  test("one claim makes up for all jobs that end in the same turn", async () => {
    const limits: number[] = [];
    const handler = handlerOf(async () => completed(), { concurrency: 3 });
    await using setup = await createRunner([handler], (store) => ({
      ...store,
      claim: (request) => (limits.push(request.limit), store.claim(request)),
    }));
    // The first end of a job takes long, and a commit that takes long does not wait for the others.
    await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    const runAt = setup.clock.now() + 10 * second;
    const jobs = await Promise.all(Array.from({ length: 6 }, () => setup.add({ runAt })));
    limits.length = 0;
    setup.clock.advance(30 * second);
    await setup.runner.idle();
    expect(await statuses(setup, jobs)).toEqual(jobs.map(() => "completed"));
    expect(limits.filter((limit) => limit > 0 && limit < 3)).toEqual([]);
  });

  test("a type that is busy does not keep another waiting", async () => {
    const gate = Promise.withResolvers<JobEnd>();
    const done = Promise.withResolvers<void>();
    const blocked = handlerOf(() => gate.promise, { type: "lead_import" });
    const free = handlerOf(async () => (done.resolve(), completed()), { type: "voice_training" });
    await using setup = await createRunner([blocked, free]);
    const jobs = [await setup.add(), await setup.add(), await setup.add({ type: "voice_training" })];
    setup.runner.start();
    await done.promise;
    await setup.written();
    expect(await statuses(setup, jobs)).toEqual(["running", "pending", "completed"]);
    gate.resolve(completed());
    await setup.runner.idle();
    expect(await statuses(setup, jobs)).toEqual(["completed", "completed", "completed"]);
  });
});

describe("a job whose handler throws", () => {
  test("is tried again after the delay of the retry policy, and then may succeed", async () => {
    let attempts = 0;
    const handler = handlerOf(async () => {
      if (++attempts < 3) throw new Error("The moon is wrong");
      return completed();
    });
    await using setup = await createRunner([handler]);
    const random = setup.nextRandom();
    const job = await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    const firstDelay = retryDelayMs(1, random());
    const retryAt = startOfTests + firstDelay;
    expect(await setup.get(job)).toMatchObject({
      status: "pending",
      attempt: 1,
      maxAttempts: 3,
      runAt: retryAt,
      message: expect.stringContaining(new Date(retryAt).toISOString()),
    });
    setup.clock.advance(firstDelay - 1);
    await setup.runner.idle();
    expect(attempts).toBe(1);
    setup.clock.advance(1);
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({
      status: "pending",
      attempt: 2,
      runAt: retryAt + retryDelayMs(2, random()),
    });
    setup.clock.advance(30 * second);
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({ status: "completed", attempt: 3 });
  });

  test("is given up after its last attempt, without a word of the internal error", async () => {
    let attempts = 0;
    const handler = handlerOf(async () => {
      attempts++;
      throw new Error("secret detail");
    });
    await using setup = await createRunner([handler]);
    const job = await setup.add({ maxAttempts: 2 });
    setup.runner.start();
    for (let n = 0; n < 10; n++) {
      await setup.runner.idle();
      setup.clock.advance(30 * second);
    }
    await setup.runner.idle();
    expect(attempts).toBe(2);
    const ended = await setup.get(job);
    expect(ended).toMatchObject({
      status: "failed",
      attempt: 2,
      message: "Failed after 2 attempts. Each attempt ended with an internal error.",
    });
    expect(JSON.stringify(ended)).not.toContain("secret detail");
  });

  test("does not keep the others from being carried out", async () => {
    const handler = handlerOf(async (job) => {
      if (job.payload["bad"] === true) throw new Error("Bad");
      return completed();
    });
    await using setup = await createRunner([handler]);
    const jobs = [await setup.add({ payload: { bad: true } }), await setup.add()];
    setup.runner.start();
    await setup.runner.idle();
    expect(await statuses(setup, jobs)).toEqual(["pending", "completed"]);
  });
});

test("a job that killed its runner each time is given up without another try", async () => {
  let attempts = 0;
  await using setup = await createRunner([handlerOf(async () => (attempts++, completed()))]);
  const job = await setup.add({
    status: "running",
    attempt: 3,
    failures: 2,
    maxAttempts: 3,
    leaseUntil: startOfTests - 1,
  });
  setup.runner.start();
  await setup.runner.idle();
  expect(attempts).toBe(0);
  expect(await setup.get(job)).toMatchObject({
    status: "failed",
    message: "Failed after 3 attempts. The job was interrupted too often.",
  });
});

test("a job whose runner died is taken over when its lease ends", async () => {
  await using setup = await createRunner([handlerOf(async () => completed())]);
  const job = await setup.add({ status: "running", attempt: 1, leaseUntil: startOfTests + 20 * second });
  setup.runner.start();
  await setup.runner.idle();
  setup.clock.advance(20 * second - 1);
  await setup.runner.idle();
  expect((await setup.get(job))?.status).toBe("running");
  setup.clock.advance(1);
  await setup.runner.idle();
  expect(await setup.get(job)).toMatchObject({ status: "completed", attempt: 2 });
});

describe("a job that takes long", () => {
  test("keeps its lease, so that nobody else takes it", async () => {
    const { handler, started, gate } = gatedHandler();
    await using setup = await createRunner([handler]);
    const job = await setup.add();
    setup.runner.start();
    await started;
    for (let n = 0; n < 12; n++) {
      setup.clock.advance(20 * second);
      await setup.written();
      const request = {
        type: "lead_import" as const,
        limit: 10,
        now: setup.clock.now(),
        leaseUntil: setup.clock.now() + minute,
      };
      expect(await setup.storage.jobs.claim(request)).toEqual([]);
    }
    expect(await setup.get(job)).toMatchObject({
      status: "running",
      attempt: 1,
      leaseUntil: startOfTests + 5 * minute,
    });
    gate.resolve(completed());
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("completed");
  });

  test("is told when its claim was lost, and its end is not written", async () => {
    const { handler, started, gate, signal } = gatedHandler();
    await using setup = await createRunner([handler]);
    const job = await setup.add();
    setup.runner.start();
    await started;
    await setup.storage.jobs.cancel(setup.workspaceId, job.id, startOfTests);
    expect(signal().aborted).toBe(false);
    setup.clock.advance(20 * second);
    await setup.written();
    expect(signal().aborted).toBe(true);
    gate.resolve(completed());
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({ status: "failed", message: "Canceled" });
  });

  test("and throws after its claim was lost is not set to pending again", async () => {
    const { handler, started, gate } = gatedHandler();
    await using setup = await createRunner([handler]);
    const job = await setup.add();
    setup.runner.start();
    await started;
    await setup.storage.jobs.cancel(setup.workspaceId, job.id, startOfTests);
    gate.reject(new Error("Too late"));
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({ status: "failed", message: "Canceled" });
  });
});

describe("stopping", () => {
  test("asks running jobs to end, waits for them, and sets those that were interrupted to pending without costing an attempt", async () => {
    const handler = handlerOf((_job, { signal }) => {
      started.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    const started = Promise.withResolvers<void>();
    await using setup = await createRunner([handler]);
    const job = await setup.add({ maxAttempts: 3 });
    setup.runner.start();
    await started.promise;
    await setup.runner.stop(minute);
    expect(await setup.get(job)).toMatchObject({
      status: "pending",
      attempt: 1,
      failures: 0,
      runAt: startOfTests,
      leaseUntil: null,
    });
  });

  test("writes the end of a job that finishes within the time", async () => {
    const { handler, started, gate } = gatedHandler();
    await using setup = await createRunner([handler]);
    const job = await setup.add();
    setup.runner.start();
    await started;
    const stopping = setup.runner.stop(minute);
    gate.resolve(completed());
    await stopping;
    expect((await setup.get(job))?.status).toBe("completed");
  });

  test("waits no longer than it may for a job that does not end", async () => {
    const { handler, started, gate } = gatedHandler();
    await using setup = await createRunner([handler]);
    await setup.add();
    setup.runner.start();
    await started;
    let hasStopped = false;
    const stopping = setup.runner.stop(5 * second).then(() => (hasStopped = true));
    await setup.written();
    setup.clock.advance(5 * second - 1);
    await setup.written();
    expect(hasStopped).toBe(false);
    setup.clock.advance(1);
    await stopping;
    gate.resolve(completed());
    await setup.runner.idle();
  });

  test("begins no job that was not begun before", async () => {
    let begun = 0;
    const { handler, started, gate } = gatedHandler(() => begun++);
    await using setup = await createRunner([handler]);
    await setup.add();
    await setup.add();
    setup.runner.start();
    await started;
    const stopping = setup.runner.stop(minute);
    gate.resolve(completed());
    await stopping;
    await setup.runner.idle();
    expect(begun).toBe(1);
  });

  test("leaves no timer running", async () => {
    await using setup = await createRunner([handlerOf(async () => completed())]);
    await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    await setup.runner.stop(minute);
    expect(setup.clock.pending).toEqual([]);
  });

  test("and starting are safe to repeat, and a stopped runner may be started again", async () => {
    let attempts = 0;
    await using setup = await createRunner([handlerOf(async () => (attempts++, completed()))]);
    await setup.add();
    await setup.runner.stop(minute);
    setup.runner.start();
    setup.runner.start();
    expect(setup.runner.isStarted).toBe(true);
    await setup.runner.idle();
    await setup.runner.stop(minute);
    await setup.runner.stop(minute);
    expect(setup.runner.isStarted).toBe(false);
    expect(attempts).toBe(1);
    const job = await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("completed");
  });
});

describe("when the store fails", () => {
  test("to answer what is due, the runner looks again a few seconds later", async () => {
    let failures = 1;
    const breakClaims = (store: JobStore): JobStore => ({
      ...store,
      claim: async (request) => {
        if (failures-- > 0) throw new Error("The disk is full");
        return await store.claim(request);
      },
    });
    await using setup = await createRunner([handlerOf(async () => completed())], breakClaims);
    const job = await setup.add();
    setup.runner.start();
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("pending");
    setup.clock.advance(5 * second);
    await setup.runner.idle();
    expect((await setup.get(job))?.status).toBe("completed");
  });

  test("to write an end, the job is carried out again after its lease, and the others go on", async () => {
    let failures = 1;
    const breakEnds = (store: JobStore): JobStore => ({
      ...store,
      end: async (claim, end) => {
        if (failures-- > 0) throw new Error("The disk is full");
        return await store.end(claim, end);
      },
    });
    await using setup = await createRunner([handlerOf(async () => completed())], breakEnds);
    const jobs = [await setup.add(), await setup.add()];
    setup.runner.start();
    await setup.runner.idle();
    expect(await statuses(setup, jobs)).toEqual(["running", "completed"]);
    for (let n = 0; n < 5; n++) {
      setup.clock.advance(21 * second);
      await setup.runner.idle();
    }
    expect(await setup.get(jobs[0]!)).toMatchObject({ status: "completed", attempt: 2 });
  });

  test("to renew leases, running jobs go on and the next renewal is tried", async () => {
    let failures = 1;
    const breakRenewals = (store: JobStore): JobStore => ({
      ...store,
      renew: async (claims, leaseUntil) => {
        if (failures-- > 0) throw new Error("The disk is full");
        return await store.renew(claims, leaseUntil);
      },
    });
    const { handler, started, gate, signal } = gatedHandler();
    await using setup = await createRunner([handler], breakRenewals);
    const job = await setup.add();
    setup.runner.start();
    await started;
    setup.clock.advance(20 * second);
    await setup.written();
    expect((await setup.get(job))?.leaseUntil).toBe(startOfTests + minute);
    setup.clock.advance(20 * second);
    await setup.written();
    expect((await setup.get(job))?.leaseUntil).toBe(startOfTests + 40 * second + minute);
    expect(signal().aborted).toBe(false);
    gate.resolve(completed());
    await setup.runner.idle();
  });
});

test("jobs that are claimed together wait until there is room for as many", async () => {
  const running: PromiseWithResolvers<JobEnd>[] = [];
  const run = () => {
    const job = Promise.withResolvers<JobEnd>();
    running.push(job);
    return job.promise;
  };
  const claims: number[] = [];
  const note = (store: JobStore): JobStore => ({
    ...store,
    claim: async (request) => {
      const jobs = await store.claim(request);
      claims.push(jobs.length);
      return jobs;
    },
  });
  await using setup = await createRunner([{ ...handlerOf(run), concurrency: 4, claimedTogether: 3 }], note);
  const untilRunning = async (jobs: number) => {
    while (running.length < jobs) await setup.written();
  };
  for (let n = 0; n < 8; n++) await setup.add();
  setup.runner.start();
  await untilRunning(4);
  running.splice(0, 2).forEach(({ resolve }) => resolve(completed()));
  await setup.written();
  expect(claims).toEqual([4]);
  running.splice(0, 1).forEach(({ resolve }) => resolve(completed()));
  await untilRunning(4);
  expect(claims).toEqual([4, 3]);
  running.splice(0, 4).forEach(({ resolve }) => resolve(completed()));
  await untilRunning(1);
  running[0]!.resolve(completed());
  await setup.runner.idle();
});

test("with nothing to do the runner looks every half a minute, and sets no more than one timer for it", async () => {
  let looks = 0;
  let claims = 0;
  const count = (store: JobStore): JobStore => ({
    ...store,
    dueTimes: (types) => (looks++, store.dueTimes(types)),
    claim: (request) => (claims++, store.claim(request)),
  });
  await using setup = await createRunner([handlerOf(async () => completed())], count);
  setup.runner.start();
  for (let n = 0; n < 10; n++) {
    await setup.runner.idle();
    expect(setup.clock.pending.length).toBeLessThanOrEqual(2);
    setup.clock.advance(30 * second);
  }
  await setup.runner.idle();
  expect([looks, claims]).toEqual([11, 0]);
});

function completed(message = "Done"): JobEnd {
  return { kind: "completed", message, metadata: {}, at: startOfTests };
}

function handlerOf(
  run: JobHandler["run"],
  { type = "lead_import", concurrency = 1 }: Partial<JobHandler> = {},
): JobHandler {
  return { type, concurrency, run };
}

/** A handler that ends when, and as, the test says. */
function gatedHandler(onBegin: () => void = () => {}) {
  const gate = Promise.withResolvers<JobEnd>();
  const begun = Promise.withResolvers<void>();
  let last: AbortSignal | null = null;
  const handler = handlerOf((_job, { signal }) => {
    onBegin();
    last = signal;
    begun.resolve();
    return gate.promise;
  });
  function signal(): AbortSignal {
    if (last === null) throw new Error("Expected the job to have begun");
    return last;
  }
  return { handler, started: begun.promise, gate, signal };
}

/** A runner over an empty database in memory, on a clock that the test moves. */
async function createRunner(handlers: JobHandler[], change: (store: JobStore) => JobStore = (store) => store) {
  const clock = new FakeClock();
  const storage = openSqliteStorage(":memory:", clock);
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const runner = new JobRunner(change(storage.jobs), handlers, clock, createFactories(2).ids, createLog("silent"));
  return {
    clock,
    storage,
    make,
    runner,
    workspaceId: user.id,
    add: (overrides: Partial<Job> = {}) => make.storedJob(storage, user.id, overrides),
    get: (job: Job) => storage.jobs.get(user.id, job.id),
    /** The chance that the runner will meet, in the same order. */
    nextRandom: () => createFactories(2).ids.random,
    /** Resolves when everything that was asked of the writer before is written and its askers have gone on. */
    async written() {
      for (let n = 0; n < 3; n++) await storage.check();
    },
    async [Symbol.asyncDispose]() {
      await runner.stop(0);
      await storage.close();
    },
  };
}

async function statuses(setup: Pick<Awaited<ReturnType<typeof createRunner>>, "get">, jobs: Job[]) {
  return (await Promise.all(jobs.map((job) => setup.get(job)))).map((job) => job?.status);
}
