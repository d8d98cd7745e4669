import type { Clock } from "../../src/platform/base/clock.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import { JobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { connectorNames, type NetworkAccount } from "../../src/features/network/account-model.ts";
import { createActionHandler, type Connectors } from "../../src/features/network/action-job.ts";
import type { Connector, ConnectorOutcome } from "../../src/features/network/connector.ts";
import { Planner } from "../../src/features/network/planner.ts";
import type { SpeechProvider } from "../../src/features/network/speech-provider.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock } from "./clock.ts";
import type { OpenedStorage } from "./engines.ts";
import { alwaysOpen, createFactories } from "./factories.ts";

export const sent: ConnectorOutcome = { kind: "completed", reference: "ref-1" };

/** The same connector under every name. */
export function connectorsOf(connector: Connector): Connectors {
  return Object.fromEntries(connectorNames.map((name) => [name, connector])) as Connectors;
}

/** Speaks everything, in silence. */
export const voices: SpeechProvider = {
  problem: async () => null,
  speak: async () => ({ kind: "spoken", audio: { bytes: new Uint8Array(4), mediaType: "audio/mpeg", seconds: 1 } }),
};

type WorldOptions = Partial<Connector> & { account?: Partial<NetworkAccount>; speech?: SpeechProvider };
type Call = { jobId: string; at: number };

/** An account, the network outside, and the processes that come and go over one storage. */
export async function createNetworkWorld(
  opened: OpenedStorage,
  { carryOut = async () => sent, follow, account: overrides = {}, speech = voices }: WorldOptions = {},
) {
  const make = createFactories();
  const clock = new FakeClock();
  const log = createLog("silent");
  const { user } = await make.storedUser(opened.storage);
  const account = make.account(user.id, { workingHours: alwaysOpen, ...overrides });
  await opened.storage.network.insertAccount(account);
  const calls: Call[] = [];

  /** Runs in the background, to be killed at the fault point of this number if it comes there. */
  function startProcess(storage: Storage, deathAt: number) {
    const life = createLife(deathAt);
    const connector: Connector = {
      async carryOut(order, of, signal) {
        await life.survive("before the call", null);
        calls.push({ jobId: order.jobId, at: clock.now() });
        return life.survive("in the call", carryOut(order, of, signal));
      },
      ...(follow && {
        follow: async (...question) => life.survive("in the question", follow(...question)),
      }),
    };
    const ownClock: Clock = {
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, () => void (life.isOver || run())),
    };
    const network = life.mortal(storage.network);
    const planner = new Planner(network, ownClock, log, () => runner.poke());
    const handler = createActionHandler({
      store: network,
      connectors: connectorsOf(connector),
      speech: life.mortal(speech),
      clock: ownClock,
      log,
      replan: () => planner.wake(),
      onEnded: () => {},
    });
    const runner: JobRunner = new JobRunner(life.mortal(storage.jobs), [handler], ownClock, make.ids, log);
    runner.start();
    planner.wake();
    return { runner, planner, life };
  }

  async function run(): Promise<void> {
    const { runner, planner } = startProcess(opened.storage, Infinity);
    await planner.idle();
    await runner.idle();
    await planner.idle();
    await runner.stop(0);
    await planner.stop();
  }

  return {
    clock,
    make,
    account,
    /** When the connector was called for which job, in order. */
    calls,
    job: (job: Pick<Job, "id">) => opened.storage.jobs.get(user.id, job.id),
    action: async (job: Pick<Job, "id">) => (await opened.storage.network.action(user.id, job.id))?.action ?? null,
    schedule: (request: Parameters<typeof make.actionRequest>[1] = {}) =>
      make.scheduledJob(opened.storage, account, request),
    change: (change: Partial<NetworkAccount>) =>
      opened.storage.network.updateAccount(user.id, account.id, { ...change, updatedAt: clock.now() }),
    /** A process that carries out what is due now, then stops. */
    run,
    /** Processes that carry out what is due from now up to a moment. */
    async runUntil(moment: number): Promise<void> {
      for (;;) {
        await run();
        const dueAt = (await opened.storage.jobs.dueTimes(["linkedin_action"])).get("linkedin_action") ?? null;
        if (clock.now() >= moment) return;
        clock.advanceTo(Math.min(moment, Math.max(dueAt ?? moment, clock.now() + 1)));
      }
    },
    /**
     * A process that is killed at the fault point of this number, counted from 0 on, and a storage that is opened anew.
     * Answers the name of the point; null when the process had nothing left to do before it came there.
     */
    async runAndKill(deathAt: number): Promise<string | null> {
      const { runner, planner, life } = startProcess(opened.storage, deathAt);
      await Promise.race([life.ended, planner.idle().then(() => runner.idle())]);
      await opened.reopen();
      return life.diedAt();
    },
  };
}

export type NetworkWorld = Awaited<ReturnType<typeof createNetworkWorld>>;

/** The life of one process. After its end whatever it was waiting for never comes, and nothing it does has any effect. */
function createLife(deathAt: number) {
  const end = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  let passed = 0;
  let diedAt: string | null = null;

  /** What comes of `work`, unless life ends here or has ended meanwhile. */
  async function survive<T>(point: string, work: T | Promise<T>): Promise<T> {
    const result = await work;
    if (diedAt === null && passed++ === deathAt) {
      diedAt = point;
      end.resolve();
    }
    return diedAt === null ? result : await never;
  }

  /** The same store as one process sees it, which may die before and after each of its calls. */
  function mortal<S extends object>(store: S): S {
    type Method = (...args: unknown[]) => Promise<unknown>;
    const run = (name: string, method: Method): Method => {
      return async (...args) => {
        await survive(`before ${name}`, null);
        return await survive(`after ${name}`, method(...args));
      };
    };
    const wrapped = Object.entries(store).map(([name, method]) => [name, run(name, method as Method)]);
    return Object.fromEntries(wrapped) as S;
  }

  return {
    survive,
    mortal,
    ended: end.promise,
    diedAt: () => diedAt,
    get isOver() {
      return diedAt !== null;
    },
  };
}
