import type { Meter } from "../../../features/network/account-model.ts";
import type { Timeline } from "../../../features/network/governor/slot.ts";
import type { Engine } from "./engine.ts";
import { meterCode } from "../meter-code.ts";

type Range = (account: number, used: 0 | 1) => (string | number)[];

/** The moments taken from an account's meters, as the governor asks for them. */
export type Timelines = {
  /** What was carried out and what is planned. */
  whole(account: number): Timeline;
  /** What was carried out, or is under way. */
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

  function countPlanned(account: number, meter: Meter, from: number, to: number, most: number): number {
    const { queries, keys } = familyOf(meter);
    return queries.count.get(...keys(account, 0), from, to, most)?.n ?? 0;
  }

  function latest(account: number, meter: Meter, used: 0 | 1, at: number, most: number): number[] {
    const { queries, keys } = familyOf(meter);
    return queries.latest.all(...keys(account, used), at, most).map((row) => row.slot_at);
  }

  function wholeOf(account: number): Timeline {
    /** By meter, what was carried out last: most of what is asked for lies behind, and half of the look-ups are spared. */
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
        // As a rule what is planned lies behind all that was carried out; what is overdue does not.
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
 * Behind the last moment of all nothing changes any more. Most searches end there, at the end of the queue, and ask
 * the same over and over as they come to later days.
 */
function withTail(timeline: Timeline): Timeline {
  let last: number | null = null;
  const isBehindAll = (at: number): boolean => at >= (last ??= timeline.nthBefore("all", Infinity, 1) ?? -Infinity);
  const known = new Map<string, number | null>();
  return {
    nthBefore(meter, at, n) {
      if (!isBehindAll(at)) return timeline.nthBefore(meter, at, n);
      const key = `${meter} ${n}`;
      let moment = known.get(key);
      if (moment === undefined) known.set(key, (moment = timeline.nthBefore(meter, Infinity, n)));
      return moment;
    },
    between: (meter, from, to) => (isBehindAll(from) ? [] : timeline.between(meter, from, to)),
  };
}

function statements(database: Engine["database"], where: string) {
  type Moment = { slot_at: number };
  return {
    nthBefore: database.query<Moment, (string | number)[]>(
      `SELECT slot_at FROM network_actions WHERE ${where} AND slot_at <= +? ORDER BY slot_at DESC LIMIT 1 OFFSET +?`,
    ),
    latest: database.query<Moment, (string | number)[]>(
      `SELECT slot_at FROM network_actions WHERE ${where} AND slot_at <= +? ORDER BY slot_at DESC LIMIT +?`,
    ),
    between: database.query<Moment, (string | number)[]>(
      `SELECT slot_at FROM network_actions WHERE ${where} AND slot_at > +? AND slot_at <= +? ORDER BY slot_at`,
    ),
    count: database.query<{ n: number }, (string | number)[]>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM network_actions WHERE ${where} AND slot_at > +? AND slot_at <= +? LIMIT +?)`,
    ),
  };
}
