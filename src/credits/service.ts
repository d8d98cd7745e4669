import type { Clock } from "../clock.ts";
import { notFound } from "../errors.ts";
import type { Ids } from "../ids.ts";
import { requireAdmin, type Caller } from "../keys/caller.ts";
import type { UserStore } from "../users/store.ts";
import type { CreditStore } from "./store.ts";

/** Credits of a user, as a ledger. */
export class CreditService {
  readonly #credits: CreditStore;
  readonly #users: UserStore;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(credits: CreditStore, users: UserStore, clock: Clock, ids: Ids) {
    this.#credits = credits;
    this.#users = users;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** For admins and global keys. Answers the new balance; NOT_FOUND for an unknown user. */
  async grant(caller: Caller, userId: string, amount: number, note: string | null): Promise<number> {
    requireAdmin(caller);
    if ((await this.#users.get(userId)) === null) throw notFound("user", userId);
    const now = this.#clock.now();
    return this.#credits.add({ id: this.#ids.next(now), userId, kind: "grant", amount, note, createdAt: now });
  }
}
