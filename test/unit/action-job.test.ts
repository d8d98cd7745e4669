import { describe, expect, test } from "bun:test";
import type { Clock } from "../../src/clock.ts";
import type { Job } from "../../src/jobs/model.ts";
import { JobRunner } from "../../src/jobs/runner.ts";
import { createLog } from "../../src/log.ts";
import { createActionHandler } from "../../src/network/action-job.ts";
import type { Connector, ConnectorOutcome } from "../../src/network/connector.ts";
import type { NetworkAccount } from "../../src/network/model.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { engines, type OpenedStorage } from "../support/engines.ts";
import { alwaysOpen, createFactories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const sent: ConnectorOutcome = { kind: "sent", reference: "ref-1" };

describe.each(engines)("an action over $name", ({ open }) => {
  describe("ends by what the connector answers", () => {
    test.each<[ConnectorOutcome, string, string, Record<string, unknown>]>([
      [sent, "completed", "done", { outcome: "sent", providerRef: "ref-1" }],
      [
        { kind: "refused", reason: "No such person." },
        "failed",
        "failed",
        { outcome: "failed", reason: "No such person." },
      ],
      [
        { kind: "unknown", reason: "The line went dead." },
        "failed",
        "unknown",
        { outcome: "unknown", reason: "The line went dead." },
      ],
      [{ kind: "awaiting" }, "running", "awaiting", { pendingReason: "awaitingPerson" }],
    ])("%j", async (outcome, status, state, metadata) => {
      await using opened = await open();
      const world = await createWorld(opened, { answer: async () => outcome });
      const job = await world.schedule();
      await world.run();
      expect(await world.get(job)).toMatchObject({ status, metadata });
      expect(await opened.storage.network.action(job.id)).toMatchObject({ state });
      expect(world.calls).toEqual([job.id]);
    });

    test("a busy connector is asked again at the moment that it names", async () => {
      await using opened = await open();
      const answers: ConnectorOutcome[] = [
        { kind: "busy", retryAt: startOfTests + 5 * minute, reason: "Slow down." },
        sent,
      ];
      const world = await createWorld(opened, { answer: async () => answers.shift()! });
      const job = await world.schedule();
      await world.run();
      const runAt = startOfTests + 5 * minute;
      expect(await world.get(job)).toMatchObject({
        status: "pending",
        runAt,
        metadata: { pendingReason: "cooldown", nextEligibleAt: new Date(runAt).toISOString() },
      });
      await world.runUntil(runAt - 1);
      expect(world.calls).toHaveLength(1);
      await world.runUntil(runAt);
      expect(world.calls).toHaveLength(2);
      expect(await world.get(job)).toMatchObject({ status: "completed" });
    });

    test("a connector that throws has an unknown outcome", async () => {
      await using opened = await open();
      const world = await createWorld(opened, {
        answer: async () => {
          throw new Error("secret detail");
        },
      });
      const job = await world.schedule();
      await world.run();
      await world.runUntil(startOfTests + hour);
      const ended = await world.get(job);
      expect(ended).toMatchObject({ status: "failed", metadata: { outcome: "unknown" } });
      expect(JSON.stringify(ended)).not.toContain("secret detail");
      expect(world.calls).toEqual([job.id]);
    });

    test("a connector that does not answer within a minute is told to give up, and its late answer is dropped", async () => {
      await using opened = await open();
      const late = Promise.withResolvers<ConnectorOutcome>();
      const called = Promise.withResolvers<AbortSignal>();
      const world = await createWorld(opened, {
        answer: (_action, _account, signal) => {
          called.resolve(signal);
          return late.promise;
        },
      });
      const job = await world.schedule();
      const running = world.run();
      const signal = await called.promise;
      world.clock.advance(minute - 1);
      expect(signal.aborted).toBe(false);
      world.clock.advance(1);
      expect(signal.aborted).toBe(true);
      await running;
      late.resolve(sent);
      await world.run();
      expect(await world.get(job)).toMatchObject({ status: "failed", metadata: { outcome: "unknown" } });
      expect(await opened.storage.network.action(job.id)).toMatchObject({ state: "unknown" });
    });

    test("the connector of the account is asked, with the action as it was scheduled", async () => {
      await using opened = await open();
      const seen: unknown[] = [];
      const answer: Connector["carryOut"] = async (action, account) => {
        seen.push(action, account);
        return sent;
      };
      const world = await createWorld(opened, { answer, account: { connector: "manual" } });
      const job = await world.schedule({ action: { actionType: "sendMessage", message: "Hello" } });
      await world.run();
      expect(seen).toMatchObject([
        { jobId: job.id, actionType: "sendMessage", message: "Hello" },
        { id: world.account.id, connector: "manual" },
      ]);
    });
  });

  describe("outside the working hours", () => {
    test("of an account whose hours were changed, is put off to them without a call", async () => {
      await using opened = await open();
      const world = await createWorld(opened);
      const job = await world.schedule();
      const tomorrow = [[], [{ from: 540, to: 1080 }], [], [], [], [], []];
      await opened.storage.network.updateAccount(world.account.userId, world.account.id, {
        workingHours: tomorrow,
        updatedAt: 1,
      });
      await world.run();
      const opening = startOfTests + 23 * hour;
      expect(world.calls).toEqual([]);
      expect(await world.get(job)).toMatchObject({
        status: "pending",
        runAt: opening,
        metadata: { pendingReason: "outsideWorkingHours" },
      });
      await world.runUntil(opening);
      expect(world.calls).toEqual([job.id]);
    });

    test("of an account whose hours never open any more, waits for somebody to change them", async () => {
      await using opened = await open();
      const world = await createWorld(opened);
      const job = await world.schedule();
      await opened.storage.network.updateAccount(world.account.userId, world.account.id, {
        workingHours: alwaysOpen.map(() => []),
        updatedAt: 1,
      });
      await world.run();
      for (let day = 1; day <= 5; day++) await world.runUntil(startOfTests + day * 24 * hour);
      expect(world.calls).toEqual([]);
      expect((await world.get(job))?.status).toBe("pending");
      await opened.storage.network.updateAccount(world.account.userId, world.account.id, {
        workingHours: alwaysOpen,
        updatedAt: 1,
      });
      await world.runUntil(startOfTests + 6 * 24 * hour);
      expect(world.calls).toEqual([job.id]);
    });
  });

  test("a cancelled action is never sent", async () => {
    await using opened = await open();
    const world = await createWorld(opened);
    const job = await world.schedule({ job: { runAt: startOfTests + minute } });
    await opened.storage.jobs.cancel(world.account.userId, job.id, startOfTests);
    await world.runUntil(startOfTests + hour);
    expect(world.calls).toEqual([]);
  });

  test("actions that came due while the server was down still keep the account's shortest distance", async () => {
    await using opened = await open();
    const world = await createWorld(opened, { account: { minGapSeconds: 90, maxGapSeconds: 480 } });
    for (let n = 0; n < 5; n++) await world.schedule({ gapMs: 90 * second });
    world.clock.advance(hour);
    await world.runUntil(startOfTests + 3 * hour);
    expect(world.calls).toHaveLength(5);
    const distances = world.calledAt.slice(1).map((at, index) => at - world.calledAt[index]!);
    for (const distance of distances) expect(distance).toBeGreaterThanOrEqual(90 * second);
  });

  describe("when the process is killed", () => {
    test.each<[FaultPoint, { status: string; state: string; calls: number }]>([
      ["after the claim", { status: "completed", state: "done", calls: 1 }],
      ["before the mark", { status: "completed", state: "done", calls: 1 }],
      ["after the mark", { status: "failed", state: "unknown", calls: 0 }],
      ["in the call", { status: "failed", state: "unknown", calls: 1 }],
      ["before the end", { status: "failed", state: "unknown", calls: 1 }],
      ["after the end", { status: "completed", state: "done", calls: 1 }],
    ])("%s, it is not lost and never sent twice", async (point, expected) => {
      await using opened = await open();
      const world = await createWorld(opened);
      const job = await world.schedule();
      await world.runAndKill(point);
      await world.run();
      await world.runUntil(startOfTests + hour);
      expect(await world.get(job)).toMatchObject({ status: expected.status });
      expect(await opened.storage.network.action(job.id)).toMatchObject({ state: expected.state });
      expect(world.calls).toEqual(Array.from({ length: expected.calls }, () => job.id));
      const retried = await opened.storage.jobs.retry(job.userId, job.id, world.clock.now());
      expect(retried.kind).toBe("refused");
    });

    test("between a busy answer and the next try, it is sent at that try", async () => {
      await using opened = await open();
      const answers: ConnectorOutcome[] = [
        { kind: "busy", retryAt: startOfTests + 5 * minute, reason: "Slow down." },
        sent,
      ];
      const world = await createWorld(opened, { answer: async () => answers.shift()! });
      const job = await world.schedule();
      await world.run();
      await opened.reopen();
      await world.run();
      expect(world.calls).toHaveLength(1);
      await world.runUntil(startOfTests + 5 * minute);
      expect(await world.get(job)).toMatchObject({ status: "completed" });
    });

    test.each([1, 2])("in the call of attempt %d, its last, nobody can have it sent again", async (maxAttempts) => {
      await using opened = await open();
      const world = await createWorld(opened);
      const job = await world.schedule({ job: { maxAttempts } });
      for (let attempt = 1; attempt < maxAttempts; attempt++) await world.runAndKill("before the mark");
      await world.runAndKill("in the call");
      await world.runUntil(startOfTests + hour);
      expect((await world.get(job))?.status).toBe("failed");
      expect((await opened.storage.jobs.retry(job.userId, job.id, world.clock.now())).kind).toBe("refused");
      await world.run();
      expect(world.calls).toEqual([job.id]);
    });

    test("so often that its job is given up before it was sent, it may be scheduled anew", async () => {
      await using opened = await open();
      const world = await createWorld(opened);
      const request = { action: { profileUrl: "https://network.example/in/ada" } };
      const job = await world.schedule(request);
      for (let attempt = 1; attempt <= 3; attempt++) await world.runAndKill("before the mark");
      await world.run();
      expect(await world.get(job)).toMatchObject({ status: "failed", message: expect.stringContaining("Given up") });
      const again = await world.schedule(request);
      await world.runUntil(startOfTests + hour);
      expect(world.calls).toEqual([again.id]);
    });

    test.each([1, 2, 3])(
      "again and again, no action is lost or sent twice, even if its owner retries what failed (seed %d)",
      async (seed) => {
        await using opened = await open();
        const dice = createDice(seed);
        const world = await createWorld(opened);
        const jobs: Job[] = [];
        for (let n = 0; n < 12; n++) jobs.push(await world.schedule({ gapMs: 2 * minute }));
        for (let kill = 0; kill < 16; kill++) {
          await world.runAndKill(dice.pick(faultPoints));
          world.clock.advance(dice.below(2 * minute));
        }
        for (let round = 0; round < 3; round++) {
          await world.runUntil(world.clock.now() + hour);
          for (const job of jobs) await opened.storage.jobs.retry(job.userId, job.id, world.clock.now());
        }
        await world.runUntil(world.clock.now() + hour);
        expect(new Set(world.calls).size).toBe(world.calls.length);
        for (const job of jobs) {
          const { status } = (await world.get(job))!;
          const { state } = (await opened.storage.network.action(job.id))!;
          const wasCalled = world.calls.includes(job.id);
          expect({ status, state, wasCalled }).toBeOneOf([
            { status: "completed", state: "done", wasCalled: true },
            { status: "failed", state: "unknown", wasCalled: true },
            { status: "failed", state: "unknown", wasCalled: false },
          ]);
        }
      },
    );
  });
});

const faultPoints = [
  "after the claim",
  "before the mark",
  "after the mark",
  "in the call",
  "before the end",
  "after the end",
] as const;
type FaultPoint = (typeof faultPoints)[number];

type WorldOptions = { answer?: Connector["carryOut"]; account?: Partial<NetworkAccount> };

/** An account, the network outside, and the processes that come and go over one storage. */
async function createWorld(
  opened: OpenedStorage,
  { answer = async () => sent, account: overrides = {} }: WorldOptions = {},
) {
  const make = createFactories();
  const clock = new FakeClock();
  const log = createLog("silent");
  const { user } = await make.storedUser(opened.storage);
  const account = make.account(user.id, { workingHours: alwaysOpen, ...overrides });
  await opened.storage.network.insertAccount(account);
  const calls: string[] = [];
  const calledAt: number[] = [];

  /** Runs in the background, to be killed at the point if it comes there. */
  function startProcess(storage: Storage, point: FaultPoint | null) {
    const life = createLife(point);
    const connector: Connector = {
      async carryOut(action, of, signal) {
        calls.push(action.jobId);
        calledAt.push(clock.now());
        return await life.survive("in the call", answer(action, of, signal));
      },
    };
    const network = life.mortal(storage.network, {
      markSending: ["before the mark", "after the mark"],
      endAction: ["before the end", "after the end"],
    });
    const jobs = life.mortal(storage.jobs, { claim: [null, "after the claim"] });
    const ownClock: Clock = {
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, () => void (life.isOver || run())),
    };
    const handler = createActionHandler(network, { manual: connector, simulated: connector }, ownClock, log);
    const runner = new JobRunner(jobs, [handler], ownClock, make.ids, log);
    runner.start();
    return { runner, killed: life.ended };
  }

  async function run(): Promise<void> {
    const { runner } = startProcess(opened.storage, null);
    await runner.idle();
    await runner.stop(0);
  }

  return {
    clock,
    account,
    /** Ids of the jobs for which the connector was called, in order. */
    calls,
    calledAt,
    get: (job: Job) => opened.storage.jobs.get(job.userId, job.id),
    schedule: (request: Parameters<typeof make.actionRequest>[1] = {}) =>
      make.scheduledJob(opened.storage, account, request),
    /** A process that carries out what is due now, then stops. */
    run,
    /** Processes that carry out what is due from now up to a moment. */
    async runUntil(moment: number): Promise<void> {
      for (;;) {
        await run();
        const dueAt = await opened.storage.jobs.nextDueAt(["linkedin_action"]);
        if (clock.now() >= moment) return;
        clock.advanceTo(Math.min(moment, Math.max(dueAt ?? moment, clock.now() + 1)));
      }
    },
    /** A process that is killed at the point, if something is due that brings it there; the storage is opened anew. */
    async runAndKill(point: FaultPoint): Promise<void> {
      const { runner, killed } = startProcess(opened.storage, point);
      await Promise.race([killed, runner.idle()]);
      await opened.reopen();
    },
  };
}

/** The life of one process. After its end whatever it was waiting for never comes, and nothing it does has any effect. */
function createLife(point: FaultPoint | null) {
  const end = Promise.withResolvers<void>();
  let isOver = false;
  const never = new Promise<never>(() => {});

  /** What comes of `work`, unless life ends here or has ended meanwhile. */
  async function survive<T>(here: FaultPoint | null, work: T | Promise<T>): Promise<T> {
    const result = await work;
    if (here !== null && here === point) {
      isOver = true;
      end.resolve();
    }
    return isOver ? await never : result;
  }

  /** The same store as one process sees it; `points` names the fault points before and after a method. */
  function mortal<S extends object>(store: S, points: { [M in keyof S]?: [FaultPoint | null, FaultPoint] }): S {
    type Method = (...args: unknown[]) => Promise<unknown>;
    const wrapped = Object.entries(store).map(([name, method]: [string, unknown]) => {
      if (typeof method !== "function") return [name, method];
      const [before, after] = points[name as keyof S] ?? [null, null];
      const isClaim = name === "claim";
      const run: Method = async (...args) => {
        await survive(before, null);
        const result = await (method as Method)(...args);
        // A look that finds nothing due is no claim.
        return await survive(isClaim && (result as unknown[]).length === 0 ? null : after, result);
      };
      return [name, run];
    });
    return Object.fromEntries(wrapped) as S;
  }

  return {
    survive,
    mortal,
    ended: end.promise,
    get isOver() {
      return isOver;
    },
  };
}
