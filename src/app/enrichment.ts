import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import type { CreditService } from "../features/credits/service.ts";
import { createEnrichHandler } from "../features/enrichment/enrich-job.ts";
import { Enricher } from "../features/enrichment/enricher.ts";
import { createLeadDirectory } from "../features/enrichment/lead-directory.ts";
import { GuardedProvider } from "../features/enrichment/provider-guard.ts";
import type { EnrichmentProvider } from "../features/enrichment/provider.ts";
import { EnrichmentService } from "../features/enrichment/service.ts";
import { Spending } from "../features/enrichment/spending.ts";
import { RateLimiter } from "../lib/rate-limit/rate-limiter.ts";
import { requestCost } from "../platform/http/rate-limit.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { JobService } from "../platform/jobs/service.ts";
import type { LeadService } from "../features/leads/service.ts";
import type { Log } from "../platform/base/log.ts";
import { createPeopleDirectory } from "../features/prospecting/people-directory.ts";
import { createProviders } from "../adapters/providers/enrichment/create-providers.ts";
import { createLocalProvider } from "../adapters/providers/enrichment/local.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import { learning } from "./learning.ts";

export type EnrichmentParts = {
  config: Config;
  storage: Storage;
  clock: Clock;
  ids: Ids;
  log: Log;
  poke: () => void;
  leads: LeadService;
  jobs: JobService;
  credits: CreditService;
  /** Whether a lead import is running, which needs the disk more. */
  isImporting: () => boolean;
  /** Replaces all providers that send requests; null = as configured. */
  simulated: EnrichmentProvider | null;
};

/** Composes enrichment and its providers. */
export async function composeEnrichment(parts: EnrichmentParts) {
  const { config, storage, clock, ids, log, poke, leads, jobs, credits, simulated } = parts;
  const spending = new Spending(clock);
  const now = (): number => clock.now();
  const directories = [createLeadDirectory(storage.leads, storage.leadHints), createPeopleDirectory(storage.prospects)];
  const local = createLocalProvider(directories, now);
  const created =
    simulated === null
      ? await createProviders(local, config, clock)
      : [local, simulated].map((provider) => ({ provider, timeoutMs: simulatedTimeoutMs, spendCap: null }));
  const providers = created.map(({ provider, ...guard }) => new GuardedProvider(provider, guard, spending, clock, log));
  const limiter = new RateLimiter({ minute: 0, hour: config.enrichmentsPerHour, day: 0 }, storage.rates, clock);
  const cost = credits.costOf("enrichment");
  const enricher = new Enricher(storage.enrichment, leads, storage.suppressions, providers, clock, cost);
  const service = new EnrichmentService({
    store: storage.enrichment,
    enricher,
    credits,
    jobs,
    providers,
    hourly: {
      limit: config.enrichmentsPerHour,
      take: (workspaceId) => limiter.take(`enrich:${workspaceId}`, requestCost.full),
    },
    clock,
    ids,
    onJobSubmitted: poke,
  });
  const learn = learning(storage.leadHints, clock, parts.isImporting);
  const chores: Chore[] = [
    { name: "learn where leads work", pattern: "* * * * * *", run: learn },
    {
      // Also runs soon after each start and finds what the previous process reserved. It does not delay the start.
      name: "release credits of abandoned work",
      pattern: "*/5 * * * * *",
      run: async () => void (await credits.releaseAbandoned()),
    },
    // Once an hour, so that credits are also granted if the server was down at midnight.
    {
      name: "grant monthly credits",
      pattern: "5 0 * * * *",
      run: async () => void (await credits.grantMonth()),
    },
    { name: "delete old enrichments", pattern: "20 40 3 * * *", run: async () => void (await service.forgetOld()) },
  ];
  return {
    service,
    handler: createEnrichHandler(storage.enrichment, enricher, credits, clock),
    chores,
    async start(): Promise<void> {
      if (providers.some(({ name }) => name !== local.name)) await spending.load(storage.enrichment);
    },
    async flush(): Promise<void> {
      await spending.flush(storage.enrichment);
    },
  };
}

/** It responds immediately, and the clock does not advance meanwhile. */
const simulatedTimeoutMs = 60_000;
