import { describe, expect, test } from "bun:test";
import { createLog } from "../../../src/platform/base/log.ts";
import type { NetworkAccount } from "../../../src/features/network/account-model.ts";
import { metersOf } from "../../../src/features/network/action-kinds.ts";
import { neverAt, type NetworkAction } from "../../../src/features/network/action-model.ts";
import { nextOpening } from "../../../src/features/network/governor/calendar.ts";
import { limitsOf } from "../../../src/features/network/governor/limits.ts";
import { Planner } from "../../../src/features/network/planner.ts";
import type { QueuedAction } from "../../../src/features/network/store.ts";
import type { DueAction } from "../../../src/features/network/queue-model.ts";
import { toleratedMs } from "../../../src/platform/operations/operations.ts";
import { SteadyClock } from "../../../src/platform/base/clock.ts";
import { FakeClock, startOfTests } from "../../support/clock.ts";
import { engines, type OpenedStorage } from "../../support/engines.ts";
import { actionEnd, claimOf, createFactories } from "../../support/factories.ts";
import { createDice, type Dice } from "../../support/ids.ts";
import { randomAction, randomSettings } from "../../support/random-account.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe.each(engines)("months of an account over $name", ({ open }) => {
  test.each([1, 2, 3, 4])(
    "whatever happens, what is sent keeps every cap, hour, break and distance, and nothing is lost (seed %d)",
    async (seed) => {
      await using opened = await open();
      const dice = createDice(seed);
      const months = await createMonths(opened, dice);
      for (let n = 0; n < 40; n++) await months.schedule();
      for (let step = 0; step < 220; step++) {
        await months.disturb();
        await months.settle();
        await months.sendNext();
      }
      await months.free();
      for (let step = 0; months.waiting.size > 0 && step < 1000; step++) await months.sendNext();
      expect([...months.waiting.keys()]).toEqual([]);
      const names = months.sends.map(({ jobId }) => jobId);
      expect(new Set(names).size).toBe(names.length);
    },
    { timeout: 120_000 },
  );

  test.each([11, 12, 13])(
    "when nothing changes, the coming weeks are as they are planned, in the order in which they were asked for (seed %d)",
    async (seed) => {
      await using opened = await open();
      const dice = createDice(seed);
      const months = await createMonths(opened, dice);
      for (let n = 0; n < 80; n++) await months.schedule();
      const planned = await months.queue();
      while (months.waiting.size > 0) await months.sendNext();
      expect(months.sends.map(({ jobId, at }) => ({ jobId, at }))).toEqual(
        planned.map(({ jobId, slotAt }) => ({ jobId, at: slotAt })),
      );
    },
    { timeout: 60_000 },
  );

  test.each([21, 22, 24])(
    "a queue that is planned again stays in its order, kind by kind, also when the planner dies on the way (seed %d)",
    async (seed) => {
      await using opened = await open();
      const dice = createDice(seed);
      const months = await createMonths(opened, dice);
      for (let n = 0; n < 250; n++) await months.schedule();
      for (let change = 0; change < 5; change++) {
        const before = await months.order();
        await months.change();
        for (let death = 0; death < 4; death++) {
          await months.planAndDie(dice.between(1, 3));
          expect(await months.order()).toEqual(before);
        }
        await months.settle();
        expect(await months.order()).toEqual(before);
      }
    },
    { timeout: 60_000 },
  );
});

type Send = { jobId: string; meters: readonly string[]; at: number };

/** An account with chance settings, the queue of it, and what was sent. */
async function createMonths(opened: OpenedStorage, dice: Dice) {
  const make = createFactories();
  const system = new FakeClock(startOfTests + dice.below(300) * day);
  let clock = new SteadyClock(system);
  const log = createLog("silent");
  const { user } = await make.storedUser(opened.storage);
  let account = make.account(user.id, { ...randomSettings(dice, clock.now()), connector: "simulated" });
  await opened.storage.network.insertAccount(account);
  const waiting = new Map<string, NetworkAction>();
  const sends: Send[] = [];
  const network = () => opened.storage.network;
  const planner = () => new Planner(network(), clock, log, () => {});

  /** The next process knows of the time what the database knows. */
  async function restart(): Promise<void> {
    await opened.reopen();
    clock = new SteadyClock(system);
    clock.raiseTo((await opened.storage.operations.latestTime()) ?? 0);
  }

  /** Nothing is sent while the clock is behind. */
  function catchUp(): void {
    if (clock.behindMs() >= toleratedMs) system.set(clock.now());
  }

  async function schedule(): Promise<void> {
    const now = clock.now();
    const request = make.actionRequest(account, { action: randomAction(dice, now), job: { createdAt: now } });
    const outcome = await network().schedule(request, false);
    if (outcome.kind !== "scheduled") throw new Error(`Expected a slot, got ${JSON.stringify(outcome)}`);
    expect(outcome.action.pendingReason).not.toBeNull();
    waiting.set(request.job.id, outcome.action);
  }

  async function update(change: Partial<NetworkAccount>): Promise<void> {
    account = (await network().updateAccount(user.id, account.id, { ...change, updatedAt: clock.now() }))!;
  }

  async function queue(): Promise<QueuedAction[]> {
    return (await network().planBasis(account.id, 1_000_000, clock.now()))!.queue;
  }

  async function settle(): Promise<void> {
    const current = planner();
    current.wake();
    await current.idle();
  }

  /** The system clock does as it likes: it may stand still, jump ahead as after a downtime, or go back. */
  function jump(ms: number): void {
    if (ms >= 0) system.advance(ms);
    else system.set(system.now() + ms);
  }

  const disturbances: (() => Promise<void> | void)[] = [
    schedule,
    schedule,
    () => jump(dice.below(3 * day)),
    () => jump(dice.below(3 * hour)),
    () => jump(-dice.below(3 * hour)),
    () => jump(-dice.below(3 * day)),
    () => update(randomSettings(dice, clock.now() - dice.below(20) * day)),
    () => update({ state: account.state === "active" ? "paused" : "active" }),
    async () => {
      if (waiting.size === 0) return;
      const jobId = dice.pick([...waiting.keys()]);
      expect((await opened.storage.jobs.cancel(user.id, jobId, clock.now())).kind).toBe("changed");
      waiting.delete(jobId);
    },
    restart,
    () => jump(-dice.below(2 * minute)),
  ];

  function checkSend({ action, account: of }: DueAction, before: readonly QueuedAction[]): void {
    const now = clock.now();
    const shown = `${action.jobId} at ${new Date(now).toISOString()} of ${JSON.stringify(of)}`;
    expect(waiting.delete(action.jobId), shown).toBe(true);
    expect(nextOpening(now, of)?.waitsFor, shown).toBeNull();
    for (const { at } of sends) expect(Math.abs(now - at), shown).toBeGreaterThanOrEqual(of.spacing.minSeconds * 1000);
    const meters = metersOf(action.actionType, action.message !== null);
    for (const meter of meters)
      for (const { windowMs, cap, window } of limitsOf(of, meter, now)) {
        const used = sends.filter((send) => send.meters.includes(meter) && send.at > now - windowMs).length;
        expect(used, `${meter} ${window}: ${shown}`).toBeLessThan(cap);
      }
    const own = before.find(({ jobId }) => jobId === action.jobId)!;
    expect(now, shown).toBeGreaterThanOrEqual(own.slotAt);
    expect(now, shown).toBeGreaterThanOrEqual(own.notBefore);
    for (const other of before)
      if (kindOf(other) === kindOf(own) && other.notBefore <= now && waiting.has(other.jobId))
        expect(other.slotAt, `${other.jobId} before ${shown}`).toBeGreaterThanOrEqual(own.slotAt);
    sends.push({ jobId: action.jobId, meters, at: now });
  }

  /** Moves on to the next moment at which something is due, and sends what may go then. */
  async function sendNext(): Promise<void> {
    catchUp();
    const dueAt = (await opened.storage.jobs.dueTimes(["linkedin_action"])).get("linkedin_action") ?? null;
    if (dueAt === null || dueAt >= neverAt) return system.advance(hour);
    if (dueAt > clock.now()) system.advanceTo(dueAt);
    const before = await queue();
    const now = clock.now();
    const { due, needsPlan } = await network().claimDue({ now, limit: 100, leaseUntil: now + minute });
    for (const item of due) {
      checkSend(item, before);
      await network().endAction(claimOf(item.job), actionEnd({ at: now }));
    }
    if (needsPlan) await settle();
    await checkQueue();
  }

  /** What waits knows why and until when, and its job agrees. */
  async function checkQueue(): Promise<void> {
    for (const { jobId, pendingReason, slotAt } of await queue()) {
      expect(pendingReason).not.toBeNull();
      const { job } = (await network().action(user.id, jobId))!;
      if (account.state === "active") expect(job.runAt, jobId).toBe(Math.min(slotAt, neverAt));
    }
  }

  return {
    sends,
    waiting,
    schedule,
    settle,
    sendNext,
    queue,
    /** Those of each kind in the order of their moments, but for those that were asked to wait. */
    async order(): Promise<Record<string, string[]>> {
      const byKind: Record<string, string[]> = {};
      for (const action of await queue())
        if (action.notBefore <= clock.now()) (byKind[kindOf(action)] ??= []).push(action.jobId);
      return byKind;
    },
    disturb: async () => (dice.chance(0.4) ? dice.pick(disturbances)() : undefined),
    change: () => update(randomSettings(dice, clock.now())),
    /** An account without bounds, so that everything gets its turn. */
    async free(): Promise<void> {
      await update({ ...randomSettings(dice, 0), warmUp: null, caps: { notes: { month: 100 } }, state: "active" });
      await settle();
    },
    /** A planner that dies after so many slices of its plan. */
    async planAndDie(slices: number): Promise<void> {
      const died = Promise.withResolvers<void>();
      let left = slices;
      const mortal = {
        ...network(),
        movePlanned: async (...of: Parameters<ReturnType<typeof network>["movePlanned"]>) => {
          if (left-- > 0) return network().movePlanned(...of);
          died.resolve();
          return new Promise<never>(() => {});
        },
      };
      const current = new Planner(mortal, clock, log, () => {});
      current.wake();
      await Promise.race([died.promise, current.idle()]);
      await opened.reopen();
    },
  };
}

/** What keeps its order among itself. */
function kindOf({ actionType, hasNote }: QueuedAction): string {
  return `${actionType} ${hasNote}`;
}
