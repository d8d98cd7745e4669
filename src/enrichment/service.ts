import { isoTime, type Clock } from "../clock.ts";
import type { CreditService } from "../credits/service.ts";
import { ApiError, invalid, notFound, type FieldError } from "../errors.ts";
import type { Ids } from "../ids.ts";
import type { Job } from "../jobs/model.ts";
import type { JobService } from "../jobs/service.ts";
import { hasPermission, requireAdmin, type Caller } from "../keys/caller.ts";
import { pause } from "../pause.ts";
import type { Enricher, EnrichSettings, NumberedLead, Prepared } from "./enricher.ts";
import { allFields, allGroups } from "./fields.ts";
import type { GuardedProvider } from "./provider-guard.ts";
import {
  groupOptions,
  maxDirectLeads,
  resultDays,
  type EnrichAnswer,
  type EnrichInput,
  type Estimate,
  type ProviderTest,
  type ProviderTestInput,
  type SettingsView,
} from "./model.ts";
import { leadIdOf, personOf } from "./people.ts";
import type { EnrichmentStore, ItemOutcome } from "./store.ts";

/** Counts the requests of a user in the current hour. */
export type HourlyLimit = {
  limit: number;
  take(userId: string): { isAllowed: boolean; retryAfterSeconds: number };
};

export type EnrichmentParts = {
  store: EnrichmentStore;
  enricher: Enricher;
  credits: CreditService;
  jobs: JobService;
  /** In the order that holds for users who set none. */
  providers: readonly GuardedProvider[];
  hourly: HourlyLimit;
  /** Where a person reads about permissions. */
  documentation: string;
  clock: Clock;
  ids: Ids;
  poke: () => void;
};

export type EnrichHow = { dryRun: boolean; byJob: boolean };
export type EnrichOutcome = { kind: "answered"; answer: EnrichAnswer } | { kind: "submitted"; job: Job };
export type ResultPage = Pick<EnrichAnswer, "enriched" | "failed"> & {
  creditsUsed: number;
  remainingCredits: number;
  next: number | null;
  total: number;
};

/** A direct answer is given within this time; what is not known by then fails as retryable. */
const answerWithinMs = 25_000;
/** Looking for stored results of so many leads keeps the event loop for a few milliseconds. */
const prepareAtOnce = 50;
const maxJobAttempts = 5;
const forgetAtOnce = 500;
const dayMs = 86_400_000;

/** Enrichment of leads: directly, or by a job. */
export class EnrichmentService {
  readonly #parts: EnrichmentParts;

  constructor(parts: EnrichmentParts) {
    this.#parts = parts;
  }

  /**
   * VALIDATION_ERROR with the index of each lead that can't be enriched; RATE_LIMIT_EXCEEDED with `limit` and
   * `resetTime`; ENRICHMENT_CREDITS_EXHAUSTED when the most that it can cost is not there. Nothing is asked before.
   */
  async enrich(caller: Caller, userId: string, input: EnrichInput, how: EnrichHow): Promise<EnrichOutcome> {
    const settings = await this.#settings(caller, userId, input);
    const leads = input.leads.map((lead, n) => ({ n, input: lead }));
    checkLeads(leads, settings);
    const byJob = how.byJob || leads.length > maxDirectLeads;
    if (how.dryRun) return { kind: "answered", answer: await this.#estimate(caller, userId, leads, settings, byJob) };
    this.#takeTurn(userId);
    const prepared = await this.#prepare(userId, leads);
    if (byJob) return { kind: "submitted", job: await this.#submit(caller, userId, leads, prepared, settings) };
    return { kind: "answered", answer: await this.#answer(caller, userId, prepared, settings) };
  }

  /** What is done of a job. NOT_FOUND for a job that is none of enrichment. */
  async results(userId: string, jobId: string, afterN: number, limit: number): Promise<ResultPage> {
    const { store, jobs, credits } = this.#parts;
    const job = await jobs.get(userId, jobId);
    if (job.type !== "data_enrichment") throw notFound("enrichment job", jobId);
    const [found, total] = await Promise.all([store.done(jobId, afterN, limit + 1), store.countDone(jobId)]);
    const items = found.slice(0, limit);
    const used = job.metadata["creditsUsed"];
    return {
      ...splitOutcomes(items.map(({ outcome }) => outcome).filter((outcome) => outcome !== null)),
      creditsUsed: typeof used === "number" ? used : 0,
      remainingCredits: await credits.balance(userId),
      next: found.length > limit ? (items.at(-1)?.n ?? null) : null,
      total,
    };
  }

  async settings(userId: string): Promise<SettingsView> {
    const own = await this.#parts.store.providers(userId);
    return {
      providers: this.#usable(own),
      isDefault: own === null,
      available: this.#parts.providers.map((provider) => provider.view()),
    };
  }

  /** Null: as the server is configured. VALIDATION_ERROR for a provider that the server does not have. */
  async setProviders(userId: string, providers: string[] | null): Promise<SettingsView> {
    if (providers !== null) this.#checkProviders(providers);
    await this.#parts.store.setProviders(userId, providers && [...new Set(providers)]);
    return this.settings(userId);
  }

  /**
   * Asks one provider about somebody, for admins: whether its key and the way to it work. Nothing is charged, stored or
   * told but which fields it knew. NOT_FOUND for an unknown provider; CONFLICT for who is on the do-not-contact list.
   */
  async testProvider(
    caller: Caller,
    userId: string,
    name: string,
    { userId: _for, ...input }: ProviderTestInput,
    signal: AbortSignal,
  ): Promise<ProviderTest> {
    requireAdmin(caller);
    const provider = this.#parts.providers.find((one) => one.name === name);
    if (provider === undefined) throw notFound("provider", name);
    const checked = personOf(0, input, null);
    if ("errors" in checked) throw invalid(checked.errors);
    const { people } = await this.#parts.enricher.prepare(userId, [{ n: 0, input }]);
    const [person] = people;
    if (person === undefined)
      throw new ApiError("CONFLICT", {
        message: "This person is on the do-not-contact list: nobody is asked about them. Name somebody else.",
      });
    const since = performance.now();
    const outcome =
      provider.brings(person.subject).length > 0
        ? await provider.lookUp(person.subject, { userId, leadId: null, wanted: new Set(allFields), signal })
        : ({ kind: "tooLittle" } as const);
    return {
      provider: name,
      outcome: outcome.kind,
      reason: "reason" in outcome ? outcome.reason : null,
      fields: outcome.kind === "found" ? [...new Set(outcome.findings.map(({ field }) => field))] : [],
      milliseconds: Math.round(performance.now() - since),
    };
  }

  /** Forgets results that serve no more repeats; answers how many. */
  async forgetOld(): Promise<number> {
    const { store, clock } = this.#parts;
    let forgotten = 0;
    for (let last = 1; last > 0; forgotten += last)
      last = await store.forgetBefore(clock.now() - resultDays * dayMs, forgetAtOnce);
    return forgotten;
  }

  async #settings(caller: Caller, userId: string, input: EnrichInput): Promise<EnrichSettings> {
    const { enrichmentOptions: options = {}, providers, writeBack = false, refresh = false } = input;
    const groups = allGroups.filter((group) => options[groupOptions[group]] ?? true);
    if (groups.length === 0)
      throw invalid([{ path: "enrichmentOptions", message: "Every part is turned off; turn on at least one." }]);
    if (providers !== undefined) this.#checkProviders(providers);
    if (writeBack && !hasPermission(caller, "leads:write"))
      throw new ApiError("PERMISSION_DENIED", {
        message: "writeBack changes leads, which needs the permission leads:write.",
        details: {
          permissionHelp: {
            required: "leads:write",
            available: caller.permissions,
            documentation: this.#parts.documentation,
          },
        },
      });
    const order = providers ?? this.#usable(await this.#parts.store.providers(userId));
    return { groups, providers: [...new Set(order)], writeBack, refresh };
  }

  /** A provider that the server had when the user chose it may be gone. */
  #usable(own: string[] | null): string[] {
    const names = this.#parts.providers.map(({ name }) => name);
    return own?.filter((name) => names.includes(name)) ?? names;
  }

  #checkProviders(wanted: readonly string[]): void {
    const names = this.#parts.providers.map(({ name }) => name);
    const errors = wanted.flatMap((name, index) =>
      names.includes(name)
        ? []
        : [
            {
              path: `providers.${index}`,
              index,
              message: `There is no provider "${name}". This server has: ${names.join(", ")}.`,
            },
          ],
    );
    if (errors.length > 0) throw invalid(errors);
  }

  #takeTurn(userId: string): void {
    const { hourly, clock } = this.#parts;
    const { isAllowed, retryAfterSeconds } = hourly.take(userId);
    if (isAllowed) return;
    throw new ApiError("RATE_LIMIT_EXCEEDED", {
      message: `At most ${hourly.limit} enrichment requests an hour. Wait for retryAfter seconds, then go on.`,
      details: { limit: hourly.limit, resetTime: isoTime(clock.now() + retryAfterSeconds * 1000) },
      retryAfterSeconds,
    });
  }

  async #prepare(userId: string, leads: readonly NumberedLead[]): Promise<Prepared> {
    const parts: Prepared[] = [];
    for (let start = 0; start < leads.length; start += prepareAtOnce) {
      if (start > 0) await pause();
      parts.push(await this.#parts.enricher.prepare(userId, leads.slice(start, start + prepareAtOnce)));
    }
    return {
      people: parts.flatMap(({ people }) => people),
      stored: new Map(parts.flatMap(({ stored }) => [...stored])),
      leads: new Map(parts.flatMap((part) => [...part.leads])),
      outcomes: new Map(parts.flatMap(({ outcomes }) => [...outcomes])),
    };
  }

  async #estimate(
    caller: Caller,
    userId: string,
    leads: readonly NumberedLead[],
    settings: EnrichSettings,
    byJob: boolean,
  ): Promise<EnrichAnswer> {
    const { enricher, credits } = this.#parts;
    const prepared = await this.#prepare(userId, leads);
    const { credits: maxCredits } = enricher.terms(prepared, settings);
    const { balance, budget } = await credits.overview(caller, userId);
    const cost = credits.costOf("enrichment");
    const estimate: Estimate = {
      leads: leads.length,
      free: cost === 0 ? leads.length : leads.length - maxCredits / cost,
      maxCredits,
      isAffordable: maxCredits <= Math.min(balance, budget?.remaining ?? balance),
      answers: byJob ? "by job" : "directly",
      providers: settings.providers,
    };
    return { enriched: [], failed: [], creditsUsed: 0, remainingCredits: balance, estimate };
  }

  async #answer(caller: Caller, userId: string, prepared: Prepared, settings: EnrichSettings): Promise<EnrichAnswer> {
    const { store, enricher, credits, clock, ids } = this.#parts;
    const terms = enricher.terms(prepared, settings);
    const reservationId = await this.#reserve(caller, userId, ids.next(clock.now()), terms.credits);
    const stop = new AbortController();
    const cancelTimer = clock.after(answerWithinMs, () => stop.abort());
    let release = (): void => {};
    try {
      const found = await enricher.enrich(userId, prepared, settings, terms, stop.signal);
      const { outcomes, results, verdicts, charges, freeSince } = found;
      ({ release } = found);
      const settlement = reservationId === null ? null : credits.settlement(reservationId, charges, true);
      const { settled, free } = await store.finish(userId, { results, verdicts, settlement, freeSince });
      for (const { n, outcome } of outcomes)
        if (outcome.kind === "enriched" && free.includes(`${n}`)) outcome.result.creditsUsed = 0;
      return {
        ...splitOutcomes(outcomes.map(({ outcome }) => outcome)),
        creditsUsed: settled?.kind === "settled" ? settled.charged : 0,
        remainingCredits: settled?.kind === "settled" ? settled.balance : await credits.balance(userId),
      };
    } catch (error) {
      if (reservationId !== null) await credits.release(reservationId);
      throw error;
    } finally {
      release();
      cancelTimer();
    }
  }

  async #reserve(caller: Caller, userId: string, request: string, amount: number): Promise<string | null> {
    if (amount === 0) return null;
    const { credits } = this.#parts;
    const { keyId } = caller;
    const outcome = await credits.reserve(userId, { request, purpose: "enrichment", amount, keyId });
    if (outcome.kind === "exhausted") throw credits.refusal(outcome);
    return outcome.id;
  }

  async #submit(
    caller: Caller,
    userId: string,
    leads: readonly NumberedLead[],
    prepared: Prepared,
    settings: EnrichSettings,
  ): Promise<Job> {
    const { store, enricher, credits, clock, ids, poke } = this.#parts;
    const now = clock.now();
    const id = ids.next(now);
    const terms = enricher.terms(prepared, settings);
    const job: Job = {
      id,
      userId,
      type: "data_enrichment",
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts: maxJobAttempts,
      leaseUntil: null,
      message: `Waiting to enrich ${leads.length} leads`,
      progress: 0,
      metadata: {
        batchSize: leads.length,
        processed: 0,
        enriched: 0,
        failed: 0,
        creditsUsed: 0,
        results: `/api/v2/enrich/jobs/${id}/results`,
      },
      payload: { settings, terms, keyId: caller.keyId },
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
    const { credits: amount } = terms;
    const request = { request: id, purpose: "enrichment", amount, keyId: caller.keyId, jobId: id } as const;
    const inputs = leads.map(({ input }) => input);
    const outcome = await store.submit(job, inputs, amount === 0 ? null : credits.reservation(userId, request));
    if (outcome?.kind === "exhausted") throw credits.refusal(outcome);
    poke();
    return job;
  }
}

/** Throws VALIDATION_ERROR with the index of each lead that can't be enriched. */
function checkLeads(leads: readonly NumberedLead[], { writeBack }: EnrichSettings): void {
  const errors: FieldError[] = [];
  for (const { n, input } of leads) {
    if (errors.length >= maxErrors) break;
    const checked = personOf(n, input, null);
    for (const { path, message } of "errors" in checked ? checked.errors : [])
      errors.push({ path: ["leads", n, path].filter((part) => part !== "").join("."), index: n, message });
    if (writeBack && leadIdOf(input) === null)
      errors.push({
        path: `leads.${n}.leadId`,
        index: n,
        message: "writeBack needs to know the lead: send its leadId.",
      });
  }
  if (errors.length > 0) throw invalid(errors);
}

/** More help nobody, and an answer must not become many times its request. */
const maxErrors = 100;

function splitOutcomes(outcomes: readonly ItemOutcome[]): Pick<EnrichAnswer, "enriched" | "failed"> {
  return {
    enriched: outcomes.flatMap((outcome) => (outcome.kind === "enriched" ? [outcome.result] : [])),
    failed: outcomes.flatMap((outcome) => (outcome.kind === "failed" ? [outcome.failure] : [])),
  };
}
