import { FakeClock } from "./clock.ts";
import { startService, usesPostgres, type Service } from "./service.ts";

/** A service in which everything happens at once and nothing outside is needed. */
export type RouteWorld = {
  service: Service;
  /** The provider of enrichments that it has. */
  provider: string;
  /** Lets ten minutes pass. */
  advance(): Promise<void>;
  /** Whether the engine has what the route is about. */
  has(route: { name: string }): boolean;
};

const settings = { ENRICHMENTS_PER_HOUR: 0, WEBHOOK_PRIVATE_HOSTS: "127.0.0.1", DEFAULT_CREDITS: 1000 };

/** A simulation; on PostgreSQL, which has none, a service whose clock and voices are the test's. */
export function startRouteWorld(): Promise<RouteWorld> {
  return usesPostgres ? startOnPostgres() : startSimulation();
}

async function startSimulation(): Promise<RouteWorld> {
  const start = { SIMULATE: "true", SIMULATED_START: "2026-01-05T09:00:00Z", ENRICHMENT_PROVIDERS: "simulated" };
  const service = await startService({ settings: { ...settings, ...start } });
  return {
    service,
    provider: "simulated",
    async advance() {
      const { status } = await service.admin.post("/api/v2/simulation/clock", { advance: "PT10M" });
      if (status !== 200) throw new Error(`Expected the clock to advance, got ${status}`);
      await service.idle();
    },
    has: () => true,
  };
}

async function startOnPostgres(): Promise<RouteWorld> {
  // Not at the top: who tests a binary shall not need the source to load.
  const { createSimulatedVoices } = await import("../../src/adapters/providers/voice/simulated.ts");
  const { voiceEngineNames } = await import("../../src/features/voice/model.ts");
  const clock = new FakeClock();
  const voices = createSimulatedVoices(1);
  const service = await startService({
    settings: { ...settings, ACKNOWLEDGE_NETWORK_RISK: "true" },
    clock,
    voiceEngines: Object.fromEntries(voiceEngineNames.map((name) => [name, voices])),
  });
  return {
    service,
    provider: "local",
    async advance() {
      clock.advance(600_000);
      await service.idle();
    },
    has: ({ name }) => !/ \/(simulation|backups)/.test(name),
  };
}
