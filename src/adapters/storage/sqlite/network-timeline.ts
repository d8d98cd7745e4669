import type { Meter } from "../../../features/network/meter-model.ts";
import type { Timeline } from "../../../features/network/governor/slot.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";
import { meterCode } from "../meter-code.ts";

type Range = (account: number, used: 0 | 1) => (string | number)[];

/** When actions of an account were performed or are planned, for the governor. */
export type Timelines = {
  /** Performed and planned actions. */
  whole(account: number): Timeline;
  /** Performed actions and actions being sent. */
  used(account: number): Timeline;
};

export function createTimelines({ database }: Engine): Timelines {
  const families = {
    meter: statements(database, "account = +? AND meter = +? AND used = +? AND slot_at IS NOT NULL"),
    all: statements(database, "account = +? AND used = +? AND slot_at IS NOT NULL"),
    notes: statements(database, "account = +? AND used = +? AND has_note = 1 AND slot_at IS NOT NULL"),
  };
  function familyOf(meter: Meter): { queries: ReturnType<typeof statements>; keys: Range } {
    if (meter === "all" || meter === "notes")
      return { queries: families[meter], keys: (account, used) => [account, used] };
    const code = meterCode(meter);
    return { queries: families.meter, keys: (account, used) => [account, code, used] };
  }

  function nth(account: number, meter: Meter, used: 0 | 1, at: number, n: number): number | null {
    const { queries, keys } = familyOf(meter);
    const [row] = queries.nthBefore.values(...keys(account, used), at, n - 1) as [number][];
    return row?.[0] ?? null;
  }

  function between(account: number, meter: Meter, used: 0 | 1, from: number, to: number): number[] {
    const { queries, keys } = familyOf(meter);
    return (queries.between.values(...keys(account, used), from, to) as [number][]).flat();
  }

  function countPlanned(account: number, meter: Meter, from: number, to: number, limit: number): number {
    const { queries, keys } = familyOf(meter);
    return queries.count.get(...keys(account, 0), from, to, limit)?.n ?? 0;
  }

  function latest(account: number, meter: Meter, used: 0 | 1, at: number, limit: number): number[] {
    const { queries, keys } = familyOf(meter);
    return queries.latest.all(...keys(account, used), at, limit).map((row) => row.slot_at);
  }

  function wholeOf(account: number): Timeline {
    /** The last performed action by meter. Most requests are for later times, so this saves half of the queries. */
    const lastUses = new Map<Meter, number | null>();
    function lastUse(meter: Meter, at: number): number | null {
      let last = lastUses.get(meter);
      if (last === undefined) lastUses.set(meter, (last = nth(account, meter, 1, Infinity, 1)));
      return last === null || last <= at ? last : nth(account, meter, 1, at, 1);
    }
    return {
      nthBefore(meter, at, n) {
        const planned = nth(account, meter, 0, at, n);
        const lastUsed = lastUse(meter, at);
        if (lastUsed === null || (planned !== null && planned >= lastUsed)) return planned;
        // Planned actions are usually after all performed ones, but overdue actions are not.
        if (nth(account, meter, 0, lastUsed, 1) === null)
          return nth(account, meter, 1, at, n - countPlanned(account, meter, lastUsed, at, n));
        const both = ([0, 1] as const).flatMap((used) => latest(account, meter, used, at, n));
        return both.toSorted((a, b) => b - a)[n - 1] ?? null;
      },
      between(meter, from, to) {
        const lastUsed = lastUse(meter, to);
        const used = lastUsed === null || lastUsed <= from ? [] : between(account, meter, 1, from, to);
        const planned = between(account, meter, 0, from, to);
        if (used.length === 0 || planned.length === 0) return used.length === 0 ? planned : used;
        return [...used, ...planned].toSorted((a, b) => a - b);
      },
    };
  }

  return {
    whole: (account) => withTail(wholeOf(account)),
    used: (account) => ({
      nthBefore: (meter, at, n) => nth(account, meter, 1, at, n),
      between: (meter, from, to) => between(account, meter, 1, from, to),
    }),
  };
}

/**
 * After the last time in the timeline, results no longer change. Most searches end there, at the end of the queue, and
 * repeat the same requests for each later day, so the results are cached.
 */
function withTail(timeline: Timeline): Timeline {
  let last: number | null = null;
  const isAfterAll = (at: number): boolean => at >= (last ??= timeline.nthBefore("all", Infinity, 1) ?? -Infinity);
  const cache = new Map<string, number | null>();
  return {
    nthBefore(meter, at, n) {
      if (!isAfterAll(at)) return timeline.nthBefore(meter, at, n);
      const key = `${meter} ${n}`;
      let found = cache.get(key);
      if (found === undefined) cache.set(key, (found = timeline.nthBefore(meter, Infinity, n)));
      return found;
    },
    between: (meter, from, to) => (isAfterAll(from) ? [] : timeline.between(meter, from, to)),
  };
}

function statements(database: Engine["database"], where: string) {
  type SlotRow = { slot_at: number };
  return {
    nthBefore: prepared<SlotRow, (string | number)[]>(
      database,
      `SELECT slot_at FROM network_actions WHERE ${where} AND slot_at <= +? ORDER BY slot_at DESC LIMIT 1 OFFSET +?`,
    ),
    latest: prepared<SlotRow, (string | number)[]>(
      database,
      `SELECT slot_at FROM network_actions WHERE ${where} AND slot_at <= +? ORDER BY slot_at DESC LIMIT +?`,
    ),
    between: prepared<SlotRow, (string | number)[]>(
      database,
      `SELECT slot_at FROM network_actions WHERE ${where} AND slot_at > +? AND slot_at <= +? ORDER BY slot_at`,
    ),
    count: prepared<{ n: number }, (string | number)[]>(
      database,
      `SELECT count(*) AS n FROM (SELECT 1 FROM network_actions WHERE ${where} AND slot_at > +? AND slot_at <= +? LIMIT +?)`,
    ),
  };
}
