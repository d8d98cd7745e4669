import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";
import type { JobHandler } from "../../src/platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../src/platform/jobs/model.ts";
import { JobRunner } from "../../src/platform/jobs/runner.ts";
import type { JobStore } from "../../src/platform/jobs/store.ts";
import { createImportHandler } from "../../src/features/leads/import-job.ts";
import { KeptFailedRows } from "../../src/features/leads/kept-failed-rows.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { createActionHandler } from "../../src/features/network/action-job.ts";
import type { Connector } from "../../src/features/network/connector.ts";
import { noVoices } from "../support/no-voices.ts";
import { SimulatedClock } from "../../src/features/simulation/simulated-clock.ts";
import { Simulator } from "../../src/features/simulation/simulator.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { alwaysOpen, createFactories } from "../support/factories.ts";
import { connectorsOf } from "../support/network-world.ts";

const second = 1000;
const retryMs = 5 * second;
const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
const done: JobEnd = { kind: "completed", message: "Done", metadata: {}, at: startOfTests };

test("an end that the disk does not take is written as soon as it does, and the job does not run twice", async () => {
  let runs = 0;
  const handler: JobHandler = { type: "lead_import", concurrency: 2, run: async () => (runs++, done) };
  await using setup = await createSetup(() => [handler], { failingEnds: 2 });
  const job = await setup.add();
  setup.runner.start();
  await setup.written();
  expect(await setup.get(job)).toMatchObject({ status: "running" });
  setup.clock.advance(retryMs);
  await setup.written();
  expect(await setup.get(job)).toMatchObject({ status: "running" });
  setup.clock.advance(retryMs);
  await setup.runner.idle();
  expect(await setup.get(job)).toMatchObject({ status: "completed", attempt: 1, failures: 0 });
  expect(runs).toBe(1);
});

test("nothing is claimed while an end can't be written, not even by the end of a lease", async () => {
  const claimed: string[] = [];
  const run: JobHandler["run"] = async ({ id }) => (claimed.push(id), done);
  await using setup = await createSetup(() => [{ type: "lead_import", concurrency: 2, run }], { failingEnds: 20 });
  const first = await setup.add();
  setup.runner.start();
  await setup.written();
  const second = await setup.add();
  for (let turn = 0; turn < 19; turn++) {
    setup.runner.poke();
    await setup.written();
    expect(claimed).toEqual([first.id]);
    setup.clock.advance(retryMs);
    await setup.written();
  }
  setup.clock.advance(retryMs);
  await setup.runner.idle();
  expect(claimed).toEqual([first.id, second.id]);
  expect(await setup.get(first)).toMatchObject({ status: "completed", attempt: 1 });
});

test("a run that the disk broke off says so, goes on soon, and is never given up for it", async () => {
  let failures = 7;
  const run: JobHandler["run"] = async () => {
    if (failures-- > 0) throw full;
    return done;
  };
  await using setup = await createSetup(() => [{ type: "lead_import", concurrency: 1, run }]);
  const job = await setup.add({ maxAttempts: 3 });
  setup.runner.start();
  for (let turn = 0; turn < 7; turn++) {
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({
      status: "pending",
      failures: 0,
      message: "Retrying automatically: the disk is full.",
    });
    setup.clock.advance(retryMs);
  }
  await setup.runner.idle();
  expect(await setup.get(job)).toMatchObject({ status: "completed", failures: 0 });
});

test("a runner that is to stop does not wait for the disk", async () => {
  const run: JobHandler["run"] = async () => done;
  await using setup = await createSetup(() => [{ type: "lead_import", concurrency: 1, run }], { failingEnds: 1000 });
  const job = await setup.add();
  setup.runner.start();
  await setup.written();
  await setup.runner.stop(60 * second);
  expect(await setup.get(job)).toMatchObject({ status: "running" });
});

test("a handler hears of the end of its job when that is written, and of none that came to nothing", async () => {
  const seen: unknown[] = [];
  let isCanceled = false;
  await using setup = await createSetup(({ storage }) => [
    {
      type: "lead_import",
      concurrency: 1,
      async run({ workspaceId, id }) {
        if (isCanceled) await storage.jobs.cancel(workspaceId, id, startOfTests);
        return done;
      },
      onEnded: async ({ workspaceId, id }, end) =>
        void seen.push([id, end.kind, (await storage.jobs.get(workspaceId, id))?.status]),
    },
  ]);
  const job = await setup.add();
  setup.runner.start();
  await setup.runner.idle();
  isCanceled = true;
  await setup.add();
  setup.runner.poke();
  await setup.runner.idle();
  expect(seen).toEqual([[job.id, "completed", "completed"]]);
});

test("the outcome of an action that was sent is kept until there is room to write it", async () => {
  const calls: string[] = [];
  const connector: Connector = {
    carryOut: async ({ jobId }) => (calls.push(jobId), { kind: "completed", reference: "ref-1" }),
  };
  let failures = 1;
  await using setup = await createSetup(({ storage, clock }) => {
    const network: Storage["network"] = {
      ...storage.network,
      endAction: async (claim, end) => {
        if (failures-- > 0) throw full;
        return await storage.network.endAction(claim, end);
      },
    };
    const connectors = connectorsOf(connector);
    return [
      createActionHandler({
        store: network,
        connectors,
        speech: noVoices,
        clock,
        log: createLog("silent"),
        replan: () => {},
        onEnded: () => {},
      }),
    ];
  });
  const account = setup.make.account(setup.workspaceId, { workingHours: alwaysOpen });
  await setup.storage.network.insertAccount(account);
  const job = await setup.make.scheduledJob(setup.storage, account);
  setup.runner.start();
  await setup.written();
  expect(await setup.storage.network.action(setup.workspaceId, job.id)).toMatchObject({ action: { state: "sending" } });
  setup.clock.advance(retryMs);
  await setup.runner.idle();
  expect(await setup.storage.network.action(setup.workspaceId, job.id)).toMatchObject({
    action: { state: "completed" },
  });
  expect(await setup.get(job)).toMatchObject({ status: "completed", metadata: { outcome: "completed" } });
  expect(calls).toEqual([job.id]);
});

test("an import that died before its end was written is completed by the next run, with no row twice", async () => {
  const root = mkdtempSync(join(tmpdir(), "outreachd-import-"));
  try {
    const blobs = createDiskBlobs(root);
    await using setup = await createSetup(
      ({ storage, clock }) => [
        createImportHandler(
          storage.leads,
          storage.workspaces,
          blobs,
          new KeptFailedRows(blobs, clock, createLog("silent")),
          { find: storage.jobs.get },
          clock,
        ),
      ],
      {
        failingEnds: 1,
        failure: new Error("The process died"),
      },
    );
    const payload = { format: "csv", delimiter: null, columns: null, tags: [], source: null };
    const job = await setup.add({ payload: { ...payload, onDuplicate: "create", dryRun: false } });
    const file = new Response("email\nada@example.com\ngrace@example.com\n").body;
    await blobs.receive(`imports/${job.id}`, file, 1000);
    setup.runner.start();
    await setup.runner.idle();
    expect(await setup.get(job)).toMatchObject({ status: "running", metadata: { rows: 2 } });
    expect(readdirSync(join(root, "imports"))).toEqual([job.id]);
    for (let turn = 0; turn < 4; turn++) {
      setup.clock.advance(20 * second);
      await setup.runner.idle();
    }
    expect(await setup.get(job)).toMatchObject({ status: "completed", attempt: 2, metadata: { rows: 2, created: 2 } });
    expect(readdirSync(join(root, "imports"))).toEqual([]);
    const sort = { field: "createdAt", descending: false } as const;
    const all = { workspaceId: setup.workspaceId, filter: {}, sort, limit: 10, offset: 0, after: null };
    expect((await setup.storage.leads.page(all)).leads.map(({ email }) => email)).toEqual([
      "ada@example.com",
      "grace@example.com",
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

type Parts = { storage: Storage; clock: FakeClock; make: ReturnType<typeof createFactories> };

/** A runner over an empty database, whose first ends fail as they do on a full disk. */
async function createSetup(
  handlersOf: (parts: Parts) => JobHandler[],
  { failingEnds = 0, failure = full }: { failingEnds?: number; failure?: Error } = {},
) {
  const clock = new FakeClock();
  const storage = openSqliteStorage(":memory:", clock);
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  let failures = failingEnds;
  const jobs: JobStore = {
    ...storage.jobs,
    end: async (claim, end) => {
      if (failures-- > 0) throw failure;
      return await storage.jobs.end(claim, end);
    },
  };
  const handlers = handlersOf({ storage, clock, make });
  const runner = new JobRunner(jobs, handlers, clock, createFactories(2).ids, createLog("silent"));
  return {
    clock,
    storage,
    make,
    runner,
    workspaceId: user.id,
    add: (overrides: Partial<Job> = {}) => make.storedJob(storage, user.id, overrides),
    get: (job: Job) => storage.jobs.get(user.id, job.id),
    /** Resolves when everything that was asked of the writer before is written and its askers have gone on. */
    async written() {
      for (let n = 0; n < 5; n++) await storage.check();
    },
    async [Symbol.asyncDispose]() {
      await runner.stop(0);
      await storage.close();
    },
  };
}

test("a simulation's clock is refused while a job waits for the disk, and goes on once there is room", async () => {
  const clock = new SimulatedClock(startOfTests);
  const diskClock = new FakeClock();
  let isFull = true;
  const storage = openSqliteStorage(":memory:", clock);
  const jobs: JobStore = {
    ...storage.jobs,
    end: (claim, end) => (isFull ? Promise.reject(full) : storage.jobs.end(claim, end)),
  };
  const handler: JobHandler = { type: "lead_import", concurrency: 1, run: async () => ({ ...done, at: clock.now() }) };
  const log = createLog("silent");
  const make = createFactories();
  const runner = new JobRunner(jobs, [handler], clock, make.ids, log, { diskClock });
  const simulator = new Simulator({
    // The list of them is read in another thread, which can't see a database in memory.
    store: { ...storage.simulation, eventsBetween: async () => [] },
    clock,
    seed: 1,
    nextDueAt: async () => (await storage.jobs.dueTimes(["lead_import"])).get("lead_import") ?? null,
    idle: () => runner.idle(),
    onDiskFault: (tell) => runner.onDiskFault(tell),
    chores: [],
    log,
  });
  const advance = () => simulator.advance({ advance: "PT1H" }, new AbortController().signal);
  const { user } = await make.storedUser(storage);
  const job = await make.storedJob(storage, user.id);
  runner.start();
  expect(await failureOf(advance())).toBe(full);
  const again = failureOf(advance());
  for (let n = 0; n < 5; n++) await storage.check();
  diskClock.advance(retryMs);
  expect(await again).toBe(full);
  // What happens at a moment is not over before it is written.
  expect(clock.now()).toBe(startOfTests);
  isFull = false;
  diskClock.advance(retryMs);
  await advance();
  expect(await storage.jobs.get(user.id, job.id)).toMatchObject({ status: "completed", completedAt: startOfTests });
  await runner.stop(0);
  await storage.close();
});

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}
