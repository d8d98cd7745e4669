import type { Clock } from "../../platform/base/clock.ts";
import type { Lead } from "../leads/model.ts";
import type { LeadService } from "../leads/service.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import { companyOf } from "./companies.ts";
import { DoNotContact } from "./do-not-contact.ts";
import { fieldsOf, type EnrichField, type FieldGroup } from "./fields.ts";
import type { GuardedProvider } from "./provider-guard.ts";
import { fillLead, leadOrNull } from "./fill-lead.ts";
import { forEachConcurrent } from "./for-each-concurrent.ts";
import { LookUp, nothingKnown, type Known, type LookUpResult } from "./look-up.ts";
import { resultDays, type EnrichmentFailure, type LeadToEnrich, type Merged, type Verdict } from "./model.ts";
import { leadIdOf, personKey, personOf, textsOfIdentity, type Person } from "./people.ts";
import { failureOf, spendCapMessage, resultOf } from "./result.ts";
import { SharedLookUps, type SharedLookUp } from "./shared-look-ups.ts";
import type { ItemOutcome, NewResult, StoredResult } from "./change-model.ts";
import type { EnrichmentStore } from "./store.ts";
import { entriesOf, hasNewData, pickFields, textsAt, minBillableConfidence } from "./waterfall.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Enrichment settings of a request. */
export type EnrichSettings = {
  groups: FieldGroup[];
  /** Provider names, in the order they are queried. */
  providers: string[];
  writeBack: boolean;
  /**
   * Query again for people who are already paid for, except for results stored since `since`, which are already fresh.
   */
  refresh: boolean;
  since?: number;
  /** The inputs are companies instead of people. */
  isOfCompanies?: true;
};

export type NumberedLead = { n: number; input: LeadToEnrich };
/** People who can be looked up, stored results of those already paid for, and outcomes that are already known. */
export type Prepared = {
  people: Person[];
  stored: ReadonlyMap<number, StoredResult>;
  leads: ReadonlyMap<number, Lead>;
  outcomes: Map<number, ItemOutcome>;
};
/**
 * Price agreed before any provider is queried, binding whatever happens in the meantime: the numbers of the leads that
 * are free, and the maximum total cost of the others.
 */
export type Terms = { free: readonly number[]; credits: number };
/** `completeAt`: when paused providers that were not queried become available; null if none will. */
export type NumberedOutcome = { n: number; outcome: ItemOutcome; completeAt: number | null };
/** Outcomes of leads, with the results and verdicts to store and the charges to make. */
export type Enriched = {
  outcomes: NumberedOutcome[];
  results: NewResult[];
  verdicts: Verdict[];
  charges: { item: string; amount: number }[];
  /** See `Payment.freeSince`. */
  freeSince: number | null;
  /** Call when the outcome is stored or discarded. Until then, requests for the same people share these results. */
  release: () => void;
};

/** Findings about a person. `paid` is the result that is already paid for; null if the person is charged now. */
type PersonResult = {
  /** Only the requested fields. */
  merged: Merged;
  /** Verdict on the address that was sent or else found; also null if email was not requested. */
  verdict: Verdict | null;
  /** Reason for withholding the result; null if it is returned. */
  refusal: EnrichmentFailure["code"] | null;
  paid: StoredResult | null;
  isFromStore: boolean;
  unavailable: readonly string[];
  /** Unavailable providers whose monthly spend cap is reached. */
  spent: readonly string[];
  completeAt: number | null;
  amount: number;
  toStore: NewResult | null;
  newVerdicts: readonly Verdict[];
};

/** State of a request in progress: what it may still cost, and the lookups that others can join until it is stored. */
type RequestWork = { settings: EnrichSettings; signal: AbortSignal; creditsLeft: number; held: SharedLookUp[] };

const dayMs = 86_400_000;
/** Concurrent lookups per request. Vendors do not tolerate more. */
const maxConcurrentLookUps = 10;

/** Enriches leads: the logic shared by requests and jobs, which do the charging and storing. */
export class Enricher {
  readonly #store: EnrichmentStore;
  readonly #leads: LeadService;
  readonly #doNotContact: DoNotContact;
  readonly #providers: ReadonlyMap<string, GuardedProvider>;
  readonly #clock: Clock;
  readonly #cost: number;
  readonly #shared = new SharedLookUps();

  /** `cost`: credits per lead for which new data is found. */
  constructor(
    store: EnrichmentStore,
    leads: LeadService,
    suppressions: SuppressionStore,
    providers: readonly GuardedProvider[],
    clock: Clock,
    cost: number,
  ) {
    this.#store = store;
    this.#leads = leads;
    this.#doNotContact = new DoNotContact(suppressions);
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
    this.#clock = clock;
    this.#cost = cost;
  }

  /** Reads leads referenced by ID and their stored results. The input must already be validated. */
  async prepare(
    workspaceId: WorkspaceId,
    numbered: readonly NumberedLead[],
    { isOfCompanies }: Pick<EnrichSettings, "isOfCompanies"> = {},
  ): Promise<Prepared> {
    const leads = new Map<number, Lead>();
    const outcomes = new Map<number, ItemOutcome>();
    const people: Person[] = [];
    for (const { n, input } of numbered) {
      const leadId = isOfCompanies ? null : leadIdOf(input);
      const lead = leadId === null ? null : await leadOrNull(this.#leads, workspaceId, leadId);
      if (lead !== null) leads.set(n, lead);
      const read = () => (isOfCompanies ? companyOf(n, input) : personOf(n, input, lead));
      const person = leadId !== null && lead === null ? null : read();
      if (person === null || "errors" in person)
        outcomes.set(n, { kind: "failed", failure: failureOf(n, input, "NOT_FOUND") });
      else if (await this.#doNotContact.isSuppressed(workspaceId, person))
        outcomes.set(n, { kind: "failed", failure: failureOf(n, input, "DO_NOT_CONTACT") });
      else people.push(person);
    }
    return { people, stored: await this.#stored(workspaceId, people), leads, outcomes };
  }

  /** People who need a lookup cost credits, each once even if repeated in the request. */
  terms({ people, stored }: Pick<Prepared, "people" | "stored">, settings: EnrichSettings): Terms {
    const isPaid = ({ n }: Person): boolean => this.#isPaid(stored.get(n) ?? null, settings);
    const unpaid = new Set(people.filter((person) => !isPaid(person)).map(personKey));
    return { free: people.filter(isPaid).map(({ n }) => n), credits: unpaid.size * this.#cost };
  }

  /**
   * Queries the providers and, if requested, fills leads. Charges no more than `terms` allow. Provider failures never
   * make it throw.
   */
  async enrich(
    workspaceId: WorkspaceId,
    prepared: Prepared,
    settings: EnrichSettings,
    terms: Terms,
    signal: AbortSignal,
  ): Promise<Enriched> {
    const work: RequestWork = { settings, signal, creditsLeft: terms.credits, held: [] };
    const release = (): void => work.held.splice(0).forEach((shared) => shared.release());
    try {
      return { ...(await this.#enrich(workspaceId, prepared, new Set(terms.free), work)), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #enrich(
    workspaceId: WorkspaceId,
    prepared: Prepared,
    free: ReadonlySet<number>,
    work: RequestWork,
  ): Promise<Omit<Enriched, "release">> {
    const { settings } = work;
    const outcomes: NumberedOutcome[] = [...prepared.outcomes].map(([n, outcome]) => ({
      n,
      outcome,
      completeAt: null,
    }));
    const findings: { n: number; found: PersonResult }[] = [];
    const groups = Map.groupBy(prepared.people, personKey);
    await forEachConcurrent([...groups.values()], maxConcurrentLookUps, async (same) => {
      // People repeated in a request are looked up once, with the first occurrence, and charged once.
      const first = same[0]!;
      const known = same.map(({ n }) => prepared.stored.get(n)).find((result) => result !== undefined) ?? null;
      const isFree = same.some(({ n }) => free.has(n));
      const found = await this.#find(workspaceId, first, known, isFree, work);
      findings.push({ n: first.n, found });
      for (const person of same) {
        const creditsUsed = person === first ? found.amount : 0;
        const outcome = await this.#outcome(workspaceId, person, found, creditsUsed, prepared, settings);
        outcomes.push({ n: person.n, outcome, completeAt: found.completeAt });
      }
    });
    // Two groups may turn out to be one person, who is charged for the group that comes first in the request, not for
    // the one whose provider answered first.
    findings.sort((a, b) => a.n - b.n);
    return {
      outcomes: outcomes.toSorted((a, b) => a.n - b.n),
      results: findings.flatMap(({ found }) => found.toStore ?? []),
      verdicts: findings.flatMap(({ found }) => found.newVerdicts),
      charges: findings.flatMap(({ n, found }) => (found.amount > 0 ? [{ item: `${n}`, amount: found.amount }] : [])),
      freeSince: this.#freeSince(settings),
    };
  }

  /** Queries providers that have not been asked about the person, and determines the cost and the result to store. */
  async #find(
    workspaceId: WorkspaceId,
    person: Person,
    prepared: StoredResult | null,
    isFree: boolean,
    work: RequestWork,
  ): Promise<PersonResult> {
    const { settings } = work;
    const wanted = fieldsOf(settings.groups);
    const known = (await this.#latestResult(workspaceId, person, settings)) ?? prepared;
    const paid = this.#isPaid(known, settings) ? known : null;
    const price = paid !== null || isFree ? 0 : this.#cost;
    if (price > work.creditsLeft) return { ...nothingFound, refusal: "ENRICHMENT_CREDITS_EXHAUSTED" };
    work.creditsLeft -= price;
    const base = paid ?? this.#retainedFields(known, wanted);
    const looked = await this.#ask(workspaceId, person, base, paid, work);
    const found = await this.#evaluate(workspaceId, person, looked, paid, price, wanted);
    work.creditsLeft += price - found.amount;
    return found;
  }

  /** Determines what a lookup returns, costs, and stores. */
  async #evaluate(
    workspaceId: WorkspaceId,
    { identity, n, texts, subject, isCompany }: Person,
    { merged, asked, isFromStore, unavailable, paused, spent, verdicts, newVerdicts }: LookUpResult,
    paid: StoredResult | null,
    price: number,
    wanted: ReadonlySet<EnrichField>,
  ): Promise<PersonResult> {
    // What a provider says about people there was not requested, and may concern someone who objected.
    const all = isCompany ? pickFields(merged, wanted) : merged;
    const email = subject.email ?? textsAt(all, "email")[0];
    const found: PersonResult = {
      ...nothingFound,
      merged: pickFields(all, wanted),
      verdict: email !== undefined && wanted.has("email") ? verdicts.of(email) : null,
      paid,
      isFromStore,
      unavailable,
      spent,
      completeAt: this.#availableAt(paused),
      newVerdicts,
    };
    if (await this.#doNotContact.areFindingsSuppressed(workspaceId, all))
      return { ...nothingFound, refusal: "DO_NOT_CONTACT" };
    // Results that are paid for are completed free of charge, with providers or fields that were missing before.
    if (paid !== null)
      return asked.length === paid.asked.length
        ? found
        : { ...found, toStore: { ...paid, merged: all, asked, item: null } };
    // A guess is free and not stored: the next request may find more.
    if (!hasNewData(found.merged, texts, minBillableConfidence)) return found;
    const toStore = { identity, merged: all, asked, at: this.#clock.now(), item: `${n}` };
    return { ...found, amount: price, toStore };
  }

  async #outcome(
    workspaceId: WorkspaceId,
    { n, input, texts, isCompany }: Person,
    { merged, verdict, refusal, paid, isFromStore: fromCache, unavailable, spent }: PersonResult,
    creditsUsed: number,
    { leads }: Prepared,
    { writeBack }: EnrichSettings,
  ): Promise<ItemOutcome> {
    if (refusal !== null) return { kind: "failed", failure: failureOf(n, input, refusal) };
    // Paid results are returned again, even for a lead already filled with them; a verdict alone counts as new data.
    if (verdict === null && !hasNewData(merged, paid === null ? texts : textsOfIdentity(paid.identity), 0)) {
      const failure = failureOf(n, input, unavailable.length > 0 ? "PROVIDERS_UNAVAILABLE" : "NO_MATCH", isCompany);
      if (spent.length === 0) return { kind: "failed", failure };
      const message = spendCapMessage(spent, unavailable, this.#clock.now());
      return { kind: "failed", failure: { ...failure, message } };
    }
    const result = resultOf(n, input, merged, { verdict, creditsUsed, fromCache, unavailable });
    const lead = leads.get(n);
    if (writeBack && lead !== undefined) result.writtenBack = await fillLead(this.#leads, workspaceId, lead, merged);
    return { kind: "enriched", result };
  }

  async #stored(workspaceId: WorkspaceId, people: readonly Person[]): Promise<Map<number, StoredResult>> {
    const identities = people.map(({ identity }) => identity);
    const found = await this.#store.results(workspaceId, identities, this.#freshSince());
    return new Map(people.flatMap(({ n }, index) => (found[index] ? [[n, found[index]]] : [])));
  }

  /** The part of a stored result that remains when some fields are refreshed: all other fields that are still fresh. */
  #retainedFields(known: StoredResult | null, wanted: ReadonlySet<EnrichField>): Known {
    if (known === null) return nothingKnown;
    const others = entriesOf(known.merged).filter(([field, { at }]) => !wanted.has(field) && at >= this.#freshSince());
    return { merged: Object.fromEntries(others), asked: [] };
  }

  #freshSince(): number {
    return this.#clock.now() - resultDays * dayMs;
  }

  /** See `Payment.freeSince`. */
  #freeSince({ refresh, since }: EnrichSettings): number | null {
    return refresh ? (since ?? null) : this.#freshSince();
  }

  #isPaid(known: StoredResult | null, settings: EnrichSettings): boolean {
    const since = this.#freeSince(settings);
    return known !== null && since !== null && known.at >= since;
  }

  /** The newest result, which another request may have stored after `prepare`. */
  async #latestResult(
    workspaceId: WorkspaceId,
    { identity }: Person,
    settings: EnrichSettings,
  ): Promise<StoredResult | null> {
    const since = this.#freeSince(settings);
    return since === null ? null : ((await this.#store.results(workspaceId, [identity], since))[0] ?? null);
  }

  /** Starts a lookup, or joins one that another request of the user started for the same person and fields. */
  #ask(
    workspaceId: WorkspaceId,
    person: Person,
    base: Known,
    paid: StoredResult | null,
    { settings, signal, held }: RequestWork,
  ): Promise<LookUpResult> {
    const startLookUp = (stop: AbortSignal) => this.#lookUp(workspaceId, person, base, settings, stop);
    // A refresh must not reuse the result of another request.
    if (settings.refresh) return startLookUp(signal).run();
    const { subject, leadId } = person;
    const { groups, providers } = settings;
    const key = JSON.stringify([workspaceId, subject, leadId, groups, providers, paid?.at ?? null, base.asked]);
    const shared = this.#shared.find(key) ?? this.#shared.start(key, startLookUp);
    shared.hold();
    held.push(shared);
    return shared.result(signal);
  }

  #lookUp(
    workspaceId: WorkspaceId,
    { subject, leadId }: Person,
    known: Known,
    settings: EnrichSettings,
    signal: AbortSignal,
  ): LookUp {
    const providers = settings.providers
      .map((name) => this.#providers.get(name))
      .filter((provider) => provider !== undefined);
    const since = this.#freeSince(settings);
    return new LookUp(subject, {
      wanted: fieldsOf(settings.groups),
      providers,
      context: { workspaceId, leadId, signal },
      clock: this.#clock,
      known,
      recall: async (emails) => {
        const all = await this.#store.verdicts(workspaceId, emails, this.#freshSince());
        const { before = [], now = [] } = Object.groupBy(all, ({ at }) =>
          at >= (since ?? Infinity) ? "now" : "before",
        );
        return { before, now };
      },
    });
  }

  /** When all providers that will become available are available. */
  #availableAt(names: readonly string[]): number | null {
    const moments = names.flatMap((name) => this.#providers.get(name)?.availableAt ?? []);
    return moments.length === 0 ? null : Math.max(...moments);
  }
}

const nothingFound: PersonResult = {
  merged: {},
  verdict: null,
  refusal: null,
  paid: null,
  isFromStore: false,
  unavailable: [],
  spent: [],
  completeAt: null,
  amount: 0,
  toStore: null,
  newVerdicts: [],
};
