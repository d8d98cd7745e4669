import { expect, test } from "bun:test";
import { array, assert, boolean, constantFrom, nat, option, property, record } from "fast-check";
import type { Reservation } from "../../src/features/credits/change-model.ts";
import type { CreditFacts } from "../../src/features/credits/decisions.ts";
import type { LedgerEntry } from "../../src/features/credits/model.ts";
import type { FinishedBatch, NewResult, Payment, StoredResult } from "../../src/features/enrichment/change-model.ts";
import {
  decideBatch,
  decidePayment,
  findResult,
  type EnrichmentChange,
  type EnrichmentFacts,
  type KnownResult,
} from "../../src/features/enrichment/decisions.ts";
import type { Verdict } from "../../src/features/enrichment/model.ts";
import { keysOf } from "../../src/features/leads/decisions.ts";
import type { LeadIdentity } from "../../src/features/leads/model.ts";
import { changedJob } from "../../src/platform/jobs/transitions.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import { startOfTests as now } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const workspaceId = "user";
const owner = 7;
const make = createFactories();
const runs = { seed: 20_260_105, numRuns: 300 };

/** Few people, so that most of them meet again. */
const identity = record({
  email: option(constantFrom("a@example.com", "b@example.com")),
  network: option(constantFrom("https://network.example/in/a", "https://network.example/in/b")),
  name: option(constantFrom("ada\nlovelace\nacme")),
}).filter((each) => (each.email ?? each.network ?? each.name) !== null);
const finding = record({ identity, foundEmail: option(constantFrom("a@example.com", "b@example.com")), score: nat(9) });
const findings = array(finding, { maxLength: 8 });
type Finding = { identity: LeadIdentity; foundEmail: string | null; score: number };

function resultOf({ identity: person, foundEmail, score }: Finding, at = now): StoredResult {
  const said = (value: string) => ({ value, confidence: 0.9, providers: ["simulated"], at });
  const merged = { title: said(`Title ${score}`), ...(foundEmail !== null && { email: said(foundEmail) }) };
  return { identity: person, asked: ["simulated"], merged, at };
}

/** `from`: number of the first lead in its job. */
function paying(found: readonly Finding[], overrides: Partial<Payment> = {}, from = 0): Payment {
  const results: NewResult[] = found.map((each, index) => ({ ...resultOf(each), item: `${from + index}` }));
  return { results, settlement: null, freeSince: null, ...overrides };
}

/** What is stored for one user who has a reservation of 100 credits. */
class World {
  readonly suppressed = new Set<string>();
  readonly verdicts: Verdict[] = [];
  readonly entries: LedgerEntry[] = [];
  stored: (KnownResult & { keys: Set<number> })[] = [];
  job: Job = make.job(workspaceId, { type: "data_enrichment", status: "running", attempt: 1, leaseUntil: now + 99 });
  reservation: Reservation = {
    ...{ id: "reservation", workspaceId, request: this.job.id, purpose: "enrichment", keyId: null, jobId: this.job.id },
    ...{ held: 100, heldUntil: now + 99 },
  };

  readonly credits: CreditFacts = {
    balance: () => 0,
    limit: () => null,
    used: () => 0,
    reservation: () => this.reservation,
    reservationOf: () => this.reservation,
    settled: (_, request, item) => {
      const entry = this.entries.find(
        (each) => each.kind === "settle" && each.request === request && each.item === item,
      );
      return entry === undefined ? null : { amount: entry.amount, purpose: null, keyId: null };
    },
    isRefunded: () => false,
    lastEventAt: () => null,
  };
  readonly facts: EnrichmentFacts = {
    owner,
    results: (key, since) => this.stored.filter((each) => each.keys.has(key) && each.at >= since).toReversed(),
    isSuppressed: ({ email }) => typeof email === "string" && this.suppressed.has(email),
    credits: this.credits,
  };

  pay(payment: Payment) {
    const { outcome, changes } = decidePayment(payment, this.facts);
    this.write(changes);
    return outcome;
  }

  finish(batch: FinishedBatch) {
    const { outcome, changes } = decideBatch(workspaceId, batch, this.job, this.facts);
    this.write(changes);
    return outcome;
  }

  find(person: LeadIdentity, since = 0): StoredResult | null {
    const found = findResult(person, since, this.facts);
    return found && { identity: found.identity, asked: found.asked, merged: found.merged, at: found.at };
  }

  write(changes: readonly EnrichmentChange[]): void {
    for (const change of changes)
      if (change.kind === "verdicts") this.verdicts.push(...change.verdicts);
      else if (change.kind === "result") this.#writeResult(change);
      else if (change.kind === "job") this.job = changedJob(change.job, change.change).job;
      else if (change.kind === "entry") this.entries.push(change.entry);
      else if (change.kind === "hold")
        this.reservation = { ...this.reservation, held: change.held, heldUntil: change.heldUntil };
  }

  #writeResult({ n, result, people }: EnrichmentChange & { kind: "result" }): void {
    const before = this.stored.find((each) => each.n === n);
    const keys = new Set([...(before?.keys ?? []), ...people.flatMap((person) => keysOf(owner, person))]);
    const next = { ...result, n: n ?? this.stored.length + 1, keys };
    if (before === undefined) this.stored.push(next);
    else this.stored = this.stored.map((each) => (each === before ? next : each));
  }
}

function batchOf(world: World, found: readonly Finding[], from = 0): FinishedBatch {
  const items = found.map((_, index) => ({ entryId: make.ids.next(now), item: `${from + index}`, amount: 1 }));
  const settlement = { ...make.settlement(world.reservation.id, {}), items };
  return {
    claim: { id: world.job.id, attempt: 1 },
    outcomes: found.map((each, index) => ({ n: from + index, outcome: { kind: "enriched", result: enriched(each) } })),
    payment: paying(found, { settlement, freeSince: 0 }, from),
    ...{ metadata: {}, message: "Going on", progress: 50, leaseUntil: now + 99, completes: false, at: now },
  };
}

function enriched({ score }: Finding) {
  return { creditsUsed: score } as (FinishedBatch["outcomes"][number]["outcome"] & { kind: "enriched" })["result"];
}

test("results that are stored in one payment answer as if they were stored one by one", () => {
  assert(
    property(findings, boolean(), (found, isFresh) => {
      const freeSince = isFresh ? null : now - 10;
      const [together, oneByOne] = [new World(), new World()];
      const { free } = together.pay(paying(found, { freeSince }));
      const freeOneByOne = found.flatMap((each, n) => {
        const [result] = paying([each]).results;
        return oneByOne.pay({ results: [{ ...result!, item: `${n}` }], settlement: null, freeSince }).free;
      });
      expect(free).toEqual(freeOneByOne);
      for (const { identity: person } of found) expect(together.find(person)).toEqual(oneByOne.find(person));
    }),
    runs,
  );
});

test("completing a result keeps its person and time, in one payment or one by one", () => {
  assert(
    property(findings, finding, (found, first) => {
      const completing = (each: Finding): NewResult => ({ ...resultOf(each, now + 5), item: null });
      const [together, oneByOne] = [new World(), new World()];
      for (const world of [together, oneByOne]) world.pay(paying([first]));
      together.pay({ results: found.map(completing), settlement: null, freeSince: 0 });
      for (const each of found) oneByOne.pay({ results: [completing(each)], settlement: null, freeSince: 0 });
      const shown = ({ stored }: World) => stored.map(({ identity: person, at, merged }) => ({ person, at, merged }));
      expect(shown(together)).toEqual(shown(oneByOne));
      expect(together.stored[0]).toMatchObject({ identity: first.identity, at: now });
    }),
    runs,
  );
});

test("nobody is paid for twice, and the job counts what the ledger charged", () => {
  assert(
    property(findings, findings, (first, second) => {
      const world = new World();
      for (const [index, found] of [first, second].entries()) {
        const from = index * 100;
        const before = found.map(({ identity: person }) => world.find(person));
        const charged = world.entries.length;
        const outcome = world.finish(batchOf(world, found, from))!;
        const settled = world.entries.slice(charged).filter(({ kind }) => kind === "settle");
        for (const { item } of settled) expect(before[Number(item) - from]).toBeNull();
        const total = world.entries.filter(({ kind }) => kind === "settle").length;
        expect(outcome.creditsUsed).toBe(total);
        expect(world.job.metadata["creditsUsed"]).toBe(total);
        expect(world.reservation.held).toBe(100 - total);
      }
    }),
    runs,
  );
});

test("a batch that is stored again charges nothing more, and reports the same costs", () => {
  assert(
    property(findings, (found) => {
      const world = new World();
      const charging = batchOf(world, found);
      const batch = { ...charging, payment: { ...charging.payment, freeSince: null } };
      const first = world.finish(batch)!;
      const again = world.finish(batch)!;
      expect(again.creditsUsed).toBe(first.creditsUsed);
      expect(again.outcomes).toEqual(first.outcomes);
      expect(again.paid.settled).toEqual({ kind: "settled", charged: 0, balance: 0 });
      expect(world.finish({ ...batch, completes: true })).not.toBeNull();
      expect(world.job.status).toBe("completed");
      expect(world.finish(batch)).toBeNull();
    }),
    runs,
  );
});

test("people who objected meanwhile are charged for, and not stored", () => {
  const world = new World();
  world.suppressed.add("a@example.com");
  const person = { email: "a@example.com", network: null, name: null };
  const verdict = (email: string): Verdict => ({ email, provider: "simulated", confidence: 0.9, at: now });
  const batch = batchOf(world, [{ identity: person, foundEmail: null, score: 1 }]);
  const verdicts = [verdict("a@example.com"), verdict("b@example.com")];
  const stored = world.finish({ ...batch, payment: { ...batch.payment, verdicts } });
  expect(stored?.creditsUsed).toBe(1);
  expect(world.stored).toEqual([]);
  expect(world.verdicts).toEqual([verdict("b@example.com")]);
});

test("a claim that is void stores nothing", () => {
  const world = new World();
  const batch = batchOf(world, []);
  const lost = { ...batch, claim: { ...batch.claim, attempt: 0 } };
  expect(decideBatch(workspaceId, lost, world.job, world.facts)).toEqual({ outcome: null, changes: [] });
  expect(decideBatch(workspaceId, batch, null, world.facts)).toEqual({ outcome: null, changes: [] });
});

test("a deleted user is charged, and nothing is stored", () => {
  const world = new World();
  const found = { identity: { email: "a@example.com", network: null, name: null }, foundEmail: null, score: 1 };
  const facts = { ...world.facts, owner: null };
  const { changes } = decideBatch(workspaceId, batchOf(world, [found]), world.job, facts);
  expect(changes.map(({ kind }) => kind)).toEqual(["entry", "entry", "hold", "outcome", "job"]);
});
