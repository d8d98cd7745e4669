import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import type { EnrichmentProvider } from "../features/enrichment/provider.ts";
import { jobTypes } from "../platform/jobs/model.ts";
import type { JobRunner } from "../platform/jobs/runner.ts";
import type { Connectors } from "../features/network/action-job.ts";
import { connectorNames } from "../features/network/account-model.ts";
import type { ProspectProvider } from "../features/prospecting/provider.ts";
import { createSimulatedProvider } from "../adapters/providers/enrichment/simulated.ts";
import { createSimulatedConnector } from "../adapters/providers/network/simulated.ts";
import { createSimulatedSources } from "../adapters/providers/prospecting/simulated.ts";
import { createSimulatedVoices } from "../adapters/providers/voice/simulated.ts";
import type { SimulationStore } from "../features/simulation/store.ts";
import { SimulatedClock } from "../features/simulation/simulated-clock.ts";
import { Simulator, type SimulatorParts } from "../features/simulation/simulator.ts";
import { createSimulatedIds } from "../features/simulation/simulated-ids.ts";
import { StartError } from "../platform/base/start-error.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import { voiceEngineNames } from "../features/voice/model.ts";
import type { VoiceEngines } from "../features/voice/training-job.ts";

/** What a simulation uses instead of the real world. */
export type SimulatedWorld = {
  store: SimulationStore;
  clock: SimulatedClock;
  ids: Ids;
  seed: number;
  connectors: Partial<Connectors>;
  provider: EnrichmentProvider;
  sources: ProspectProvider[];
  voiceEngines: VoiceEngines;
  /** When people on the network react next; null = no reaction is pending. */
  nextNewsAt: () => number | null;
};

/**
 * Opens the world of a server started with --simulate; null for a real server. Throws `StartError` if the data is of
 * the other kind: a simulation would use real people, and a real server would contact simulated ones.
 */
export async function openSimulation(
  { simulate, simulatedStart, connectors, dataDir }: Config,
  storage: Storage,
  realClock: Clock,
): Promise<SimulatedWorld | null> {
  // The configuration refuses a simulation on any other engine.
  if (storage.simulation === null) return null;
  const before = await storage.simulation.read();
  if (!simulate && before !== null)
    throw new StartError(`The data directory ${dataDir} belongs to a simulation.`, {
      hint: "Start it with --simulate, or choose another directory with --data DIR.",
    });
  if (!simulate) return null;
  if (before === null && (await storage.users.count()) > 0)
    throw new StartError(`The data directory ${dataDir} contains real data, which a simulation must not use.`, {
      hint: "Choose an empty directory with --data DIR.",
    });
  const { seed, now, starts } = await storage.simulation.start(
    connectors.simulation.seed,
    simulatedStart ?? realClock.now(),
  );
  const clock = new SimulatedClock(now);
  const network = createSimulatedConnector({ ...connectors.simulation, seed }, clock);
  const voice = createSimulatedVoices(seed);
  // Tasks for people and workers are left to the tester.
  const played = connectorNames.filter((name) => name !== "manual" && name !== "worker");
  return {
    store: storage.simulation,
    clock,
    ids: createSimulatedIds(seed, starts),
    seed,
    connectors: Object.fromEntries(played.map((name) => [name, network])),
    provider: createSimulatedProvider(seed),
    sources: createSimulatedSources(seed),
    voiceEngines: Object.fromEntries(voiceEngineNames.map((name) => [name, voice])),
    nextNewsAt: network.nextNewsAt,
  };
}

type Moved = Pick<SimulatorParts, "idle" | "chores" | "log"> & { runner: JobRunner };

/** Advances the clock of the simulation. */
export function createSimulator(
  { store, clock, seed, nextNewsAt }: SimulatedWorld,
  storage: Storage,
  { runner, ...moved }: Moved,
): Simulator {
  const nextDueAt = async (): Promise<number | null> => {
    const moments = await Promise.all([storage.campaigns.nextDueAt(), storage.webhooks.nextDueAt(clock.now())]);
    const jobsDue = (await storage.jobs.dueTimes(jobTypes)).values();
    const due = [...jobsDue, ...moments, newsToldAt(nextNewsAt())].filter((at) => at !== null);
    return due.length === 0 ? null : Math.min(...due);
  };
  return new Simulator({
    clock,
    seed,
    store,
    nextDueAt,
    onDiskFault: (tell) => runner.onDiskFault(tell),
    ...moved,
  });
}

/** When the chore that checks for news sees it: every ten minutes. */
function newsToldAt(at: number | null): number | null {
  return at === null ? null : Math.ceil(at / newsPeriodMs) * newsPeriodMs;
}
const newsPeriodMs = 600_000;
