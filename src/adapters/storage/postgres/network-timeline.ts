import { and, eq, gt, isNotNull, lte } from "drizzle-orm";
import { windowMs } from "../../../features/network/account-model.ts";
import type { Meter } from "../../../features/network/meter-model.ts";
import { MemoryTimeline } from "../../../features/network/governor/plan.ts";
import type { Timeline } from "../../../features/network/governor/slot.ts";
import { meterOf } from "../meter-code.ts";
import type { Connection } from "./engine.ts";
import { networkActions } from "./network-tables.ts";
import { oneOf } from "./one-of.ts";
import { OutOfReach, type FactSource } from "./loaded.ts";

/** No window is longer, and no distance between two actions. */
const reachMs = windowMs.month;
/** Loaded beyond what is asked for, because searches continue from there. */
const marginMs = windowMs.week;

/** The moments taken from an account's meters within a range that grows as decisions ask beyond it. */
export class LoadedTimeline implements Timeline, FactSource {
  readonly #connection: Connection;
  readonly #account: number;
  readonly #onlyUsed: boolean;
  #moments = new MemoryTimeline();
  #from = 0;
  #to = 0;
  #missing: { from: number; to: number } | null = null;

  constructor(connection: Connection, account: number, { onlyUsed }: { onlyUsed: boolean }) {
    this.#connection = connection;
    this.#account = account;
    this.#onlyUsed = onlyUsed;
  }

  nthBefore(meter: Meter, at: number, n: number): number | null {
    this.#need(at - reachMs, at);
    return this.#moments.nthBefore(meter, at, n);
  }

  between(meter: Meter, from: number, to: number): readonly number[] {
    this.#need(from, to);
    return this.#moments.between(meter, from, to);
  }

  #need(from: number, to: number): void {
    if (from >= this.#from && to <= this.#to) return;
    const isFirst = this.#to === 0;
    const start = isFirst ? from : Math.min(from, this.#from);
    const end = isFirst ? to + marginMs : Math.max(to + marginMs, this.#to);
    this.#missing = { from: start, to: end };
    throw new OutOfReach();
  }

  async load(): Promise<boolean> {
    if (this.#missing === null) return false;
    const { from, to } = this.#missing;
    this.#missing = null;
    this.fill(await momentsOf(this.#connection, [this.#account], from, to, this.#onlyUsed), from, to);
    return true;
  }

  /** Sets the moments of a range, which must be all that there are. */
  fill(rows: readonly Moment[], from: number, to: number): void {
    this.#moments = new MemoryTimeline();
    for (const { meter, hasNote, at } of rows) {
      const uses: Meter[] = [meterOf(meter), ...(hasNote ? (["notes"] as const) : []), "all"];
      this.#moments.add(uses, at);
    }
    this.#from = from;
    this.#to = to;
  }
}

type Moment = { account: number; meter: number; hasNote: boolean; at: number };

/** What was carried out by these accounts as far back as caps reach, by account. */
export async function loadUsed(
  connection: Connection,
  accounts: readonly number[],
  now: number,
): Promise<Map<number, LoadedTimeline>> {
  const [from, to] = [now - reachMs, now + marginMs];
  const rows = accounts.length === 0 ? [] : await momentsOf(connection, accounts, from, to, true);
  const byAccount = Map.groupBy(rows, ({ account }) => account);
  return new Map(
    accounts.map((account) => {
      const timeline = new LoadedTimeline(connection, account, { onlyUsed: true });
      timeline.fill(byAccount.get(account) ?? [], from, to);
      return [account, timeline];
    }),
  );
}

async function momentsOf(
  connection: Connection,
  accounts: readonly number[],
  from: number,
  to: number,
  onlyUsed: boolean,
): Promise<Moment[]> {
  const { account, meter, hasNote, slotAt, used } = networkActions;
  const rows = await connection
    .select({ account, meter, hasNote, at: slotAt })
    .from(networkActions)
    .where(
      and(
        oneOf(account, accounts),
        isNotNull(slotAt),
        // A moment before the range may be as old as a window: it is the last one of it.
        gt(slotAt, from - 1),
        lte(slotAt, to),
        onlyUsed ? eq(used, 1) : undefined,
      ),
    )
    .orderBy(slotAt);
  return rows.map((row) => ({ ...row, at: row.at ?? 0 }));
}
