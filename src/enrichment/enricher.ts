import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import type { Lead } from "../leads/model.ts";
import type { LeadService } from "../leads/service.ts";
import { pause } from "../pause.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import { fieldsOf, type FieldGroup } from "./fields.ts";
import type { GuardedProvider } from "./provider-guard.ts";
import { leadFill } from "./lead-fill.ts";
import { lookUpPerson } from "./look-up.ts";
import { resultDays, type LeadToEnrich, type Merged } from "./model.ts";
import { personKey, personOf, type Person } from "./people.ts";
import { failureOf, resultOf } from "./result.ts";
import type { EnrichmentStore, ItemOutcome, PaidResult, StoredResult } from "./store.ts";
import { isNews, restricted, worthPaying } from "./waterfall.ts";

/** How a request wants its leads to be enriched. */
export type EnrichSettings = {
  groups: FieldGroup[];
  /** Names, in the order in which they are asked. */
  providers: string[];
  writeBack: boolean;
  refresh: boolean;
};

export type NumberedLead = { n: number; input: LeadToEnrich };
/** Persons who can be asked about, and what is clear already of the others. `stored` are results that serve for free. */
export type Prepared = {
  people: Person[];
  stored: ReadonlyMap<number, StoredResult>;
  leads: ReadonlyMap<number, Lead>;
  outcomes: Map<number, ItemOutcome>;
};
/** What came of leads: an outcome for each, results to store, and what to charge for which. */
export type Enriched = {
  outcomes: { n: number; outcome: ItemOutcome }[];
  results: PaidResult[];
  charges: { item: string; amount: number }[];
  /** As `Payment.freeSince`. */
  freeSince: number | null;
};

const dayMs = 86_400_000;
/** So many leads of a request are looked up at once, which is as much as vendors like. */
const lookUpsAtOnce = 10;
const maxWriteTries = 3;

/** Enriches leads: what requests and jobs have in common. Charging and storing are left to them. */
export class Enricher {
  readonly #store: EnrichmentStore;
  readonly #leads: LeadService;
  readonly #suppressions: SuppressionStore;
  readonly #providers: ReadonlyMap<string, GuardedProvider>;
  readonly #clock: Clock;
  readonly #cost: number;

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
    this.#suppressions = suppressions;
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
    this.#clock = clock;
    this.#cost = cost;
  }

  /** Reads the leads that are named by id, and looks for stored results. The leads must have been checked before. */
  async prepare(userId: string, numbered: readonly NumberedLead[], settings: EnrichSettings): Promise<Prepared> {
    const leads = new Map<number, Lead>();
    const outcomes = new Map<number, ItemOutcome>();
    const people: Person[] = [];
    for (const { n, input } of numbered) {
      const lead = input.leadId === undefined ? null : await this.#lead(userId, input.leadId);
      if (lead !== null) leads.set(n, lead);
      const person = input.leadId !== undefined && lead === null ? null : personOf(n, input, lead);
      if (person === null || "errors" in person)
        outcomes.set(n, { kind: "failed", failure: failureOf(n, input, "NOT_FOUND") });
      else if (await this.#isBarred(userId, person, lead))
        outcomes.set(n, { kind: "failed", failure: failureOf(n, input, "DO_NOT_CONTACT") });
      else people.push(person);
    }
    const stored = settings.refresh ? [] : await this.#stored(userId, people, settings);
    return { people, stored: new Map(stored), leads, outcomes };
  }

  /** Persons who have to be asked about, each once however often the request has it: what it can cost at most. */
  chargeable({ people, stored }: Prepared): number {
    const asked = new Set(people.filter(({ n }) => !stored.has(n)).map(personKey));
    return asked.size * this.#cost;
  }

  /** Asks the providers, and fills leads where that is wanted. Never fails for what a provider does. */
  async enrich(userId: string, prepared: Prepared, settings: EnrichSettings, signal: AbortSignal): Promise<Enriched> {
    const { people, stored, leads } = prepared;
    const outcomes = new Map(prepared.outcomes);
    const results: PaidResult[] = [];
    const charges: Enriched["charges"] = [];
    const groups = Map.groupBy(people, personKey);
    await inParallel([...groups.values()], lookUpsAtOnce, async (same) => {
      // Who is in a request several times is asked about once, with the first, and paid for once.
      const first = same[0]!;
      const known = same.map(({ n }) => stored.get(n)).find((result) => result !== undefined);
      const asked = known === undefined ? await this.#ask(userId, first, settings, signal) : null;
      const merged = restricted(known?.merged ?? asked?.merged ?? {}, fieldsOf(settings.groups));
      // A guess costs nothing, and is not kept: next time somebody may know more.
      const isWorth = asked !== null && isNews(merged, first.texts, worthPaying);
      const amount = isWorth ? this.#cost : 0;
      if (isWorth) results.push({ ...this.#result(first, asked.merged, settings), item: `${first.n}` });
      if (amount > 0) charges.push({ item: `${first.n}`, amount });
      for (const person of same) {
        const { n, input } = person;
        // What was paid for is shown again, also to a lead that has been filled with it.
        if (known === undefined && !isNews(merged, person.texts, 0)) {
          const code = asked?.wasHindered ? "PROVIDERS_UNAVAILABLE" : "NO_MATCH";
          outcomes.set(n, { kind: "failed", failure: failureOf(n, input, code) });
          continue;
        }
        const creditsUsed = person === first ? amount : 0;
        const result = resultOf(n, input, merged, { creditsUsed, fromStore: known !== undefined });
        const lead = leads.get(n);
        if (settings.writeBack && lead !== undefined) result.writtenBack = await this.#fill(userId, lead, merged);
        outcomes.set(n, { kind: "enriched", result });
      }
    });
    const inOrder = [...outcomes].toSorted((a, b) => a[0] - b[0]).map(([n, outcome]) => ({ n, outcome }));
    return { outcomes: inOrder, results, charges, freeSince: settings.refresh ? null : this.#freeSince() };
  }

  /** Nobody is to learn more about a person who is on the do-not-contact list. */
  async #isBarred(userId: string, { identity }: Person, lead: Lead | null): Promise<boolean> {
    const target = { email: identity.email, profileKey: identity.network, phone: lead?.phone ?? null };
    return (await this.#suppressions.matches(userId, target)).length > 0;
  }

  async #lead(userId: string, id: string): Promise<Lead | null> {
    try {
      return await this.#leads.get(userId, id);
    } catch (error) {
      if (error instanceof ApiError && error.code === "NOT_FOUND") return null;
      throw error;
    }
  }

  async #stored(userId: string, people: readonly Person[], { groups }: EnrichSettings) {
    const since = this.#freeSince();
    const found = await this.#store.results(
      userId,
      people.map(({ identity }) => identity),
      since,
    );
    return people.flatMap((person, index): [number, StoredResult][] => {
      const result = found[index];
      // One that was not asked for all that is wanted now is no repeat.
      return result && groups.every((group) => result.groups.includes(group)) ? [[person.n, result]] : [];
    });
  }

  #freeSince(): number {
    return this.#clock.now() - resultDays * dayMs;
  }

  #ask(userId: string, { subject, leadId }: Person, { groups, providers }: EnrichSettings, signal: AbortSignal) {
    const inOrder = providers.map((name) => this.#providers.get(name)).filter((provider) => provider !== undefined);
    return lookUpPerson(subject, fieldsOf(groups), inOrder, { userId, leadId, signal }, this.#clock);
  }

  #result({ identity }: Person, merged: Merged, { groups }: EnrichSettings): StoredResult {
    return { identity, groups, merged, at: this.#clock.now() };
  }

  /** Fills what is empty at the moment of writing; answers the names of the fields. */
  async #fill(userId: string, lead: Lead, merged: Merged): Promise<string[]> {
    for (let current = lead, attempt = 1; ; attempt++) {
      const fill = leadFill(current, merged);
      if (Object.keys(fill).length === 0) return [];
      try {
        await this.#leads.update(userId, current.id, fill, [current.version], "enrichment");
        return Object.keys(fill);
      } catch (error) {
        if (!(error instanceof ApiError) || attempt === maxWriteTries) throw error;
        const changed = error.code === "PRECONDITION_FAILED" ? await this.#lead(userId, lead.id) : null;
        if (changed === null) return []; // it was deleted meanwhile
        current = changed;
      }
    }
  }
}

async function inParallel<T>(items: readonly T[], limit: number, run: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: Math.min(limit, items.length) }, async () => {
      for (const item of queue) {
        await run(item);
        // Who answers without waiting must not keep everybody else waiting.
        await pause();
      }
    }),
  );
}
