import { expect, test } from "bun:test";
import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  property,
  record,
  type Arbitrary,
} from "fast-check";
import type { BudgetLimit, Reservation } from "../../src/features/credits/change-model.ts";
import {
  decideAdjustment,
  decideBudget,
  decideCharge,
  decideRefund,
  decideReserve,
  decideSettle,
  monthOf,
  type CreditChange,
  type CreditFacts,
} from "../../src/features/credits/decisions.ts";
import { lowBalance, type LedgerEntry } from "../../src/features/credits/model.ts";
import type { Decision } from "../../src/platform/base/decision.ts";
import type { NewEvent } from "../../src/platform/events/model.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const workspaceId = "user";
const keyId = "key";
const hourMs = 3_600_000;
const make = createFactories();

type Step =
  | { kind: "reserve" | "charge"; request: string; amount: number }
  | { kind: "settle"; request: string; items: { item: string; amount: number }[]; closes: boolean }
  | { kind: "refund"; request: string; item: string }
  | { kind: "adjust"; amount: number }
  | { kind: "budget"; monthly: number }
  | { kind: "wait"; hours: number };

/** Few requests and items, so that most of them are repeated. */
const item = constantFrom("0", "1", "all");
const amount = integer({ min: 0, max: 60 });
const step: Arbitrary<Step> = oneof(
  record({ kind: constant("reserve" as const), request: constantFrom("a", "b"), amount }),
  record({ kind: constant("charge" as const), request: constantFrom("c", "d", "e"), amount }),
  record({
    kind: constant("settle" as const),
    request: constantFrom("a", "b"),
    items: array(record({ item, amount: nat(9) }), { maxLength: 4 }),
    closes: boolean(),
  }),
  record({ kind: constant("refund" as const), request: constantFrom("a", "c"), item }),
  record({ kind: constant("adjust" as const), amount: integer({ min: -60, max: 90 }) }),
  record({ kind: constant("budget" as const), monthly: integer({ min: 0, max: 120 }) }),
  record({ kind: constant("wait" as const), hours: integer({ min: 1, max: 300 }) }),
);
const history = array(step, { minLength: 1, maxLength: 60 });
const runs = { seed: 20_260_101, numRuns: 200 };

test("the balance is the sum of the ledger, never below zero, and what is not in it is held", () => {
  assert(
    property(history, (steps) => {
      const world = new World();
      for (const taken of steps) {
        const outcome = world.take(taken);
        const sum = world.entries.reduce((total, entry) => total + entry.amount, 0);
        if (outcome !== null && "balance" in outcome) expect(outcome.balance).toBe(sum);
        expect(sum).toBeGreaterThanOrEqual(0);
        for (const { id, request, held, heldUntil } of world.reservations.values()) {
          const moved = world.entries.filter(
            (entry) => entry.request === request && (entry.kind === "reserve" || entry.kind === "release"),
          );
          expect([id, held]).toEqual([id, -moved.reduce((total, entry) => total + entry.amount, 0) || 0]);
          if (heldUntil === null) expect(held).toBe(0);
        }
      }
    }),
    runs,
  );
});

test("nothing is taken beyond the budget of a key", () => {
  assert(
    property(history, (steps) => {
      const world = new World();
      for (const taken of steps) {
        const before = world.entries.length;
        world.take(taken);
        const { limit } = world;
        const isDebit = world.entries.slice(before).some((entry) => entry.keyId === keyId && entry.amount < 0);
        if (isDebit && taken.kind !== "settle" && limit !== null)
          expect(world.facts.used(keyId, monthOf(world.now))).toBeLessThanOrEqual(limit.monthly);
      }
    }),
    runs,
  );
});

test("settling, charging, or refunding a second time changes nothing", () => {
  assert(
    property(history, (steps) => {
      const world = new World();
      for (const taken of steps) {
        const first = world.take(taken);
        if (first?.kind !== "settled" && first?.kind !== "charged" && first?.kind !== "refunded") continue;
        if (taken.kind === "adjust") continue;
        const again = world.decide(taken);
        expect(again?.changes).toEqual([]);
        if (again?.outcome.kind === "settled") expect(again.outcome.charged).toBe(0);
      }
    }),
    runs,
  );
});

test("each item is charged at most once, and refunded at most as much", () => {
  assert(
    property(history, (steps) => {
      const world = new World();
      for (const taken of steps) world.take(taken);
      const named = world.entries.filter((entry) => entry.item !== null && entry.item !== undefined);
      const once = new Set(named.map((entry) => `${entry.kind} ${entry.request} ${entry.item}`));
      expect(once.size).toBe(named.length);
      for (const refund of named.filter(({ kind }) => kind === "refund")) {
        const settled = world.facts.settled(workspaceId, refund.request!, refund.item!);
        expect(refund.amount + settled!.amount).toBe(0);
      }
    }),
    runs,
  );
});

test("users are warned at most once a day, and only of a low balance", () => {
  assert(
    property(history, (steps) => {
      const world = new World();
      for (const taken of steps) world.take(taken);
      const lastAt = new Map<string, number>();
      for (const { type, at, data } of world.events) {
        expect(at - (lastAt.get(type) ?? -Infinity)).toBeGreaterThanOrEqual(24 * hourMs);
        lastAt.set(type, at);
        expect(data!["balance"] as number).toBeLessThan(lowBalance);
      }
    }),
    runs,
  );
});

test("a refusal says what is left, and takes nothing", () => {
  const world = new World();
  world.take({ kind: "adjust", amount: -145 });
  expect(world.take({ kind: "reserve", request: "a", amount: 6 })).toEqual({
    kind: "exhausted",
    by: "balance",
    remaining: 5,
    required: 6,
  });
  world.take({ kind: "budget", monthly: 2 });
  const refused = { kind: "exhausted", by: "budget", remaining: 2, required: 3 } as const;
  expect(world.take({ kind: "charge", request: "c", amount: 3 })).toEqual(refused);
  expect(world.entries).toHaveLength(2);
});

test("the owner of a key stays within the budget that an admin set", () => {
  const facts = { limit: () => ({ monthly: 5, ceiling: 10 }) };
  const set = (monthly: number | null, by: "admin" | "owner") => decideBudget({ keyId, monthly, by }, facts);
  expect(set(11, "owner")).toEqual({ outcome: { kind: "beyond", ceiling: 10 }, changes: [] });
  expect(set(null, "owner").outcome.kind).toBe("beyond");
  expect(set(9, "owner").changes).toEqual([{ kind: "budget", keyId, limit: { monthly: 9, ceiling: 10 } }]);
  expect(set(20, "admin").changes).toEqual([{ kind: "budget", keyId, limit: { monthly: 20, ceiling: 20 } }]);
  expect(set(null, "admin").changes).toEqual([{ kind: "budget", keyId, limit: null }]);
});

/** A user with one key, and the rows that decisions change. */
class World {
  now = startOfTests;
  limit: BudgetLimit | null = null;
  readonly entries: LedgerEntry[] = [make.grant(workspaceId, { amount: 150 })];
  readonly reservations = new Map<string, Reservation>();
  readonly events: NewEvent[] = [];

  readonly facts: CreditFacts = {
    balance: () => this.entries.reduce((sum, { amount }) => sum + amount, 0),
    limit: () => this.limit,
    used: (key, month) =>
      -this.entries
        .filter((entry) => entry.keyId === key && monthOf(entry.createdAt) === month)
        .reduce((sum, { amount }) => sum + amount, 0),
    reservation: (id) => this.reservations.get(id) ?? null,
    reservationOf: (_, request) => [...this.reservations.values()].find((each) => each.request === request) ?? null,
    settled: (_, request, item) => this.#entry("settle", request, item),
    isRefunded: (_, request, item) => this.#entry("refund", request, item) !== null,
    lastEventAt: (_, type) => this.events.findLast((event) => event.type === type)?.at ?? null,
  };

  /** Null if nothing was decided. */
  take(taken: Step) {
    if (taken.kind === "wait") this.now += taken.hours * hourMs;
    const decision = this.decide(taken);
    for (const change of decision?.changes ?? []) this.#write(change);
    return decision?.outcome ?? null;
  }

  decide(taken: Step): Decision<Outcome, CreditChange> | null {
    const at = this.now;
    switch (taken.kind) {
      case "reserve":
        return this.#reserve(taken);
      case "charge":
        return this.#charge(taken);
      case "settle":
        return this.#settle(taken);
      case "refund":
        return this.#refund(taken);
      case "adjust":
        return decideAdjustment(make.grant(workspaceId, { amount: taken.amount, createdAt: at }), this.facts);
      case "budget":
        return decideBudget({ keyId, monthly: taken.monthly, by: "owner" }, this.facts);
      case "wait":
        return null;
    }
  }

  #reserve({ request, amount }: { request: string; amount: number }) {
    const at = this.now;
    const wanted = make.reservation(workspaceId, { request, amount, keyId, heldUntil: at + hourMs, at });
    return decideReserve(wanted, this.facts);
  }

  #charge({ request, amount }: { request: string; amount: number }) {
    const wanted = make.charge(workspaceId, { request, amount, purpose: "enrichment", keyId, at: this.now });
    return decideCharge(wanted, this.facts);
  }

  #refund({ request, item }: { request: string; item: string }) {
    const at = this.now;
    return decideRefund({ workspaceId, request, item, entryId: make.ids.next(at), note: null, at }, this.facts);
  }

  /** Null if the items cost more than is held, which a service never asks for. */
  #settle({ request, items, closes }: Step & { kind: "settle" }) {
    const reservation = this.facts.reservationOf(workspaceId, request);
    const settlement = make.settlement(reservation?.id ?? "none", {}, { closes, at: this.now });
    const named = items.map((each) => ({ ...each, entryId: make.ids.next(this.now) }));
    try {
      return decideSettle({ ...settlement, items: named }, this.facts);
    } catch {
      return null;
    }
  }

  #write(change: CreditChange): void {
    if (change.kind === "entry") this.entries.push(change.entry);
    else if (change.kind === "open") this.reservations.set(change.reservation.id, change.reservation);
    else if (change.kind === "hold") this.#hold(change.id, change.held, change.heldUntil);
    else if (change.kind === "budget") this.limit = change.limit;
    else this.events.push(change.event);
  }

  #hold(id: string, held: number, heldUntil: number | null): void {
    this.reservations.set(id, { ...this.reservations.get(id)!, held, heldUntil });
  }

  #entry(kind: "settle" | "refund", request: string, item: string) {
    const found = this.entries.find((entry) => entry.kind === kind && entry.request === request && entry.item === item);
    return found === undefined ? null : { amount: found.amount, purpose: null, keyId: found.keyId ?? null };
  }
}

type Outcome =
  | ReturnType<typeof decideReserve>["outcome"]
  | ReturnType<typeof decideSettle>["outcome"]
  | ReturnType<typeof decideCharge>["outcome"]
  | ReturnType<typeof decideRefund>["outcome"]
  | ReturnType<typeof decideBudget>["outcome"];
