import type { Clock } from "../../platform/base/clock.ts";
import type { Lead } from "../leads/model.ts";
import type { LeadService } from "../leads/service.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import { DoNotContact } from "./do-not-contact.ts";
import { fieldsOf, type EnrichField, type FieldGroup } from "./fields.ts";
import type { GuardedProvider } from "./provider-guard.ts";
import { fillLead, leadOrNull } from "./fill-lead.ts";
import { inParallel } from "./in-parallel.ts";
import { LookUp, nothingKnown, type Known, type LookedUp } from "./look-up.ts";
import { resultDays, type EnrichmentFailure, type LeadToEnrich, type Merged, type Verdict } from "./model.ts";
import { leadIdOf, personKey, personOf, textsOfIdentity, type Person } from "./people.ts";
import { failureOf, messageOfSpent, resultOf } from "./result.ts";
import { SharedLookUps, type SharedLookUp } from "./shared-look-ups.ts";
import type { EnrichmentStore, ItemOutcome, NewResult, StoredResult } from "./store.ts";
import { entriesOf, isNews, restricted, textsAt, worthPaying } from "./waterfall.ts";

/** How a request wants its leads to be enriched. */
export type EnrichSettings = {
  groups: FieldGroup[];
  /** Names, in the order in which they are asked. */
  providers: string[];
  writeBack: boolean;
  /** Ask anew about who is paid for; but for results from `since` on, which are what was asked for anew. */
  refresh: boolean;
  since?: number;
};

export type NumberedLead = { n: number; input: LeadToEnrich };
/** Persons who can be asked about, what is known of those who are paid for, and what is clear already of the others. */
export type Prepared = {
  people: Person[];
  stored: ReadonlyMap<number, StoredResult>;
  leads: ReadonlyMap<number, Lead>;
  outcomes: Map<number, ItemOutcome>;
};
/**
 * What was told before anybody was asked, and holds whatever happens meanwhile: who is free, by their numbers, and what
 * all the others may cost together.
 */
export type Terms = { free: readonly number[]; credits: number };
/** `completeAt`: when those can be asked who were not because they pause; null where nobody will be back by himself. */
export type NumberedOutcome = { n: number; outcome: ItemOutcome; completeAt: number | null };
/** What came of leads: an outcome for each, results and verdicts to store, and what to charge for which. */
export type Enriched = {
  outcomes: NumberedOutcome[];
  results: NewResult[];
  verdicts: Verdict[];
  charges: { item: string; amount: number }[];
  /** As `Payment.freeSince`. */
  freeSince: number | null;
  /** To be called once it is stored, or will not be: until then, others who ask about the same people get the same. */
  release: () => void;
};

/** What is found of somebody. `paid` is what was paid for before; null for what is to be paid now. */
type Found = {
  /** The part that is wanted. */
  merged: Merged;
  /** On the address that was sent or, where there is none, on the one that was found; null also where it is not wanted. */
  verdict: Verdict | null;
  /** Why nobody is told; null: they are. */
  refusal: EnrichmentFailure["code"] | null;
  paid: StoredResult | null;
  isFromStore: boolean;
  unavailable: readonly string[];
  /** Those of them whose monthly cap is reached. */
  spent: readonly string[];
  completeAt: number | null;
  amount: number;
  toStore: NewResult | null;
  given: readonly Verdict[];
};

/** Work on a request: what it may still cost, and the look-ups that others may join until it is stored. */
type Work = { settings: EnrichSettings; signal: AbortSignal; creditsLeft: number; held: SharedLookUp[] };

const dayMs = 86_400_000;
/** So many leads of a request are looked up at once, which is as much as vendors like. */
const lookUpsAtOnce = 10;

/** Enriches leads: what requests and jobs have in common. Charging and storing are left to them. */
export class Enricher {
  readonly #store: EnrichmentStore;
  readonly #leads: LeadService;
  readonly #doNotContact: DoNotContact;
  readonly #providers: ReadonlyMap<string, GuardedProvider>;
  readonly #clock: Clock;
  readonly #cost: number;
  readonly #shared = new SharedLookUps();

  /** `cost` is what a lead costs that something was found for. */
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

  /** Reads the leads that are named by id, and looks for stored results. The leads must have been checked before. */
  async prepare(userId: string, numbered: readonly NumberedLead[]): Promise<Prepared> {
    const leads = new Map<number, Lead>();
    const outcomes = new Map<number, ItemOutcome>();
    const people: Person[] = [];
    for (const { n, input } of numbered) {
      const leadId = leadIdOf(input);
      const lead = leadId === null ? null : await leadOrNull(this.#leads, userId, leadId);
      if (lead !== null) leads.set(n, lead);
      const person = leadId !== null && lead === null ? null : personOf(n, input, lead);
      if (person === null || "errors" in person)
        outcomes.set(n, { kind: "failed", failure: failureOf(n, input, "NOT_FOUND") });
      else if (await this.#doNotContact.isBarred(userId, person))
        outcomes.set(n, { kind: "failed", failure: failureOf(n, input, "DO_NOT_CONTACT") });
      else people.push(person);
    }
    return { people, stored: await this.#stored(userId, people), leads, outcomes };
  }

  /** Persons who have to be asked about cost, each once however often the request has it. */
  terms({ people, stored }: Pick<Prepared, "people" | "stored">, settings: EnrichSettings): Terms {
    const isPaid = ({ n }: Person): boolean => this.#isPaid(stored.get(n) ?? null, settings);
    const unpaid = new Set(people.filter((person) => !isPaid(person)).map(personKey));
    return { free: people.filter(isPaid).map(({ n }) => n), credits: unpaid.size * this.#cost };
  }

  /**
   * Asks the providers, and fills leads where that is wanted; charges no more than `terms` say. Never fails for what a
   * provider does.
   */
  async enrich(
    userId: string,
    prepared: Prepared,
    settings: EnrichSettings,
    terms: Terms,
    signal: AbortSignal,
  ): Promise<Enriched> {
    const work: Work = { settings, signal, creditsLeft: terms.credits, held: [] };
    const release = (): void => work.held.splice(0).forEach((shared) => shared.release());
    try {
      return { ...(await this.#enrich(userId, prepared, new Set(terms.free), work)), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #enrich(
    userId: string,
    prepared: Prepared,
    free: ReadonlySet<number>,
    work: Work,
  ): Promise<Omit<Enriched, "release">> {
    const { settings } = work;
    const outcomes: NumberedOutcome[] = [...prepared.outcomes].map(([n, outcome]) => ({
      n,
      outcome,
      completeAt: null,
    }));
    const results: NewResult[] = [];
    const verdicts: Verdict[] = [];
    const charges: Enriched["charges"] = [];
    const groups = Map.groupBy(prepared.people, personKey);
    await inParallel([...groups.values()], lookUpsAtOnce, async (same) => {
      // Who is in a request several times is asked about once, with the first, and paid for once.
      const first = same[0]!;
      const known = same.map(({ n }) => prepared.stored.get(n)).find((result) => result !== undefined) ?? null;
      const isFree = same.some(({ n }) => free.has(n));
      const found = await this.#find(userId, first, known, isFree, work);
      verdicts.push(...found.given);
      if (found.toStore !== null) results.push(found.toStore);
      if (found.amount > 0) charges.push({ item: `${first.n}`, amount: found.amount });
      for (const person of same) {
        const creditsUsed = person === first ? found.amount : 0;
        const outcome = await this.#outcome(userId, person, found, creditsUsed, prepared, settings);
        outcomes.push({ n: person.n, outcome, completeAt: found.completeAt });
      }
    });
    return {
      outcomes: outcomes.toSorted((a, b) => a.n - b.n),
      results,
      verdicts,
      charges,
      freeSince: this.#freeSince(settings),
    };
  }

  /** Asks whoever has not said what they know of somebody, and works out what that costs and what is to be stored. */
  async #find(
    userId: string,
    person: Person,
    prepared: StoredResult | null,
    isFree: boolean,
    work: Work,
  ): Promise<Found> {
    const { settings } = work;
    const wanted = fieldsOf(settings.groups);
    const known = (await this.#storedNow(userId, person, settings)) ?? prepared;
    const paid = this.#isPaid(known, settings) ? known : null;
    const price = paid !== null || isFree ? 0 : this.#cost;
    if (price > work.creditsLeft) return { ...nothingFound, refusal: "ENRICHMENT_CREDITS_EXHAUSTED" };
    work.creditsLeft -= price;
    const base = paid ?? this.#kept(known, wanted);
    const looked = await this.#ask(userId, person, base, paid, work);
    const found = await this.#weigh(userId, person, looked, paid, price, wanted);
    work.creditsLeft += price - found.amount;
    return found;
  }

  /** What a look-up comes to: what is told, costs and is to be stored. */
  async #weigh(
    userId: string,
    { identity, n, texts, subject }: Person,
    { merged: all, asked, isFromStore, hindered: unavailable, paused, spent, verdicts, given }: LookedUp,
    paid: StoredResult | null,
    price: number,
    wanted: ReadonlySet<EnrichField>,
  ): Promise<Found> {
    const email = subject.email ?? textsAt(all, "email")[0];
    const found: Found = {
      ...nothingFound,
      merged: restricted(all, wanted),
      verdict: email !== undefined && wanted.has("email") ? verdicts.of(email) : null,
      paid,
      isFromStore,
      unavailable,
      spent,
      completeAt: this.#backAt(paused),
      given,
    };
    if (await this.#doNotContact.isUnmasked(userId, all)) return { ...nothingFound, refusal: "DO_NOT_CONTACT" };
    // What is paid for is completed at no charge, by whoever could not be asked then or in a part that nobody wanted.
    if (paid !== null)
      return asked.length === paid.asked.length
        ? found
        : { ...found, toStore: { ...paid, merged: all, asked, item: null } };
    // A guess costs nothing, and is not kept: next time somebody may know more.
    if (!isNews(found.merged, texts, worthPaying)) return found;
    const toStore = { identity, merged: all, asked, at: this.#clock.now(), item: `${n}` };
    return { ...found, amount: price, toStore };
  }

  async #outcome(
    userId: string,
    { n, input, texts }: Person,
    { merged, verdict, refusal, paid, isFromStore: fromCache, unavailable, spent }: Found,
    creditsUsed: number,
    { leads }: Prepared,
    { writeBack }: EnrichSettings,
  ): Promise<ItemOutcome> {
    if (refusal !== null) return { kind: "failed", failure: failureOf(n, input, refusal) };
    // What was paid for is shown again, also to a lead that has been filled with it; and a verdict is news by itself.
    if (verdict === null && !isNews(merged, paid === null ? texts : textsOfIdentity(paid.identity), 0)) {
      const failure = failureOf(n, input, unavailable.length > 0 ? "PROVIDERS_UNAVAILABLE" : "NO_MATCH");
      if (spent.length === 0) return { kind: "failed", failure };
      const message = messageOfSpent(spent, unavailable, this.#clock.now());
      return { kind: "failed", failure: { ...failure, message } };
    }
    const result = resultOf(n, input, merged, { verdict, creditsUsed, fromCache, unavailable });
    const lead = leads.get(n);
    if (writeBack && lead !== undefined) result.writtenBack = await fillLead(this.#leads, userId, lead, merged);
    return { kind: "enriched", result };
  }

  async #stored(userId: string, people: readonly Person[]): Promise<Map<number, StoredResult>> {
    const identities = people.map(({ identity }) => identity);
    const found = await this.#store.results(userId, identities, this.#freshSince());
    return new Map(people.flatMap(({ n }, index) => (found[index] ? [[n, found[index]]] : [])));
  }

  /** What stays of a result while a part of it is wanted anew: the other parts, as long as they are fresh. */
  #kept(known: StoredResult | null, wanted: ReadonlySet<EnrichField>): Known {
    if (known === null) return nothingKnown;
    const others = entriesOf(known.merged).filter(([field, { at }]) => !wanted.has(field) && at >= this.#freshSince());
    return { merged: Object.fromEntries(others), asked: [] };
  }

  #freshSince(): number {
    return this.#clock.now() - resultDays * dayMs;
  }

  /** As `Payment.freeSince`. */
  #freeSince({ refresh, since }: EnrichSettings): number | null {
    return refresh ? (since ?? null) : this.#freshSince();
  }

  #isPaid(known: StoredResult | null, settings: EnrichSettings): boolean {
    const since = this.#freeSince(settings);
    return known !== null && since !== null && known.at >= since;
  }

  /** The newest result, which another request may have stored since this one was prepared. */
  async #storedNow(userId: string, { identity }: Person, settings: EnrichSettings): Promise<StoredResult | null> {
    const since = this.#freeSince(settings);
    return since === null ? null : ((await this.#store.results(userId, [identity], since))[0] ?? null);
  }

  /** Asks, or waits for what another request of the user asks the same about the same person. */
  #ask(
    userId: string,
    person: Person,
    base: Known,
    paid: StoredResult | null,
    { settings, signal, held }: Work,
  ): Promise<LookedUp> {
    const begin = (stop: AbortSignal) => this.#lookUp(userId, person, base, settings, stop);
    // To ask anew is to ask anew.
    if (settings.refresh) return begin(signal).run();
    const { subject, leadId } = person;
    const { groups, providers } = settings;
    const key = JSON.stringify([userId, subject, leadId, groups, providers, paid?.at ?? null, base.asked]);
    const shared = this.#shared.find(key) ?? this.#shared.start(key, begin);
    shared.hold();
    held.push(shared);
    return shared.result(signal);
  }

  #lookUp(
    userId: string,
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
      context: { userId, leadId, signal },
      clock: this.#clock,
      known,
      recall: async (emails) => {
        const all = await this.#store.verdicts(userId, emails, this.#freshSince());
        const { before = [], now = [] } = Object.groupBy(all, ({ at }) =>
          at >= (since ?? Infinity) ? "now" : "before",
        );
        return { before, now };
      },
    });
  }

  /** When all of them who will be back are back. */
  #backAt(names: readonly string[]): number | null {
    const moments = names.flatMap((name) => this.#providers.get(name)?.backAt ?? []);
    return moments.length === 0 ? null : Math.max(...moments);
  }
}

const nothingFound: Found = {
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
  given: [],
};
