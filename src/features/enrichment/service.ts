import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { JobService } from "../../platform/jobs/service.ts";
import { hasPermission } from "../../platform/auth/access.ts";
import { type Caller, denied, requireAdmin } from "../../platform/auth/caller.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { countsAtStart } from "./batch.ts";
import { directLease, enrichDirectly, type LeadBatch } from "./direct.ts";
import type { Enricher, EnrichSettings, NumberedLead, Terms } from "./enricher.ts";
import { allFields, allGroups } from "./fields.ts";
import type { GuardedProvider } from "./provider-guard.ts";
import {
  groupOptions,
  maxDirectLeads,
  resultDays,
  type EnrichAnswer,
  type EnrichInput,
  type Estimate,
  type LeadToEnrich,
  type ProviderTest,
  type ProviderTestInput,
  type SettingsView,
} from "./model.ts";
import { checkInputs } from "./check-inputs.ts";
import type { EnrichCompaniesInput } from "./company-model.ts";
import { personOf } from "./people.ts";
import type { ItemOutcome } from "./change-model.ts";
import type { EnrichmentStore } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Counts the requests of a user in the current hour. */
export type HourlyLimit = {
  limit: number;
  take(workspaceId: WorkspaceId): HourlyVerdict | Promise<HourlyVerdict>;
};
type HourlyVerdict = { isAllowed: boolean; retryAfterSeconds: number };

export type EnrichmentParts = {
  store: EnrichmentStore;
  enricher: Enricher;
  credits: CreditService;
  jobs: JobService;
  /** In the default order. */
  providers: readonly GuardedProvider[];
  hourly: HourlyLimit;
  clock: Clock;
  ids: Ids;
  onJobSubmitted: () => void;
};

export type EnrichMode = { dryRun: boolean; byJob: boolean };
export type EnrichOutcome = { kind: "answered"; answer: EnrichAnswer } | { kind: "submitted"; job: Job };
export type ResultPage = Pick<EnrichAnswer, "enriched" | "failed"> & {
  creditsUsed: number;
  remainingCredits: number;
  next: number | null;
  total: number;
};

/**
 * Leads that are prepared and stored per batch, which blocks the event loop for a few milliseconds. The job of a direct
 * request with a single batch is stored together with its outcome, which saves a write.
 */
const batchLeads = 50;
const maxJobAttempts = 5;
const forgetBatchSize = 500;
const dayMs = 86_400_000;

/** Enriches leads, directly or in a job. */
export class EnrichmentService {
  readonly #parts: EnrichmentParts;

  constructor(parts: EnrichmentParts) {
    this.#parts = parts;
  }

  /**
   * Throws VALIDATION_ERROR with the index of each invalid lead, RATE_LIMIT_EXCEEDED with `limit` and `resetTime`, and
   * ENRICHMENT_CREDITS_EXHAUSTED if the maximum cost is not available; all before querying any provider.
   */
  async enrich(caller: Caller, workspaceId: WorkspaceId, input: EnrichInput, mode: EnrichMode): Promise<EnrichOutcome> {
    const settings = await this.#settings(caller, workspaceId, input);
    return await this.#enrich(caller, workspaceId, input.leads, settings, mode);
  }

  /** Like `enrich`, about companies alone. */
  async enrichCompanies(
    caller: Caller,
    workspaceId: WorkspaceId,
    { companies, ...input }: EnrichCompaniesInput,
    mode: EnrichMode,
  ): Promise<EnrichOutcome> {
    const settings = await this.#settings(caller, workspaceId, input);
    const ofCompanies = { ...settings, groups: ["company" as const], isOfCompanies: true as const };
    return await this.#enrich(caller, workspaceId, companies, ofCompanies, mode);
  }

  async #enrich(
    caller: Caller,
    workspaceId: WorkspaceId,
    inputs: readonly LeadToEnrich[],
    settings: EnrichSettings,
    mode: EnrichMode,
  ): Promise<EnrichOutcome> {
    const leads = inputs.map((input, n) => ({ n, input }));
    await checkInputs(leads, settings);
    const byJob = mode.byJob || leads.length > maxDirectLeads;
    if (mode.dryRun)
      return { kind: "answered", answer: await this.#estimate(caller, workspaceId, leads, settings, byJob) };
    // Jobs are not rate limited: they wait for providers and run two at a time.
    if (!byJob) await this.#enforceHourlyLimit(workspaceId);
    const batches = await this.#prepare(workspaceId, leads, settings);
    if (byJob) return { kind: "submitted", job: await this.#submit(caller, workspaceId, batches, settings) };
    return { kind: "answered", answer: await this.#enrichDirectly(caller, workspaceId, batches, settings) };
  }

  /** Finished results of a job. Throws NOT_FOUND if the job is not an enrichment. */
  async results(workspaceId: WorkspaceId, jobId: string, afterN: number, limit: number): Promise<ResultPage> {
    const { store, jobs, credits } = this.#parts;
    const job = await jobs.get(workspaceId, jobId);
    if (job.type !== "data_enrichment") throw notFound("enrichment job", jobId);
    const [found, total] = await Promise.all([store.done(jobId, afterN, limit + 1), store.countDone(jobId)]);
    const items = found.slice(0, limit);
    const used = job.metadata["creditsUsed"];
    return {
      ...splitOutcomes(items.map(({ outcome }) => outcome).filter((outcome) => outcome !== null)),
      creditsUsed: typeof used === "number" ? used : 0,
      remainingCredits: await credits.balance(workspaceId),
      next: found.length > limit ? (items.at(-1)?.n ?? null) : null,
      total,
    };
  }

  async settings(workspaceId: WorkspaceId): Promise<SettingsView> {
    const own = await this.#parts.store.providers(workspaceId);
    return {
      providers: this.#availableProviders(own),
      isDefault: own === null,
      available: this.#parts.providers.map((provider) => provider.view()),
    };
  }

  /** Null restores the server's default order. Throws VALIDATION_ERROR for an unknown provider. */
  async setProviders(workspaceId: WorkspaceId, providers: string[] | null): Promise<SettingsView> {
    if (providers !== null) this.#checkProviders(providers);
    await this.#parts.store.setProviders(workspaceId, providers && [...new Set(providers)]);
    return this.settings(workspaceId);
  }

  /**
   * Queries one provider about a person, for admins, to test its key and connection. Nothing is charged or stored, and
   * only the names of the fields are returned. Throws NOT_FOUND for an unknown provider and CONFLICT for a person on
   * the do-not-contact list.
   */
  async testProvider(
    caller: Caller,
    workspaceId: WorkspaceId,
    name: string,
    { userId: _for, ...input }: ProviderTestInput,
    signal: AbortSignal,
  ): Promise<ProviderTest> {
    requireAdmin(caller);
    const provider = this.#parts.providers.find((one) => one.name === name);
    if (provider === undefined) throw notFound("provider", name);
    const checked = personOf(0, input, null);
    if ("errors" in checked) throw invalid(checked.errors);
    const { people } = await this.#parts.enricher.prepare(workspaceId, [{ n: 0, input }]);
    const [person] = people;
    if (person === undefined)
      throw new ApiError("CONFLICT", {
        message:
          "This person is on the do-not-contact list, so no provider can be queried about them. Use another person.",
      });
    const since = performance.now();
    const outcome =
      provider.fieldsFor(person.subject).length > 0
        ? await provider.lookUp(person.subject, { workspaceId, leadId: null, wanted: new Set(allFields), signal })
        : ({ kind: "insufficientInput" } as const);
    return {
      provider: name,
      outcome: outcome.kind,
      reason: "reason" in outcome ? outcome.reason : null,
      fields: outcome.kind === "found" ? [...new Set(outcome.findings.map(({ field }) => field))] : [],
      milliseconds: Math.round(performance.now() - since),
    };
  }

  /** Deletes expired results; returns how many. */
  async forgetOld(): Promise<number> {
    const { store, clock } = this.#parts;
    let deleted = 0;
    for (let last = 1; last > 0; deleted += last)
      last = await store.forgetBefore(clock.now() - resultDays * dayMs, forgetBatchSize);
    return deleted;
  }

  async #settings(
    caller: Caller,
    workspaceId: WorkspaceId,
    input: Omit<EnrichInput, "leads">,
  ): Promise<EnrichSettings> {
    const { enrichmentOptions: options = {}, providers, writeBack = false, refresh = false } = input;
    const groups = allGroups.filter((group) => options[groupOptions[group]] ?? true);
    if (groups.length === 0)
      throw invalid([{ path: "enrichmentOptions", message: "All groups are disabled. Enable at least one." }]);
    if (providers !== undefined) this.#checkProviders(providers);
    if (writeBack && !hasPermission(caller, "leads:write"))
      throw denied(caller, "leads:write", "writeBack updates leads, which requires the permission leads:write.");
    const order = providers ?? this.#availableProviders(await this.#parts.store.providers(workspaceId));
    return { groups, providers: [...new Set(order)], writeBack, refresh };
  }

  /** A provider in the user's order may no longer be available on the server. */
  #availableProviders(own: string[] | null): string[] {
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
              message: `Unknown provider "${name}". Available providers: ${names.join(", ")}.`,
            },
          ],
    );
    if (errors.length > 0) throw invalid(errors);
  }

  async #enforceHourlyLimit(workspaceId: WorkspaceId): Promise<void> {
    const { hourly, clock } = this.#parts;
    const { isAllowed, retryAfterSeconds } = await hourly.take(workspaceId);
    if (isAllowed) return;
    throw new ApiError("RATE_LIMIT_EXCEEDED", {
      message: `Rate limit exceeded: ${hourly.limit} direct enrichment requests per hour. Try again in ${retryAfterSeconds} seconds, or request a job with the header Prefer: respond-async.`,
      details: { limit: hourly.limit, resetTime: isoTime(clock.now() + retryAfterSeconds * 1000) },
      retryAfterSeconds,
    });
  }

  async #prepare(
    workspaceId: WorkspaceId,
    leads: readonly NumberedLead[],
    settings: EnrichSettings,
  ): Promise<LeadBatch[]> {
    const batches: LeadBatch[] = [];
    for (let start = 0; start < leads.length; start += batchLeads) {
      if (start > 0) await pause();
      const some = leads.slice(start, start + batchLeads);
      batches.push({ leads: some, prepared: await this.#parts.enricher.prepare(workspaceId, some, settings) });
    }
    return batches;
  }

  #terms(batches: readonly LeadBatch[], settings: EnrichSettings): Terms {
    const people = batches.flatMap(({ prepared }) => prepared.people);
    const stored = new Map(batches.flatMap(({ prepared }) => [...prepared.stored]));
    return this.#parts.enricher.terms({ people, stored }, settings);
  }

  async #estimate(
    caller: Caller,
    workspaceId: WorkspaceId,
    leads: readonly NumberedLead[],
    settings: EnrichSettings,
    byJob: boolean,
  ): Promise<EnrichAnswer> {
    const { credits } = this.#parts;
    const { credits: maxCredits } = this.#terms(await this.#prepare(workspaceId, leads, settings), settings);
    const { balance, budget } = await credits.overview(caller, workspaceId);
    const cost = credits.costOf("enrichment");
    const estimate: Estimate = {
      leads: leads.length,
      free: cost === 0 ? leads.length : leads.length - maxCredits / cost,
      maxCredits,
      isAffordable: maxCredits <= Math.min(balance, budget?.remaining ?? balance),
      mode: byJob ? "job" : "direct",
      providers: settings.providers,
    };
    return { enriched: [], failed: [], creditsUsed: 0, remainingCredits: balance, estimate };
  }

  async #enrichDirectly(
    caller: Caller,
    workspaceId: WorkspaceId,
    batches: readonly LeadBatch[],
    settings: EnrichSettings,
  ): Promise<EnrichAnswer> {
    const { credits, clock } = this.#parts;
    const terms = this.#terms(batches, settings);
    const now = clock.now();
    const waiting = this.#newJob(caller, workspaceId, batches, settings, terms);
    const { id: jobId } = waiting;
    const job: Job = { ...waiting, status: "running", attempt: 1, leaseUntil: directLease(now) };
    const isSmall = batches.length === 1;
    const reservationId = isSmall
      ? await this.#reserve(caller, workspaceId, jobId, terms.credits)
      : await this.#storeJob(caller, job, batches, terms.credits);
    const created = isSmall ? { job, leads: inputsOf(batches) } : null;
    // A refresh in one batch is not repeated by the next.
    const since = isSmall ? {} : { since: now };
    try {
      const work = { job, batches, settings: { ...settings, ...since }, terms, reservationId, created };
      const { outcomes, creditsUsed } = await enrichDirectly(this.#parts, work);
      const remainingCredits = await credits.balance(workspaceId);
      return { ...splitOutcomes(outcomes), creditsUsed, remainingCredits, jobId };
    } catch (error) {
      // A stored job keeps its reservation so that the runner can complete it.
      if (isSmall && reservationId !== null) await credits.release(reservationId);
      throw error;
    }
  }

  async #reserve(caller: Caller, workspaceId: WorkspaceId, request: string, amount: number): Promise<string | null> {
    if (amount === 0) return null;
    const { credits } = this.#parts;
    const { keyId } = caller;
    const outcome = await credits.reserve(workspaceId, { request, purpose: "enrichment", amount, keyId });
    if (outcome.kind === "exhausted") throw credits.refusal(outcome);
    return outcome.id;
  }

  async #submit(
    caller: Caller,
    workspaceId: WorkspaceId,
    batches: readonly LeadBatch[],
    settings: EnrichSettings,
  ): Promise<Job> {
    const terms = this.#terms(batches, settings);
    const job = this.#newJob(caller, workspaceId, batches, settings, terms);
    await this.#storeJob(caller, job, batches, terms.credits);
    this.#parts.onJobSubmitted();
    return job;
  }

  /** Stores a job and reserves its credits. */
  async #storeJob({ keyId }: Caller, job: Job, batches: readonly LeadBatch[], amount: number): Promise<string | null> {
    const { store, credits } = this.#parts;
    const request = { request: job.id, purpose: "enrichment", amount, keyId, jobId: job.id } as const;
    const reserve = amount === 0 ? null : credits.reservation(job.workspaceId, request);
    const outcome = await store.submit(job, inputsOf(batches), reserve);
    if (outcome?.kind === "exhausted") throw credits.refusal(outcome);
    return outcome?.id ?? null;
  }

  #newJob(
    { keyId, userId }: Caller,
    workspaceId: WorkspaceId,
    batches: readonly LeadBatch[],
    settings: EnrichSettings,
    terms: Terms,
  ): Job {
    const { clock, ids } = this.#parts;
    const now = clock.now();
    const id = ids.next(now);
    const batchSize = inputsOf(batches).length;
    return {
      id,
      workspaceId,
      userId,
      type: "data_enrichment",
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts: maxJobAttempts,
      leaseUntil: null,
      message: `Waiting to enrich ${batchSize} leads`,
      progress: 0,
      metadata: { ...countsAtStart(batchSize), results: `/api/v2/enrich/jobs/${id}/results` },
      payload: { settings, terms, keyId },
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
  }
}

function inputsOf(batches: readonly LeadBatch[]): LeadToEnrich[] {
  return batches.flatMap(({ leads }) => leads.map(({ input }) => input));
}

function splitOutcomes(outcomes: readonly ItemOutcome[]): Pick<EnrichAnswer, "enriched" | "failed"> {
  return {
    enriched: outcomes.flatMap((outcome) => (outcome.kind === "enriched" ? [outcome.result] : [])),
    failed: outcomes.flatMap((outcome) => (outcome.kind === "failed" ? [outcome.failure] : [])),
  };
}
