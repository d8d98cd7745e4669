import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import type { Ids } from "../../platform/base/ids.ts";
import { denied, isAdmin, requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { KeyStore } from "../../platform/auth/key-store.ts";
import type { UserLookup } from "../../platform/auth/user-model.ts";
import type {
  CreditBudget,
  CreditBudgetView,
  CreditPurpose,
  CreditsView,
  LedgerEntry,
  LedgerEntryView,
} from "./model.ts";
import type {
  ChargeCredits,
  ChargeOutcome,
  CreditStore,
  Exhausted,
  LedgerPageRequest,
  ReserveCredits,
  ReserveOutcome,
  SettleCredits,
  SettleOutcome,
} from "./store.ts";

export type CreditSettings = {
  /** Credits for each item of a kind. */
  costs: Readonly<Record<CreditPurpose, number>>;
  /** At the start of each month; 0 = none. */
  monthlyGrant: number;
  /** Where somebody who has run out is sent. */
  upgradeUrl: string;
};

/** Whose credits, by which key, for what. `request` is the caller's own name of it: one reservation or charge each. */
export type CreditRequest = {
  request: string;
  purpose: CreditPurpose;
  amount: number;
  /** Its budget counts; null where no key is behind it. */
  keyId: string | null;
  /** The job that will do the work, which keeps the reservation over a restart until it has ended. */
  jobId?: string | null;
};

/** No request takes so long; what is held longer has lost its owner. */
const holdMs = 15 * 60_000;
/** Reservations given back, or users granted to, in one go. */
const batchSize = 100;

/** Credits of users, as a ledger: the balance is the sum of the entries, and always what can be spent now. */
export class CreditService {
  readonly #credits: CreditStore;
  readonly #users: UserLookup;
  readonly #keys: KeyStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #settings: CreditSettings;
  /** One process at a time works on the data, so what was held before this moment was held by one that is gone. */
  readonly #startedAt: number;

  constructor(
    credits: CreditStore,
    users: UserLookup,
    keys: KeyStore,
    clock: Clock,
    ids: Ids,
    settings: CreditSettings,
  ) {
    this.#credits = credits;
    this.#users = users;
    this.#keys = keys;
    this.#clock = clock;
    this.#ids = ids;
    this.#settings = settings;
    this.#startedAt = clock.now();
  }

  costOf(purpose: CreditPurpose): number {
    return this.#settings.costs[purpose];
  }

  balance(userId: string): Promise<number> {
    return this.#credits.balance(userId);
  }

  /**
   * Takes out of the balance what a piece of work may cost at most, before it begins. Settle what it did cost, then
   * release the rest. Repeated with the same request, it answers the same reservation and takes nothing more; after a
   * release it takes the amount anew.
   */
  reserve(userId: string, request: CreditRequest): Promise<ReserveOutcome> {
    return this.#credits.reserve(this.reservation(userId, request));
  }

  /** What `reserve` asks the store for, for stores that reserve together with rows of their own. */
  reservation(userId: string, { jobId = null, ...request }: CreditRequest): ReserveCredits {
    const at = this.#clock.now();
    const [id, entryId] = [this.#ids.next(at), this.#ids.next(at)];
    return { ...request, id, entryId, userId, jobId, heldUntil: at + holdMs, at };
  }

  /**
   * Charges items out of a reservation: an item of a request is charged once, however often this is called. With
   * `closes`, all that is left goes back. Answers void, and charges nothing, when it was given back before.
   */
  settle(
    reservationId: string,
    items: readonly { item: string; amount: number }[],
    { closes = false }: { closes?: boolean } = {},
  ): Promise<SettleOutcome> {
    return this.#credits.settle(this.settlement(reservationId, items, closes));
  }

  /** What `settle` asks the store for, for stores that charge together with rows of their own. */
  settlement(
    reservationId: string,
    items: readonly { item: string; amount: number }[],
    closes: boolean,
  ): SettleCredits {
    const at = this.#clock.now();
    return {
      reservationId,
      items: items.map((item) => ({ ...item, entryId: this.#ids.next(at) })),
      releaseId: this.#ids.next(at),
      closes,
      at,
    };
  }

  /** Gives back what is left of a reservation; safe to repeat. */
  async release(reservationId: string): Promise<void> {
    await this.settle(reservationId, [], { closes: true });
  }

  /** Reserves and settles at once, for work that is done already: nothing or all of it, once a request. */
  charge(userId: string, { amount, ...request }: CreditRequest): Promise<ChargeOutcome> {
    return this.#credits.charge({ ...this.chargeOf(userId, request), amount });
  }

  /** What `charge` asks the store for, for stores that charge together with rows of their own. */
  chargeOf(
    userId: string,
    { request, purpose, keyId }: Pick<CreditRequest, "request" | "purpose" | "keyId">,
  ): Omit<ChargeCredits, "amount"> {
    const at = this.#clock.now();
    return { request, purpose, keyId, entryId: this.#ids.next(at), userId, at };
  }

  /** The refusal that a client gets for an exhausted balance or budget: 402 ENRICHMENT_CREDITS_EXHAUSTED. */
  refusal({ by, remaining, required }: Exhausted): ApiError {
    const { upgradeUrl } = this.#settings;
    const whose = by === "budget" ? "The monthly budget of this API key" : "Your balance";
    return new ApiError("ENRICHMENT_CREDITS_EXHAUSTED", {
      message: `${whose} has ${remaining} credits left; this needs ${required}. Ask an admin for more, or send less.`,
      details: { remaining, required, upgradeUrl, exhausted: by },
    });
  }

  async overview(caller: Caller, userId: string): Promise<CreditsView> {
    const { costs, monthlyGrant } = this.#settings;
    const [balance, reserved, budget] = await Promise.all([
      this.#credits.balance(userId),
      this.#credits.reserved(userId),
      this.#credits.budget(caller.keyId, this.#clock.now()),
    ]);
    return { balance, reserved, monthlyGrant, costs, budget: budget && budgetView(budget) };
  }

  /** Newest first. */
  async ledger(request: LedgerPageRequest): Promise<{ entries: LedgerEntry[]; total: number }> {
    const [entries, total] = await Promise.all([this.#credits.page(request), this.#credits.countEntries(request)]);
    return { entries, total };
  }

  /** For admins and global keys. Answers the new balance; NOT_FOUND for an unknown user. */
  async grant(caller: Caller, userId: string, amount: number, note: string | null): Promise<number> {
    await this.#requireUser(caller, userId);
    return this.#credits.add(this.#entry(userId, "grant", amount, note));
  }

  /** As `grant`, by a positive or negative amount. CONFLICT when the balance would fall below zero. */
  async adjust(caller: Caller, userId: string, amount: number, note: string | null): Promise<number> {
    await this.#requireUser(caller, userId);
    if (amount === 0) throw invalid([{ path: "amount", message: "Expected an amount other than 0." }]);
    const outcome = await this.#credits.adjust(this.#entry(userId, "adjust", amount, note));
    if (outcome.kind === "charged") return outcome.balance;
    throw new ApiError("CONFLICT", {
      message: `The balance is ${outcome.remaining}, so ${outcome.required} can't be taken from it.`,
      details: { balance: outcome.remaining },
    });
  }

  /** Gives back what an item of a request cost. NOT_FOUND when it cost nothing, CONFLICT the second time. */
  async refund(
    caller: Caller,
    userId: string,
    { request, item, note }: { request: string; item: string; note: string | null },
  ): Promise<number> {
    await this.#requireUser(caller, userId);
    const at = this.#clock.now();
    const outcome = await this.#credits.refund({ entryId: this.#ids.next(at), userId, request, item, note, at });
    if (outcome.kind === "refunded") return outcome.balance;
    if (outcome.kind === "absent") throw notFound("charge", `${request}/${item}`);
    throw new ApiError("CONFLICT", { message: "This charge was refunded before." });
  }

  /**
   * NOT_FOUND for a key that is not the caller's, nor, for an admin, of anybody in the team; PERMISSION_DENIED for more
   * than an admin has set, unless the caller is one, and for a key with a budget that sets anything but less for itself.
   * Null takes the budget away.
   */
  async setBudget(caller: Caller, keyId: string, monthly: number | null): Promise<CreditBudgetView | null> {
    await this.#requireKey(caller, keyId);
    await this.#refuseBudgetIncrease(caller, keyId, monthly);
    const outcome = await this.#credits.setBudget(keyId, monthly, isAdmin(caller) ? "admin" : "owner");
    if (outcome.kind === "beyond")
      throw denied(
        caller,
        "*",
        `An admin has set the budget of this key, so you can set at most ${outcome.ceiling} credits a month. Ask an admin of your team for more.`,
        { ceiling: outcome.ceiling },
      );
    return this.#budgetOf(keyId);
  }

  async budget(caller: Caller, keyId: string): Promise<CreditBudgetView | null> {
    await this.#requireKey(caller, keyId);
    return this.#budgetOf(keyId);
  }

  /**
   * The grant of this month, for everybody who was here when it began and has not got it; safe to repeat at any time.
   * Answers how many got it.
   */
  async grantMonth(): Promise<number> {
    const amount = this.#settings.monthlyGrant;
    if (amount === 0) return 0;
    const now = this.#clock.now();
    const month = isoTime(now).slice(0, 7);
    const request = `monthly-grant:${month}`;
    const monthStart = Date.parse(`${month}-01T00:00:00Z`);
    let granted = 0;
    for (;;) {
      const users = await this.#credits.usersWithout(request, monthStart, batchSize);
      granted += await this.#credits.addOnce(
        users.map((userId) => ({
          ...this.#entry(userId, "grant", amount, `Monthly grant of ${month}`),
          request,
          item: "grant",
        })),
      );
      if (users.length < batchSize) return granted;
    }
  }

  /**
   * Gives back what is held for work that nobody does any more: that of jobs which have ended, and without a job what a
   * process before this one held, or this one for longer than any request takes. Answers how many were given back.
   */
  async releaseAbandoned(): Promise<number> {
    const heldBefore = Math.max(this.#clock.now(), this.#startedAt + holdMs);
    let released = 0;
    for (;;) {
      const abandoned = await this.#credits.abandoned(heldBefore, batchSize);
      for (const id of abandoned) await this.release(id);
      released += abandoned.length;
      if (abandoned.length < batchSize) return released;
    }
  }

  #entry(userId: string, kind: LedgerEntry["kind"], amount: number, note: string | null): LedgerEntry {
    const now = this.#clock.now();
    return { id: this.#ids.next(now), userId, kind, amount, note, createdAt: now };
  }

  async #requireUser(caller: Caller, userId: string): Promise<void> {
    requireAdmin(caller);
    if ((await this.#users.get(userId)) === null) throw notFound("user", userId);
  }

  /** A key with a budget could otherwise lift it, or spend by way of another key. */
  async #refuseBudgetIncrease(caller: Caller, keyId: string, monthly: number | null): Promise<void> {
    const own = caller.isLocal ? null : await this.#credits.budget(caller.keyId, this.#clock.now());
    if (own === null || (keyId === caller.keyId && monthly !== null && monthly <= own.monthly)) return;
    const message = `This API key has a budget of ${own.monthly} credits a month, so it can only lower its own. Use a key without a budget.`;
    throw denied(caller, "*", message, { budget: own.monthly });
  }

  async #requireKey(caller: Caller, keyId: string): Promise<void> {
    const scope = isAdmin(caller) ? "all" : { userId: caller.userId ?? "" };
    const key = await this.#keys.get(scope, keyId);
    // A global key is no colleague's: only who has one may limit it.
    if (key === null || (key.userId === null && caller.userId !== null)) throw notFound("key", keyId);
  }

  async #budgetOf(keyId: string): Promise<CreditBudgetView | null> {
    const budget = await this.#credits.budget(keyId, this.#clock.now());
    return budget && budgetView(budget);
  }
}

function budgetView({ keyId, monthly, used }: CreditBudget): CreditBudgetView {
  return { keyId, monthly, used, remaining: Math.max(0, monthly - used) };
}

export function ledgerEntryView(entry: LedgerEntry): LedgerEntryView {
  const { id, kind, amount, purpose = null, request = null, item = null, keyId = null, note, createdAt } = entry;
  return { id, kind, amount, purpose, request, item, keyId, note, createdAt: isoTime(createdAt) };
}
