import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import { denied, isAdmin, keyScopeOf, requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { KeyStore } from "../../platform/auth/key-store.ts";
import type { WorkspaceLookup } from "../../platform/auth/workspace-model.ts";
import type {
  ChargeCredits,
  ChargeOutcome,
  Exhausted,
  ReserveCredits,
  ReserveOutcome,
  SettleCredits,
  SettleOutcome,
} from "./change-model.ts";
import type {
  CreditBudget,
  CreditBudgetView,
  CreditPurpose,
  CreditsView,
  LedgerEntry,
  LedgerEntryView,
} from "./model.ts";
import type { CreditStore, LedgerPageRequest } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type CreditSettings = {
  /** Credits per item, by purpose. */
  costs: Readonly<Record<CreditPurpose, number>>;
  /** Credits granted at the start of each month; 0 disables the grant. */
  monthlyGrant: number;
  /** URL shown to users who run out of credits. */
  upgradeUrl: string;
  /** Whether other processes use the store, too. */
  sharesStore: boolean;
};

/** A request to spend credits. `request` is chosen by the caller; each one has at most one reservation or charge. */
export type CreditRequest = {
  request: string;
  purpose: CreditPurpose;
  amount: number;
  /** API key whose budget applies; null if no key is involved. */
  keyId: string | null;
  /** Job that does the work. The reservation survives restarts until the job has ended. */
  jobId?: string | null;
};

/** Longer than any request takes, so an older reservation is abandoned. */
const holdMs = 15 * 60_000;
/** Reservations released, or users granted credits, per batch. */
const batchSize = 100;

/** Credits of users, kept as a ledger. The balance is the sum of the entries and always equals what can be spent. */
export class CreditService {
  readonly #credits: CreditStore;
  readonly #workspaces: WorkspaceLookup;
  readonly #keys: KeyStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #settings: CreditSettings;
  /**
   * Reservations made before this time belong to a process that has exited, if only one process uses the store at a
   * time.
   */
  readonly #startedAt: number;

  constructor(
    credits: CreditStore,
    workspaces: WorkspaceLookup,
    keys: KeyStore,
    clock: Clock,
    ids: Ids,
    settings: CreditSettings,
  ) {
    this.#credits = credits;
    this.#workspaces = workspaces;
    this.#keys = keys;
    this.#clock = clock;
    this.#ids = ids;
    this.#settings = settings;
    this.#startedAt = clock.now();
  }

  costOf(purpose: CreditPurpose): number {
    return this.#settings.costs[purpose];
  }

  balance(workspaceId: WorkspaceId): Promise<number> {
    return this.#credits.balance(workspaceId);
  }

  /**
   * Reserves the maximum cost of some work before it starts. Settle the actual cost, then release the rest. Repeating
   * the same request returns the same reservation and takes nothing more; after a release, the amount is reserved
   * again.
   */
  reserve(workspaceId: WorkspaceId, request: CreditRequest): Promise<ReserveOutcome> {
    return this.#credits.reserve(this.reservation(workspaceId, request));
  }

  /** The store request behind `reserve`, for stores that reserve in the same transaction as other rows. */
  reservation(workspaceId: WorkspaceId, { jobId = null, ...request }: CreditRequest): ReserveCredits {
    const at = this.#clock.now();
    const [id, entryId] = [this.#ids.next(at), this.#ids.next(at)];
    return { ...request, id, entryId, workspaceId, jobId, heldUntil: at + holdMs, at };
  }

  /**
   * Charges items against a reservation. Each item of a request is charged once, however often this is called. With
   * `closes`, releases the rest. Returns "void" and charges nothing if the reservation was already released.
   */
  settle(
    reservationId: string,
    items: readonly { item: string; amount: number }[],
    { closes = false }: { closes?: boolean } = {},
  ): Promise<SettleOutcome> {
    return this.#credits.settle(this.settlement(reservationId, items, closes));
  }

  /** The store request behind `settle`, for stores that settle in the same transaction as other rows. */
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

  /** Releases the rest of a reservation. Safe to repeat. */
  async release(reservationId: string): Promise<void> {
    await this.settle(reservationId, [], { closes: true });
  }

  /** Reserves and settles in one step, for work that is already done: all or nothing, once per request. */
  charge(workspaceId: WorkspaceId, { amount, ...request }: CreditRequest): Promise<ChargeOutcome> {
    return this.#credits.charge({ ...this.chargeOf(workspaceId, request), amount });
  }

  /** The store request behind `charge`, for stores that charge in the same transaction as other rows. */
  chargeOf(
    workspaceId: WorkspaceId,
    { request, purpose, keyId }: Pick<CreditRequest, "request" | "purpose" | "keyId">,
  ): Omit<ChargeCredits, "amount"> {
    const at = this.#clock.now();
    return { request, purpose, keyId, entryId: this.#ids.next(at), workspaceId, at };
  }

  /** The error for an exhausted balance or budget: 402 ENRICHMENT_CREDITS_EXHAUSTED. */
  refusal({ by, remaining, required }: Exhausted): ApiError {
    const { upgradeUrl } = this.#settings;
    const source = by === "budget" ? "The monthly budget of this API key" : "Your balance";
    return new ApiError("ENRICHMENT_CREDITS_EXHAUSTED", {
      message: `${source} has ${remaining} credits left; this request needs ${required}. Ask an admin for more credits, or send a smaller request.`,
      details: { remaining, required, upgradeUrl, exhausted: by },
    });
  }

  async overview(caller: Caller, workspaceId: WorkspaceId): Promise<CreditsView> {
    const { costs, monthlyGrant } = this.#settings;
    const [balance, reserved, budget] = await Promise.all([
      this.#credits.balance(workspaceId),
      this.#credits.reserved(workspaceId),
      this.#credits.budget(caller.keyId, this.#clock.now()),
    ]);
    return { balance, reserved, monthlyGrant, costs, budget: budget && budgetView(budget) };
  }

  /** Newest first. */
  async ledger(request: LedgerPageRequest): Promise<{ entries: LedgerEntry[]; total: number }> {
    const [entries, total] = await Promise.all([this.#credits.page(request), this.#credits.countEntries(request)]);
    return { entries, total };
  }

  /** For admins and global keys. Returns the new balance. Throws NOT_FOUND for an unknown user. */
  async grant(caller: Caller, workspaceId: WorkspaceId, amount: number, note: string | null): Promise<number> {
    await this.#requireWorkspace(caller, workspaceId);
    return this.#credits.add(this.#entry(workspaceId, "grant", amount, note));
  }

  /** Like `grant`, with a positive or negative amount. Throws CONFLICT if the balance would fall below zero. */
  async adjust(caller: Caller, workspaceId: WorkspaceId, amount: number, note: string | null): Promise<number> {
    await this.#requireWorkspace(caller, workspaceId);
    if (amount === 0) throw invalid([{ path: "amount", message: "Must not be 0." }]);
    const outcome = await this.#credits.adjust(this.#entry(workspaceId, "adjust", amount, note));
    if (outcome.kind === "charged") return outcome.balance;
    throw new ApiError("CONFLICT", {
      message: `Cannot deduct ${outcome.required} credits: the balance is ${outcome.remaining}.`,
      details: { balance: outcome.remaining },
    });
  }

  /** Refunds the cost of an item. Throws NOT_FOUND if it was not charged, and CONFLICT if it was already refunded. */
  async refund(
    caller: Caller,
    workspaceId: WorkspaceId,
    { request, item, note }: { request: string; item: string; note: string | null },
  ): Promise<number> {
    await this.#requireWorkspace(caller, workspaceId);
    const at = this.#clock.now();
    const outcome = await this.#credits.refund({ entryId: this.#ids.next(at), workspaceId, request, item, note, at });
    if (outcome.kind === "refunded") return outcome.balance;
    if (outcome.kind === "absent") throw notFound("charge", `${request}/${item}`);
    throw new ApiError("CONFLICT", { message: "This charge has already been refunded." });
  }

  /**
   * Sets or, with null, removes the budget of a key. Throws NOT_FOUND for a key that the caller does not own (admins
   * can access every key in the team). Throws PERMISSION_DENIED if the caller is not an admin and exceeds the budget
   * set by an admin, or if a key with a budget does anything but lower its own.
   */
  async setBudget(caller: Caller, keyId: string, monthly: number | null): Promise<CreditBudgetView | null> {
    await this.#requireKey(caller, keyId);
    await this.#refuseBudgetIncrease(caller, keyId, monthly);
    const outcome = await this.#credits.setBudget(keyId, monthly, isAdmin(caller) ? "admin" : "owner");
    if (outcome.kind === "beyond")
      throw denied(
        caller,
        "*",
        `An admin limited this key to ${outcome.ceiling} credits per month. Ask an admin of your team to raise the limit.`,
        { ceiling: outcome.ceiling },
      );
    return this.#budgetOf(keyId);
  }

  async budget(caller: Caller, keyId: string): Promise<CreditBudgetView | null> {
    await this.#requireKey(caller, keyId);
    return this.#budgetOf(keyId);
  }

  /**
   * Makes this month's grant to every user who existed at the start of the month and has not received it. Returns the
   * number of grants. Safe to repeat at any time.
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
        users.map((workspaceId) => ({
          ...this.#entry(workspaceId, "grant", amount, `Monthly grant for ${month}`),
          request,
          item: "grant",
        })),
      );
      if (users.length < batchSize) return granted;
    }
  }

  /**
   * Releases abandoned reservations: of jobs that have ended, and, for work without a job, those held longer than any
   * request takes or, unless the store is shared, made by a previous process. Returns how many were released.
   */
  async releaseAbandoned(): Promise<number> {
    const now = this.#clock.now();
    const heldBefore = this.#settings.sharesStore ? now : Math.max(now, this.#startedAt + holdMs);
    let released = 0;
    for (;;) {
      const abandoned = await this.#credits.abandoned(heldBefore, batchSize);
      for (const id of abandoned) await this.release(id);
      released += abandoned.length;
      if (abandoned.length < batchSize) return released;
    }
  }

  #entry(workspaceId: WorkspaceId, kind: LedgerEntry["kind"], amount: number, note: string | null): LedgerEntry {
    const now = this.#clock.now();
    return { id: this.#ids.next(now), workspaceId, kind, amount, note, createdAt: now };
  }

  async #requireWorkspace(caller: Caller, workspaceId: WorkspaceId): Promise<void> {
    requireAdmin(caller);
    if ((await this.#workspaces.get(workspaceId)) === null) throw notFound("user", workspaceId);
  }

  /** Otherwise, a key with a budget could raise its own or spend through another key. */
  async #refuseBudgetIncrease(caller: Caller, keyId: string, monthly: number | null): Promise<void> {
    const own = caller.isLocal ? null : await this.#credits.budget(caller.keyId, this.#clock.now());
    if (own === null || (keyId === caller.keyId && monthly !== null && monthly <= own.monthly)) return;
    const message = `This API key has a budget of ${own.monthly} credits per month and can only lower its own budget. Use a key without a budget.`;
    throw denied(caller, "*", message, { budget: own.monthly });
  }

  async #requireKey(caller: Caller, keyId: string): Promise<void> {
    const scope = keyScopeOf(caller);
    const key = await this.#keys.get(scope, keyId);
    // Global keys belong to no user of the team, so only a caller without a user can limit them.
    if (key === null || (key.workspaceId === null && caller.workspaceId !== null)) throw notFound("key", keyId);
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
