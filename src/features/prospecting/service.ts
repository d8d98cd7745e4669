import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import type { CreditService } from "../credits/service.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Acting } from "../../platform/auth/access.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import type { Lead } from "../leads/model.ts";
import type { LeadService } from "../leads/service.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import { prospectContent } from "./content.ts";
import { folded } from "../../platform/identity/names.ts";
import { positionOf } from "./facets/position.ts";
import { termQuery } from "./facets/query.ts";
import { inFacetOrder } from "./facets/facet-order.ts";
import { revenueStep } from "./facets/ranges.ts";
import { titleValues } from "./facets/title-values.ts";
import {
  defaultSearchLimit,
  facetNames,
  type FacetName,
  type Prospect,
  prospectSources,
  type ProspectSourceName,
  type ProspectView,
  type RevenueRange,
  type SearchFilters,
} from "./model.ts";
import type { ProspectProvider } from "./provider.ts";
import type { NewProspect } from "./directory-model.ts";
import type { ProspectPage, ProspectStore, Reveal } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type SearchRequest = {
  filters: SearchFilters;
  source: ProspectSourceName;
  limit?: number | undefined;
  offset?: number | undefined;
  dryRun?: boolean | undefined;
};
export type SearchResult = {
  prospects: Prospect[];
  /** Null for a dry run of a live source, which is not queried. */
  total: number | null;
  creditsUsed: number;
  remainingCredits: number;
  /** Cost of the page if it is not a dry run. */
  creditsRequired: number;
};

/** `value` is used in filters. For revenue it is a label, and filters use the bounds. */
export type FacetValue = { value: string; count: number } & Partial<RevenueRange>;

/** Days for which a prospect that was paid for is free, as for enrichment. */
const freeDays = 90;
const dayMs = 86_400_000;

/**
 * Searches for prospects in the user's directory and in live sources. Charges credits for
 * results that the workspace has not imported itself.
 */
export class ProspectingService {
  readonly #prospects: ProspectStore;
  readonly #leads: LeadService;
  readonly #suppressions: Pick<SuppressionStore, "among">;
  readonly #credits: CreditService;
  readonly #providers: ReadonlyMap<string, ProspectProvider>;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(
    prospects: ProspectStore,
    leads: LeadService,
    suppressions: Pick<SuppressionStore, "among">,
    credits: CreditService,
    providers: readonly ProspectProvider[],
    clock: Clock,
    ids: Ids,
  ) {
    this.#prospects = prospects;
    this.#leads = leads;
    this.#suppressions = suppressions;
    this.#credits = credits;
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
    this.#clock = clock;
    this.#ids = ids;
  }

  /** The sources that a search can use on this server: the directory, and the vendors that are configured. */
  sources(): ProspectSourceName[] {
    return prospectSources.filter((name) => name === "directory" || this.#providers.has(name));
  }

  /**
   * Returns a page of matching prospects and their total. Fails with 402 before returning or querying anything if the
   * credits are insufficient. Prospects that are not found are not charged.
   */
  async search(
    caller: Caller,
    workspaceId: WorkspaceId,
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<SearchResult> {
    checkRevenue(request.filters);
    if (request.source === "directory") return this.#searchDirectory(caller, workspaceId, request);
    return this.#searchLive(caller, workspaceId, request, request.source, signal);
  }

  async #searchDirectory(
    caller: Caller,
    workspaceId: WorkspaceId,
    { filters, limit = defaultSearchLimit, offset = 0, dryRun }: SearchRequest,
  ): Promise<SearchResult> {
    const query = termQuery(filters);
    const page = await this.#contactable(
      workspaceId,
      await this.#prospects.search({ workspaceId, query, offset, limit }),
    );
    const shown = this.#revealOf(workspaceId, page.prospects);
    const each = this.#credits.costOf("search");
    if (dryRun || each === 0) {
      const creditsRequired = (await this.#prospects.unpaid(shown)) * each;
      const remainingCredits = await this.#credits.balance(workspaceId);
      const prospects = dryRun ? [] : page.prospects;
      return { total: page.total, prospects, creditsUsed: 0, creditsRequired, remainingCredits };
    }
    const charge = this.#credits.chargeOf(workspaceId, this.#chargeOf(caller));
    const outcome = await this.#prospects.reveal({ ...shown, payment: { kind: "charge", each, charge } });
    if (outcome.kind === "exhausted") throw this.#credits.refusal(outcome);
    const { charged, balance } = outcome;
    return { ...page, creditsUsed: charged, creditsRequired: charged, remainingCredits: balance };
  }

  /**
   * Removes people on the do-not-contact list from a page. They cannot become leads, so they are neither returned nor
   * charged. `total` still includes them, because offsets do.
   */
  async #contactable(workspaceId: WorkspaceId, { total, prospects }: ProspectPage): Promise<ProspectPage> {
    const people = prospects.map(({ email = null, networkUrl = null, phone = null, formerEmails = [] }) => {
      return { email, networkUrl, phone, formerEmails };
    });
    const isListed = await this.#suppressions.among(workspaceId, people);
    return { total, prospects: prospects.filter((_, index) => isListed[index] !== true) };
  }

  /** Those who may cost credits: people whom the workspace has imported are its own, and free. */
  #revealOf(workspaceId: WorkspaceId, prospects: readonly Prospect[]): Reveal {
    const ids = prospects.filter(({ isFromVendor }) => isFromVendor).map(({ id }) => id);
    return { workspaceId, ids, freeSince: this.#clock.now() - freeDays * dayMs };
  }

  /**
   * Reserves the maximum cost of the page, queries the source, stores the results, and charges for those that are not
   * free.
   */
  async #searchLive(
    caller: Caller,
    workspaceId: WorkspaceId,
    { filters, limit = defaultSearchLimit, offset = 0, dryRun }: SearchRequest,
    source: Exclude<ProspectSourceName, "directory">,
    signal: AbortSignal,
  ): Promise<SearchResult> {
    const provider = this.#providers.get(source);
    if (provider === undefined)
      throw invalid([
        {
          path: "source",
          message: `The source ${source} is not configured on this server. Ask the operator to set its API key.`,
        },
      ]);
    const cost = this.#credits.costOf("search");
    // Live sources charge for a count as much as for a page.
    if (dryRun)
      return {
        total: null,
        prospects: [],
        creditsUsed: 0,
        creditsRequired: limit * cost,
        remainingCredits: await this.#credits.balance(workspaceId),
      };
    const request = { ...this.#chargeOf(caller), amount: limit * cost };
    const reservation = await this.#credits.reserve(workspaceId, request);
    if (reservation.kind === "exhausted") throw this.#credits.refusal(reservation);
    try {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(liveTimeoutMs)]);
      const found = await this.#queryProvider(provider, workspaceId, { filters, limit, offset, signal: inTime });
      const page = await this.#contactable(workspaceId, found);
      const settlement = this.#credits.settlement(reservation.id, [], true);
      const entry = { entryId: this.#ids.next(settlement.at), item: "results" };
      const shown = this.#revealOf(workspaceId, page.prospects);
      const payment = { kind: "settle", each: cost, settlement, entry } as const;
      const outcome = await this.#prospects.reveal({ ...shown, payment });
      if (outcome.kind === "exhausted") throw this.#credits.refusal(outcome);
      const { charged, balance } = outcome;
      return { ...page, creditsUsed: charged, creditsRequired: charged, remainingCredits: balance };
    } catch (error) {
      await this.#credits.release(reservation.id);
      throw error;
    }
  }

  async #queryProvider(
    provider: ProspectProvider,
    workspaceId: WorkspaceId,
    search: Parameters<ProspectProvider["search"]>[0],
  ): Promise<ProspectPage> {
    const outcome = await provider.search(search);
    if (outcome.kind !== "found") throw refusalOf(provider.name, outcome);
    const found: NewProspect[] = [];
    for (const draft of outcome.prospects.slice(0, search.limit)) {
      const checked = prospectContent({ ...draft, source: provider.name });
      // Prospects without an identifier are useless and not charged.
      if (!("errors" in checked)) found.push({ ...checked, content: { ...checked.content, isFromVendor: true } });
    }
    const stored = await this.#prospects.put(workspaceId, found, this.#clock.now());
    // A service may list a person twice; the record stored last is the most complete.
    const prospects = [...new Map(stored.map((prospect) => [prospect.id, prospect])).values()];
    return { total: outcome.total, prospects };
  }

  #chargeOf({ keyId }: Caller) {
    return { request: `search:${this.#ids.next(this.#clock.now())}`, purpose: "search" as const, keyId };
  }

  /** Values of one or all facets among matching prospects, in the order of `inFacetOrder`. Free of charge. */
  async facets(
    workspaceId: WorkspaceId,
    facet: FacetName | undefined,
    text: string,
    limit: number,
    filters: SearchFilters,
  ): Promise<{ facet: FacetName; values: FacetValue[] }[]> {
    checkRevenue(filters);
    const query = termQuery(filters);
    const names = facet === undefined ? facetNames : [facet];
    return Promise.all(
      names.map(async (name) => {
        const asked = { workspaceId, text: folded(text), limit, query };
        const found =
          name === "title"
            ? await titleValues(this.#prospects, asked)
            : inFacetOrder(name, await this.#prospects.facet({ ...asked, facet: name }));
        const ends = (value: string) => (name === "revenue" ? revenueStep(Number(value)) : {});
        return {
          facet: name,
          values: found.map(({ value, label, count }) => ({ value: label, count, ...ends(value) })),
        };
      }),
    );
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<Prospect> {
    const prospect = await this.#prospects.get(workspaceId, id);
    if (prospect === null) throw notFound("prospect", id);
    return prospect;
  }

  /** Deletes a prospect permanently. */
  async remove(workspaceId: WorkspaceId, id: string): Promise<void> {
    if (!(await this.#prospects.remove(workspaceId, id))) throw notFound("prospect", id);
  }

  /**
   * Adds a prospect to leads. If the person is already a lead, even by the address of a former job, returns that lead.
   * Throws DO_NOT_CONTACT if a current or former address is on the do-not-contact list.
   */
  async makeLead(acting: Acting, id: string, tags: string[]): Promise<{ lead: Lead; isNew: boolean }> {
    const { workspaceId } = acting;
    const prospect = await this.get(workspaceId, id);
    const known = prospect.leadId === null ? null : await this.#leadOf(workspaceId, prospect.leadId);
    if (known !== null) return { lead: known, isNew: false };
    const made = await this.#createLead(acting, prospect, tags);
    await this.#prospects.setLead(workspaceId, id, made.lead.id);
    return made;
  }

  async #createLead(acting: Acting, prospect: Prospect, tags: string[]): Promise<{ lead: Lead; isNew: boolean }> {
    const { firstName, lastName, email, phone, networkUrl, title, company, industry, location, companyLocation } =
      prospect;
    const { formerEmails } = prospect;
    const place = location ?? companyLocation;
    const input = { firstName, lastName, email, phone, networkUrl, title, company, industry, location: place };
    const known = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    try {
      const source = prospect.source ?? "prospecting";
      return {
        lead: await this.#leads.create(acting, { ...known, source, tags }, "error", formerEmails),
        isNew: true,
      };
    } catch (error) {
      const leadId = error instanceof ApiError && error.code === "CONFLICT" ? error.details?.["leadId"] : undefined;
      if (typeof leadId !== "string") throw error;
      return { lead: await this.#leads.get(acting.workspaceId, leadId), isNew: false };
    }
  }

  async #leadOf(workspaceId: WorkspaceId, leadId: string): Promise<Lead | null> {
    try {
      return await this.#leads.get(workspaceId, leadId);
    } catch (error) {
      if (error instanceof ApiError && error.code === "NOT_FOUND") return null;
      throw error;
    }
  }
}

/** Below the usual timeouts of clients and proxies. Enough for ten requests of one or two seconds each. */
const liveTimeoutMs = 30_000;

/** Throws VALIDATION_ERROR if the bounds of the revenue range are reversed. */
export function checkRevenue({ company }: SearchFilters): void {
  const { min = null, max = null } = company?.revenue ?? {};
  if (min !== null && max !== null && min > max)
    throw invalid([{ path: "filters.company.revenue.min", message: `Expected at most max (${max}), got ${min}.` }]);
}

function refusalOf(
  name: string,
  outcome: { kind: "refused" | "failed"; message: string } | { kind: "busy"; retryAfterSeconds: number },
): ApiError {
  const details = { source: name };
  if (outcome.kind === "busy") {
    const { retryAfterSeconds } = outcome;
    const message = `${name} is rate limiting requests. Try again in ${retryAfterSeconds} seconds.`;
    return new ApiError("SERVICE_UNAVAILABLE", { message, details, retryAfterSeconds });
  }
  const code = outcome.kind === "refused" ? "CONFLICT" : "SERVICE_UNAVAILABLE";
  return new ApiError(code, { message: `${name}: ${outcome.message}`, details });
}

export function prospectView(prospect: Prospect): ProspectView {
  const { id, confidence, technologies = [], revenue = null, leadId, updatedAt } = prospect;
  const { seniority = null, department = null } = positionOf(prospect);
  return {
    id,
    firstName: prospect.firstName ?? null,
    lastName: prospect.lastName || null,
    email: prospect.email ?? null,
    networkUrl: prospect.networkUrl ?? null,
    title: prospect.title ?? null,
    company: prospect.company ?? null,
    industry: prospect.industry ?? null,
    location: prospect.location ?? prospect.companyLocation ?? null,
    companySize: prospect.companySize ?? null,
    technologies,
    confidence,
    phone: prospect.phone ?? null,
    seniority,
    department,
    domain: prospect.domain ?? null,
    companyLocation: prospect.companyLocation ?? null,
    revenue,
    source: prospect.source ?? null,
    leadId,
    updatedAt: isoTime(updatedAt),
  };
}
