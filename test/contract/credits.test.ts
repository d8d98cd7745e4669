import { describe, expect, test } from "bun:test";
import type { ReserveCredits } from "../../src/features/credits/change-model.ts";
import type { LedgerPlace } from "../../src/features/credits/model.ts";
import type { LedgerPageRequest } from "../../src/features/credits/store.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

describe.each(enginesAndPostgres)("credits on $name", ({ open, isSingleWriter }) => {
  test("the balance of a user is the sum of that user's entries, and nothing without any", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const bob = (await make.storedUser(storage)).user.id;
    expect(await storage.credits.balance(ada)).toBe(0);
    expect(await storage.credits.add(make.grant(ada, { amount: 100 }))).toBe(100);
    expect(await storage.credits.add(make.grant(bob, { amount: 7, note: "for bob" }))).toBe(7);
    expect(await storage.credits.add(make.grant(ada, { amount: -30 }))).toBe(70);
    expect(await storage.credits.balance(ada)).toBe(70);
    expect(await storage.credits.balance(bob)).toBe(7);
    expect(await storage.credits.balance("nobody")).toBe(0);
  });

  test("entries that come at once are all counted, each answered with the balance behind it", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const dice = createDice(4);
    const ada = (await make.storedUser(storage)).user.id;
    const amounts = Array.from({ length: 50 }, () => dice.between(-20, 20));
    const balances = await Promise.all(amounts.map((amount) => storage.credits.add(make.grant(ada, { amount }))));
    let sum = 0;
    const inOrder = amounts.map((amount) => (sum += amount));
    if (isSingleWriter) expect(balances).toEqual(inOrder);
    // In some order: the balance in front of each entry is the one behind another, except for the first.
    const before = balances.map((balance, n) => balance - amounts[n]!);
    expect([...before, sum].toSorted((a, b) => a - b)).toEqual([0, ...balances].toSorted((a, b) => a - b));
    expect(await storage.credits.balance(ada)).toBe(sum);
  });

  test("an entry is counted once, however often it is added, and an entry for nobody is refused", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const entry = make.grant(ada);
    await storage.credits.add(entry);
    await expect(storage.credits.add(entry)).rejects.toThrow();
    await expect(storage.credits.add(make.grant("nobody"))).rejects.toThrow();
    expect(await storage.credits.balance(ada)).toBe(100);
    expect(await storage.credits.balance("nobody")).toBe(0);
  });

  test("an added entry is there after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const ada = (await make.storedUser(opened.storage)).user.id;
    await opened.storage.credits.add(make.grant(ada, { amount: 12 }));
    const storage = await opened.reopen();
    expect(await storage.credits.balance(ada)).toBe(12);
  });

  test("an adjustment goes down to zero and no further", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    await storage.credits.add(make.grant(ada, { amount: 10 }));
    const adjust = (amount: number) => storage.credits.adjust(make.grant(ada, { kind: "adjust", amount }));
    expect(await adjust(-10)).toEqual({ kind: "charged", balance: 0 });
    expect(await adjust(-1)).toEqual({ kind: "exhausted", by: "balance", remaining: 0, required: 1 });
    expect(await adjust(5)).toEqual({ kind: "charged", balance: 5 });
  });

  test("what is named by request and item is added once", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const bob = (await make.storedUser(storage)).user.id;
    const monthly = (workspaceId: string, request: string) =>
      make.grant(workspaceId, { request, item: "grant", amount: 3 });
    expect(await storage.credits.usersWithout("monthly:1", startOfTests, 10)).toEqual([]);
    expect((await storage.credits.usersWithout("monthly:1", startOfTests + 1, 10)).toSorted()).toEqual(
      [ada, bob].toSorted(),
    );
    expect(await storage.credits.usersWithout("monthly:1", startOfTests + 1, 1)).toHaveLength(1);
    expect(await storage.credits.addOnce([monthly(ada, "monthly:1"), monthly(ada, "monthly:1")])).toBe(1);
    expect(await storage.credits.usersWithout("monthly:1", startOfTests + 1, 10)).toEqual([bob]);
    expect(await storage.credits.addOnce([monthly(ada, "monthly:1"), monthly(bob, "monthly:1")])).toBe(1);
    expect(await storage.credits.addOnce([monthly(ada, "monthly:2")])).toBe(1);
    expect(await storage.credits.balance(ada)).toBe(6);
  });

  test("the ledger is read newest first, in pages that meet each entry once, and by kind and time", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const ada = (await make.storedUser(storage)).user.id;
    const bob = (await make.storedUser(storage)).user.id;
    await storage.credits.add(make.grant(bob));
    const entries = Array.from({ length: 7 }, (_, n) =>
      make.grant(ada, {
        amount: n + 1,
        createdAt: startOfTests + Math.floor(n / 2),
        kind: n % 3 === 0 ? "adjust" : "grant",
      }),
    );
    for (const entry of entries) await storage.credits.add(entry);
    const all = { workspaceId: ada, kind: null, createdFrom: null, createdTo: null, limit: 100, after: null };
    const newestFirst = entries.toReversed().map(({ id }) => id);
    const idsOf = async (request: Partial<LedgerPageRequest>) =>
      (await storage.credits.page({ ...all, ...request })).map(({ id }) => id);
    expect(await idsOf({})).toEqual(newestFirst);
    const met: string[] = [];
    for (let after: LedgerPlace | null = null; ;) {
      const page = await storage.credits.page({ ...all, limit: 3, after });
      met.push(...page.map(({ id }) => id));
      if (page.length < 3) break;
      after = page.at(-1)!;
    }
    expect(met).toEqual(newestFirst);
    expect(await idsOf({ kind: "adjust" })).toEqual([6, 3, 0].map((n) => entries[n]!.id));
    expect(await idsOf({ createdFrom: startOfTests + 1, createdTo: startOfTests + 2 })).toEqual(
      [5, 4, 3, 2].map((n) => entries[n]!.id),
    );
  });
});

describe.each(enginesAndPostgres)("reserved credits on $name", ({ open }) => {
  test("are out of the balance at once, are charged item by item, and what is left comes back", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { workspaceId, reserve, settle, balance } = await arrange(storage, 100);
    const outcome = await reserve(50);
    expect(outcome).toEqual({ kind: "reserved", id: expect.any(String), balance: 50 });
    const { id } = outcome as { id: string };
    expect(await storage.credits.reserved(workspaceId)).toBe(50);
    expect(await settle(id, { "0": 1, "1": 1 })).toEqual({ kind: "settled", charged: 2, balance: 50 });
    expect(await storage.credits.reserved(workspaceId)).toBe(48);
    expect(await settle(id, { "2": 3 }, true)).toEqual({ kind: "settled", charged: 3, balance: 95 });
    expect(await balance()).toBe(95);
    expect(await storage.credits.reserved(workspaceId)).toBe(0);
  });

  test("an item is charged once, however often it is settled", async () => {
    await using opened = await open();
    const { reserved, settle, balance } = await arrange(opened.storage, 100);
    const id = await reserved(10);
    await settle(id, { "0": 2 });
    expect(await settle(id, { "0": 2, "1": 2 })).toEqual({ kind: "settled", charged: 2, balance: 90 });
    await settle(id, { "1": 2 }, true);
    expect(await balance()).toBe(96);
  });

  test("nothing is charged once they were given back, and giving back twice gives nothing more", async () => {
    await using opened = await open();
    const { reserved, settle, balance } = await arrange(opened.storage, 100);
    const id = await reserved(10);
    await settle(id, {}, true);
    expect(await settle(id, {}, true)).toEqual({ kind: "void" });
    expect(await settle(id, { "0": 1 })).toEqual({ kind: "void" });
    expect(await settle("nothing", { "0": 1 })).toEqual({ kind: "void" });
    expect(await balance()).toBe(100);
  });

  test("more than is held can't be settled", async () => {
    await using opened = await open();
    const { reserved, settle, balance } = await arrange(opened.storage, 100);
    const id = await reserved(1);
    await expect(settle(id, { "0": 1, "1": 1 })).rejects.toThrow("Expected to settle at most the 1 credits");
    expect(await balance()).toBe(99);
    expect(await settle(id, { "0": 1 })).toMatchObject({ charged: 1 });
  });

  test("the same request has one reservation, which holds anew after it was given back", async () => {
    await using opened = await open();
    const { reserve, reserved, settle, balance } = await arrange(opened.storage, 100);
    const id = await reserved(10, { request: "job-1" });
    expect(await reserve(10, { request: "job-1" })).toEqual({ kind: "reserved", id, balance: 90 });
    await settle(id, { "0": 1 }, true);
    expect(await reserve(9, { request: "job-1" })).toEqual({ kind: "reserved", id, balance: 90 });
    // What was charged under the first hold is not charged again.
    expect(await settle(id, { "0": 1, "1": 1 }, true)).toMatchObject({ charged: 1 });
    expect(await balance()).toBe(98);
  });

  test("exhausted says what there is and what it takes, and changes nothing", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { workspaceId, reserve, balance } = await arrange(storage, 5);
    const exhausted = { kind: "exhausted", by: "balance", remaining: 5, required: 6 } as const;
    expect(await reserve(6)).toEqual(exhausted);
    expect(await balance()).toBe(5);
    expect(await storage.credits.reserved(workspaceId)).toBe(0);
    expect(await reserve(5)).toMatchObject({ kind: "reserved", balance: 0 });
  });

  test("a charge takes all of it or nothing, once a request", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, balance } = await arrange(storage, 30);
    const charge = (amount: number, request: string) =>
      storage.credits.charge(make.charge(workspaceId, { amount, request }));
    expect(await charge(25, "page-1")).toEqual({ kind: "charged", balance: 5 });
    expect(await charge(25, "page-1")).toEqual({ kind: "charged", balance: 5 });
    expect(await charge(6, "page-2")).toEqual({ kind: "exhausted", by: "balance", remaining: 5, required: 6 });
    expect(await charge(0, "page-3")).toEqual({ kind: "charged", balance: 5 });
    expect(await balance()).toBe(5);
  });

  test("64 that race for the last 100 get exactly 100", async () => {
    await using opened = await open();
    const { reserve, settle, balance } = await arrange(opened.storage, 100);
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, async (_, n) => {
        const outcome = await reserve(3);
        if (outcome.kind === "exhausted") return 0;
        const settled = await settle(outcome.id, { a: 1, b: n % 2 }, true);
        return settled.kind === "settled" ? settled.charged : 0;
      }),
    );
    const spent = outcomes.reduce((sum, charged) => sum + charged, 0);
    expect(await balance()).toBe(100 - spent);
    const rest = await Promise.all(Array.from({ length: 200 }, () => reserve(1)));
    expect(rest.filter(({ kind }) => kind === "reserved")).toHaveLength(100 - spent);
    expect(await balance()).toBe(0);
  });

  test("an item's charge is given back once", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, reserved, settle } = await arrange(storage, 10);
    await settle(await reserved(5, { request: "r" }), { "0": 2 }, true);
    const refund = (item: string, of = workspaceId) =>
      storage.credits.refund({
        entryId: make.ids.next(startOfTests),
        workspaceId: of,
        request: "r",
        item,
        note: null,
        at: startOfTests,
      });
    expect(await refund("1")).toEqual({ kind: "absent" });
    expect(await refund("0", "somebody else")).toEqual({ kind: "absent" });
    expect(await refund("0")).toEqual({ kind: "refunded", balance: 10 });
    expect(await refund("0")).toEqual({ kind: "refundedBefore" });
  });

  test("abandoned are those held too long, and those of jobs that have ended or are gone", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, reserved, settle } = await arrange(storage, 100);
    const old = await reserved(1, { heldUntil: startOfTests + 1 });
    await reserved(1, { heldUntil: startOfTests + 2 });
    const running = await make.storedJob(storage, workspaceId, {
      status: "running",
      leaseUntil: startOfTests + 60_000,
    });
    const failed = await make.storedJob(storage, workspaceId, { status: "failed" });
    await reserved(1, { heldUntil: startOfTests, jobId: running.id });
    const ofFailed = await reserved(1, { heldUntil: startOfTests + 99, jobId: failed.id });
    const ofNone = await reserved(1, { heldUntil: startOfTests + 99, jobId: "gone" });
    const closed = await reserved(1, { heldUntil: startOfTests });
    await settle(closed, {}, true);
    const found = await storage.credits.abandoned(startOfTests + 2, 10);
    expect(found.toSorted()).toEqual([old, ofFailed, ofNone].toSorted());
    expect(await storage.credits.abandoned(startOfTests + 2, 1)).toHaveLength(1);
  });

  test("the balance is the sum of the ledger after any course of events, and never below zero", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, reserve, settle, balance } = await arrange(storage, 200);
    const dice = createDice(11);
    const unclosed: string[] = [];
    for (let step = 0; step < 400; step++) {
      const [id] = unclosed;
      if (id === undefined || dice.chance(0.5)) {
        const outcome = await reserve(dice.between(0, 30));
        if (outcome.kind === "reserved") unclosed.unshift(outcome.id);
      } else if (dice.chance(0.7))
        await settle(id, { [`${dice.below(3)}`]: 1 }, dice.chance(0.3)).catch(() => undefined);
      else unclosed.shift();
      if (dice.chance(0.1)) await storage.credits.charge(make.charge(workspaceId, { amount: dice.between(0, 20) }));
      expect(await balance()).toBeGreaterThanOrEqual(0);
    }
    const entries = await storage.credits.page({
      workspaceId,
      kind: null,
      createdFrom: null,
      createdTo: null,
      limit: 10_000,
      after: null,
    });
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(await balance());
  });
});

describe.each(enginesAndPostgres)("credits that keys spend on $name", ({ open }) => {
  test("a budget of a key bounds what it takes in a month, whatever the balance", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, reserve, reserved, settle } = await arrange(storage, 1000);
    const key = make.key(workspaceId);
    await storage.keys.insert(key);
    const keyId = key.id;
    expect(await storage.credits.budget(keyId, startOfTests)).toBeNull();
    await settle(await reserved(4, { keyId }), { "0": 4 }, true);
    await storage.credits.setBudget(keyId, 10, "owner");
    expect(await storage.credits.budget(keyId, startOfTests)).toEqual({ keyId, monthly: 10, used: 4 });
    expect(await reserve(7, { keyId })).toEqual({ kind: "exhausted", by: "budget", remaining: 6, required: 7 });
    expect(await reserve(7)).toMatchObject({ kind: "reserved" });
    const id = await reserved(6, { keyId });
    expect(await reserve(1, { keyId })).toMatchObject({ by: "budget", remaining: 0 });
    await settle(id, { "0": 1 }, true);
    expect(await storage.credits.budget(keyId, startOfTests)).toMatchObject({ used: 5 });
    const nextMonth = startOfTests + 31 * 86_400_000;
    expect(await storage.credits.budget(keyId, nextMonth)).toMatchObject({ used: 0 });
    expect(await reserve(10, { keyId, at: nextMonth })).toMatchObject({ kind: "reserved" });
    await storage.credits.setBudget(keyId, null, "owner");
    expect(await reserve(100, { keyId })).toMatchObject({ kind: "reserved" });
    await expect(storage.credits.setBudget("nothing", 5, "owner")).rejects.toThrow();
  });

  test("survive the process: the ledger, what is held and what a key took", async () => {
    await using opened = await open();
    const { make, workspaceId, reserved } = await arrange(opened.storage, 100);
    const key = make.key(workspaceId);
    await opened.storage.keys.insert(key);
    await opened.storage.credits.setBudget(key.id, 50, "owner");
    const id = await reserved(10, { keyId: key.id });
    const storage = await opened.reopen();
    expect(await storage.credits.balance(workspaceId)).toBe(90);
    expect(await storage.credits.reserved(workspaceId)).toBe(10);
    expect(await storage.credits.budget(key.id, startOfTests)).toMatchObject({ monthly: 50, used: 10 });
    expect(await storage.credits.settle(make.settlement(id, { "0": 4 }, { closes: true }))).toMatchObject({
      balance: 96,
    });
  });
});

async function arrange(storage: Storage, credits: number) {
  const make = createFactories();
  const workspaceId = (await make.storedUser(storage)).user.id;
  if (credits > 0) await storage.credits.add(make.grant(workspaceId, { amount: credits }));
  const reserve = (amount: number, overrides: Partial<ReserveCredits> = {}) =>
    storage.credits.reserve(make.reservation(workspaceId, { amount, ...overrides }));
  const reserved = async (amount: number, overrides: Partial<ReserveCredits> = {}): Promise<string> => {
    const outcome = await reserve(amount, overrides);
    if (outcome.kind !== "reserved") throw new Error(`Expected a reservation, got ${JSON.stringify(outcome)}`);
    return outcome.id;
  };
  const settle = (reservationId: string, items: Record<string, number>, closes = false) =>
    storage.credits.settle(make.settlement(reservationId, items, { closes }));
  const balance = () => storage.credits.balance(workspaceId);
  return { make, workspaceId, reserve, reserved, settle, balance };
}
