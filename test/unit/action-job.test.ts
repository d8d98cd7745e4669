import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { Connector, ConnectorOutcome } from "../../src/features/network/connector.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { Planner } from "../../src/features/network/planner.ts";
import type { Speech, SpeechProvider } from "../../src/features/network/speech-provider.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { alwaysOpen } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";
import { createNetworkWorld, sent } from "../support/network-world.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe.each(engines)("an action over $name", ({ open }) => {
  describe("ends by what the connector answers", () => {
    test.each<[ConnectorOutcome, string, string, Record<string, unknown>]>([
      [sent, "completed", "completed", { outcome: "completed", providerRef: "ref-1" }],
      [
        { kind: "refused", refusal: "personNotFound", reason: "No such person." },
        "failed",
        "failed",
        { outcome: "failed", refusal: "personNotFound", reason: "No such person." },
      ],
      [
        { kind: "refused", refusal: "alreadyConnected", reason: "You are connected." },
        "completed",
        "skipped",
        { outcome: "skipped", skipReason: "alreadyConnected" },
      ],
      [
        { kind: "unknown", reason: "The line went dead." },
        "failed",
        "unknown",
        { outcome: "unknown", reason: "The line went dead." },
      ],
      [
        { kind: "delegated", to: "person", reference: null, checkAt: null },
        "running",
        "awaiting",
        { pendingReason: "awaitingPerson" },
      ],
      [
        { kind: "signedOut", reason: "Sign in." },
        "pending",
        "scheduled",
        { pendingReason: "accountNeedsReconnect", scheduledFor: null },
      ],
    ])("%j", async (outcome, status, state, metadata) => {
      await using opened = await open();
      const world = await createNetworkWorld(opened, { carryOut: async () => outcome });
      const job = await world.schedule();
      await world.run();
      expect(await world.job(job)).toMatchObject({ status, metadata });
      expect(await world.action(job)).toMatchObject({ state });
      await world.runUntil(startOfTests + 3 * hour);
      expect(world.calls).toEqual([{ jobId: job.id, at: startOfTests }]);
    });

    test("a busy connector is asked again at the moment that it names, not before, whatever is planned anew", async () => {
      await using opened = await open();
      const retryAt = startOfTests + 5 * minute;
      const world = await createNetworkWorld(opened, {
        carryOut: answering({ kind: "busy", retryAt, reason: "Slow down." }, sent),
      });
      const job = await world.schedule();
      await world.run();
      await world.change({ jitterPercent: 1 });
      await world.run();
      expect(await world.job(job)).toMatchObject({
        status: "pending",
        runAt: retryAt,
        metadata: { nextEligibleAt: new Date(retryAt).toISOString() },
      });
      await world.runUntil(startOfTests + hour);
      expect(world.calls.map(({ at }) => at)).toEqual([startOfTests, retryAt]);
      expect(await world.job(job)).toMatchObject({ status: "completed" });
    });

    test("a connector that is busy each time is asked five times", async () => {
      await using opened = await open();
      const world = await createNetworkWorld(opened, {
        carryOut: async () => ({ kind: "busy", retryAt: world.clock.now() + minute, reason: "Slow down." }),
      });
      const job = await world.schedule();
      await world.runUntil(startOfTests + hour);
      expect(world.calls).toHaveLength(5);
      expect(await world.job(job)).toMatchObject({
        status: "failed",
        message: expect.stringContaining("Failed after 5 attempts"),
      });
    });

    test("a limit makes the account rest from this kind, longer with each one in a row, while others go on", async () => {
      await using opened = await open();
      const limited = (retryAt: number | null): ConnectorOutcome => ({ kind: "limited", retryAt, reason: "Enough." });
      const retryAt = startOfTests + 5 * hour + 30 * hour;
      const world = await createNetworkWorld(opened, { carryOut: answering(limited(null), sent, limited(retryAt)) });
      const job = await world.schedule();
      await world.schedule({ action: { actionType: "sendMessage", message: "Hello" } });
      await world.run();
      expect(await world.job(job)).toMatchObject({ status: "pending", metadata: { pendingReason: "cooldown" } });
      await world.runUntil(startOfTests + 3 * day);
      expect(world.calls.map(({ at }) => at)).toEqual([
        startOfTests,
        // Only what had its effect keeps others at a distance.
        startOfTests,
        startOfTests + 5 * hour,
        retryAt,
      ]);
      expect(await world.job(job)).toMatchObject({ status: "completed", failures: 0 });
    });

    test("a connector that throws has an unknown outcome, and nobody reads what it threw", async () => {
      await using opened = await open();
      const carryOut = async () => {
        throw new Error("secret detail");
      };
      const world = await createNetworkWorld(opened, { carryOut });
      const job = await world.schedule();
      await world.runUntil(startOfTests + hour);
      const ended = await world.job(job);
      expect(ended).toMatchObject({ status: "failed", metadata: { outcome: "unknown" } });
      expect(JSON.stringify(ended)).not.toContain("secret detail");
      expect(world.calls).toHaveLength(1);
    });

    test("a connector that does not answer within a minute is told to give up, and its late answer is dropped", async () => {
      await using opened = await open();
      const late = Promise.withResolvers<ConnectorOutcome>();
      const called = Promise.withResolvers<AbortSignal>();
      const world = await createNetworkWorld(opened, {
        carryOut: (_order, _account, signal) => {
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
      expect(await world.job(job)).toMatchObject({ status: "failed", metadata: { outcome: "unknown" } });
      expect(await world.action(job)).toMatchObject({ state: "unknown" });
    });

    test("the connector is asked with the action as it was scheduled, and with its account", async () => {
      await using opened = await open();
      const seen: unknown[] = [];
      const carryOut: Connector["carryOut"] = async (order, account) => {
        seen.push(order, account);
        return sent;
      };
      const world = await createNetworkWorld(opened, { carryOut });
      const job = await world.schedule({ action: { actionType: "sendVoiceMessage", message: "Hello" } });
      await world.run();
      expect(seen).toMatchObject([
        { jobId: job.id, actionType: "sendVoiceMessage", message: "Hello", audio: { mediaType: "audio/mpeg" } },
        { id: world.account.id },
      ]);
      expect(await world.job(job)).toMatchObject({ metadata: { audioSeconds: expect.any(Number) } });
    });
  });

  describe("whose voice can't speak", () => {
    const voice = { action: { actionType: "sendVoiceMessage", message: "Hello" } } as const;

    test.each<[string, () => Promise<Speech>]>([
      ["fails", () => Promise.reject(new Error("no model"))],
      ["is busy", async () => ({ kind: "refused", reason: "It is trained at the moment." })],
    ])("because it %s, is tried again, and given up after five times without a call", async (_what, speak) => {
      await using opened = await open();
      const world = await createNetworkWorld(opened, { speech: { problem: async () => null, speak } });
      const job = await world.schedule(voice);
      await world.run();
      expect(await world.job(job)).toMatchObject({ status: "pending", metadata: { pendingReason: "retry" } });
      await world.runUntil(startOfTests + 2 * hour);
      expect(await world.action(job)).toMatchObject({ state: "failed" });
      expect(world.calls).toEqual([]);
    });

    test("because it never ends, is told to stop, and tried again", async () => {
      await using opened = await open();
      const called = Promise.withResolvers<AbortSignal>();
      const speak: SpeechProvider["speak"] = (_user, _voice, _text, signal) => {
        called.resolve(signal);
        return new Promise(() => {});
      };
      const world = await createNetworkWorld(opened, { speech: { problem: async () => null, speak } });
      const job = await world.schedule(voice);
      const running = world.run();
      const signal = await called.promise;
      world.clock.advance(15 * minute);
      await running;
      expect(signal.aborted).toBe(true);
      expect(await world.job(job)).toMatchObject({ status: "pending", metadata: { pendingReason: "retry" } });
    });
  });

  test("an action that was planned while the clock was ahead is planned anew when it goes back", async () => {
    await using opened = await open();
    const world = await createNetworkWorld(opened);
    const planner = new Planner(opened.storage.network, world.clock, createLog("silent"), () => {});
    world.clock.set(startOfTests + 300 * day);
    planner.wake();
    await planner.idle();
    const job = await world.schedule({ job: { createdAt: world.clock.now() } });
    await opened.storage.network.edit(job.workspaceId, job.id, { notBefore: startOfTests }, world.clock.now());
    world.clock.set(startOfTests);
    planner.wake();
    await planner.idle();
    expect(await world.action(job)).toMatchObject({ slotAt: startOfTests });
    await world.run();
    expect(world.calls).toEqual([{ jobId: job.id, at: startOfTests }]);
  });

  describe("that was handed to a vendor", () => {
    const handed = (checkAt: number | null): ConnectorOutcome => ({
      kind: "delegated",
      to: "vendor",
      reference: "v-1",
      checkAt,
    });

    test("is asked after with the vendor's name for it until the vendor knows", async () => {
      await using opened = await open();
      const asked: [string, number][] = [];
      const world = await createNetworkWorld(opened, {
        carryOut: async () => handed(startOfTests + minute),
        follow: async (reference) => {
          asked.push([reference, world.clock.now()]);
          return asked.length < 3 ? handed(world.clock.now() + minute) : sent;
        },
      });
      const job = await world.schedule();
      await world.run();
      expect(await world.action(job)).toMatchObject({ state: "awaiting", pendingReason: "awaitingVendor" });
      await world.runUntil(startOfTests + hour);
      expect(asked).toEqual([1, 2, 3].map((n) => ["v-1", startOfTests + n * minute]));
      expect(await world.action(job)).toMatchObject({ state: "completed" });
      expect(world.calls).toHaveLength(1);
    });

    test.each<[string, Pick<Connector, "follow">]>([
      ["that can't be asked", {}],
      ["that fails whenever it is asked", { follow: () => Promise.reject(new Error("down")) }],
    ])("%s is unknown after two days of silence", async (_what, connector) => {
      await using opened = await open();
      const world = await createNetworkWorld(opened, { carryOut: async () => handed(null), ...connector });
      const job = await world.schedule();
      await world.runUntil(startOfTests + 2 * day - 1);
      expect(await world.action(job)).toMatchObject({ state: "awaiting" });
      await world.runUntil(startOfTests + 2 * day + 10 * minute);
      expect(await world.action(job)).toMatchObject({ state: "unknown" });
      expect(world.calls).toHaveLength(1);
    });
  });

  describe("outside the working hours", () => {
    test("of an account whose hours were changed, is put off to them without a call", async () => {
      await using opened = await open();
      const world = await createNetworkWorld(opened);
      const job = await world.schedule();
      await world.change({ workingHours: [[], [{ from: 540, to: 1080 }], [], [], [], [], []] });
      await world.run();
      const opening = startOfTests + 23 * hour;
      expect(await world.job(job)).toMatchObject({
        status: "pending",
        runAt: opening,
        metadata: { pendingReason: "outsideWorkingHours", scheduledFor: new Date(opening).toISOString() },
      });
      await world.runUntil(opening);
      expect(world.calls).toEqual([{ jobId: job.id, at: opening }]);
    });

    test("of an account whose hours never open any more, waits for somebody to change them", async () => {
      await using opened = await open();
      const world = await createNetworkWorld(opened);
      const jobs = [await world.schedule(), await world.schedule(), await world.schedule()];
      await world.change({ workingHours: alwaysOpen.map(() => []) });
      await world.runUntil(startOfTests + 5 * day);
      expect(world.calls).toEqual([]);
      expect((await world.job(jobs[0]!))?.metadata).toMatchObject({
        pendingReason: "outsideWorkingHours",
        scheduledFor: null,
      });
      await world.change({ workingHours: alwaysOpen });
      await world.runUntil(startOfTests + 6 * day);
      expect(world.calls.map(({ jobId }) => jobId)).toEqual(jobs.map(({ id }) => id));
    });
  });

  test("a paused account holds everything, and goes on in order at its pace", async () => {
    await using opened = await open();
    const world = await createNetworkWorld(opened);
    const jobs = [];
    for (let n = 0; n < 4; n++) jobs.push(await world.schedule());
    await world.change({ state: "paused" });
    await world.runUntil(startOfTests + hour);
    expect(world.calls).toEqual([]);
    expect((await world.job(jobs[3]!))?.metadata).toMatchObject({ pendingReason: "accountPaused", scheduledFor: null });
    await world.change({ state: "active" });
    await world.runUntil(startOfTests + 2 * hour);
    expect(world.calls).toEqual(jobs.map(({ id }, n) => ({ jobId: id, at: startOfTests + hour + n * minute })));
  });

  test("an account that was paused and goes on at the very moment of an action loses none", async () => {
    await using opened = await open();
    const world = await createNetworkWorld(opened);
    const job = await world.schedule();
    await world.change({ state: "paused" });
    await world.run();
    await world.change({ state: "active" });
    await world.runUntil(startOfTests + hour);
    expect(world.calls.map(({ jobId }) => jobId)).toEqual([job.id]);
  });

  test("a canceled action is never sent", async () => {
    await using opened = await open();
    const world = await createNetworkWorld(opened);
    const job = await world.schedule({ action: { notBefore: startOfTests + minute } });
    await opened.storage.jobs.cancel(world.account.workspaceId, job.id, startOfTests);
    await world.runUntil(startOfTests + hour);
    expect(world.calls).toEqual([]);
  });

  test("actions that came due while the server was down still keep their distances and their order", async () => {
    await using opened = await open();
    const world = await createNetworkWorld(opened, { account: { spacing: { medianSeconds: 180, minSeconds: 90 } } });
    const dice = createDice(5);
    const jobs: Job[] = [];
    for (let n = 0; n < 12; n++) jobs.push(await world.schedule({ action: { draw: dice.below(1000) / 1000 } }));
    world.clock.advance(3 * hour);
    await world.runUntil(startOfTests + 6 * hour);
    expect(world.calls.map(({ jobId }) => jobId)).toEqual(jobs.map(({ id }) => id));
    const distances = world.calls.slice(1).map(({ at }, index) => at - world.calls[index]!.at);
    for (const distance of distances) expect(distance).toBeGreaterThanOrEqual(90 * second);
    expect(new Set(distances).size).toBeGreaterThan(5);
  });

  describe("when the process is killed", () => {
    type Path = { connector: Partial<Connector>; action: Partial<NetworkAction> };
    const toVendor: ConnectorOutcome = { kind: "delegated", to: "vendor", reference: "v-1", checkAt: null };
    const paths: Record<string, Path> = {
      send: { connector: {}, action: {} },
      "voice message": { connector: {}, action: { actionType: "sendVoiceMessage", message: "Hello" } },
      "vendor that is asked later": {
        connector: { carryOut: async () => ({ ...toVendor, checkAt: startOfTests }), follow: async () => sent },
        action: {},
      },
      "busy network": {
        connector: { carryOut: async () => ({ kind: "busy", retryAt: startOfTests, reason: "Busy." }) },
        action: {},
      },
      person: { connector: { carryOut: async () => ({ ...toVendor, to: "person" }) }, action: {} },
      limit: { connector: { carryOut: async () => ({ kind: "limited", retryAt: null, reason: "Stop." }) }, action: {} },
    };

    const endOf: Record<string, NetworkAction["state"]> = {
      send: "completed",
      "voice message": "completed",
      "vendor that is asked later": "completed",
      "busy network": "failed",
      person: "awaiting",
      limit: "scheduled",
    };
    const isRepeated = new Set(["busy network", "limit"]);

    async function killEverywhere(name: string): Promise<void> {
      const points: string[] = [];
      for (let deathAt = 0; ; deathAt++) {
        await using opened = await open();
        const world = await createNetworkWorld(opened, paths[name]!.connector);
        const job = await world.schedule({ action: paths[name]!.action });
        const point = await world.runAndKill(deathAt);
        if (point === null) break;
        points.push(point);
        const wasMarked = (await world.action(job))!.state === "sending";
        const callsBefore = world.calls.length;
        await world.runUntil(startOfTests + 70 * hour);
        const action = (await world.action(job))!;
        const shown = `${point}: ${JSON.stringify({ ...action, wasMarked, calls: world.calls })}`;
        if (wasMarked) {
          expect(action.state, shown).toBe("unknown");
          expect(world.calls.length, shown).toBe(callsBefore);
        } else expect(action.state, shown).toBe(endOf[name]!);
        if (!isRepeated.has(name)) expect(world.calls.length, shown).toBe(wasMarked ? callsBefore : 1);
        const retried = await opened.storage.jobs.retry(job.workspaceId, job.id, world.clock.now());
        if (action.state === "unknown" || action.state === "completed") expect(retried.kind, shown).toBe("refused");
      }
      expect(points).toContain("in the call");
      expect(points.length).toBeGreaterThan(12);
    }

    for (const name of Object.keys(paths))
      test(`at whatever point of a ${name}, nothing is lost and nothing sent twice`, () => killEverywhere(name), {
        timeout: 60_000,
      });

    test.each([1, 2, 3])(
      "again and again, no action is lost or sent twice, even if its owner retries what failed (seed %d)",
      async (seed) => {
        await using opened = await open();
        const dice = createDice(seed);
        const world = await createNetworkWorld(opened);
        const jobs: Job[] = [];
        for (let n = 0; n < 12; n++)
          jobs.push(
            await world.schedule({
              action: dice.chance(0.3) ? { actionType: "sendVoiceMessage", message: "Hello" } : {},
            }),
          );
        for (let kill = 0; kill < 20; kill++) {
          await world.runAndKill(dice.below(24));
          world.clock.advance(dice.below(2 * minute));
        }
        for (let round = 0; round < 3; round++) {
          await world.runUntil(world.clock.now() + hour);
          for (const job of jobs) await opened.storage.jobs.retry(job.workspaceId, job.id, world.clock.now());
        }
        const called = world.calls.map(({ jobId }) => jobId);
        expect(new Set(called).size).toBe(called.length);
        for (const job of jobs) {
          const wasCalled = called.includes(job.id);
          const { status } = (await world.job(job))!;
          expect({ status, state: (await world.action(job))!.state, wasCalled }).toBeOneOf([
            { status: "completed", state: "completed", wasCalled: true },
            { status: "failed", state: "unknown", wasCalled: true },
            { status: "failed", state: "unknown", wasCalled: false },
          ]);
        }
      },
      { timeout: 60_000 },
    );
  });
});

function answering(...outcomes: ConnectorOutcome[]): Connector["carryOut"] {
  return async () => outcomes.shift() ?? sent;
}
