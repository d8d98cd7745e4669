import { and, eq, lte, sql, type SQL } from "drizzle-orm";
import { rateWindows, type RateCounters, type Taken, type WindowLimit } from "../../../lib/rate-limit/rate-limiter.ts";
import { rateCounters } from "./cluster-tables.ts";
import type { Engine } from "./engine.ts";

const columns = {
  minute: { startedAt: rateCounters.minuteStartedAt, used: rateCounters.minuteUsed },
  hour: { startedAt: rateCounters.hourStartedAt, used: rateCounters.hourUsed },
  day: { startedAt: rateCounters.dayStartedAt, used: rateCounters.dayUsed },
};

/**
 * Counts all requests of all nodes exactly, by one statement for each. It does not wait for the disk: a crash of the
 * database may forget the requests of its last moments.
 */
export function createRateCounters({ orm }: Engine): RateCounters {
  async function take(subject: string, cost: number, limits: readonly WindowLimit[], now: number): Promise<Taken> {
    const counted = await orm.execute<Record<string, number>>(charge(subject, cost, limits, now));
    if (counted[0] !== undefined) return { isAllowed: true, counters: countersOf(counted[0], limits, now) };
    const [row] = await orm.select().from(rateCounters).where(eq(rateCounters.subject, subject));
    const refusing = Object.fromEntries(
      limits.flatMap(({ name }) => [
        [columns[name].startedAt.name, row?.[`${name}StartedAt`] ?? 0],
        [columns[name].used.name, row?.[`${name}Used`] ?? 0],
      ]),
    );
    return { isAllowed: false, counters: countersOf(refusing, limits, now) };
  }

  return {
    take,
    async flush(now) {
      await orm
        .delete(rateCounters)
        .where(and(...rateWindows.map(({ name, ms }) => lte(columns[name].startedAt, now - ms))));
    },
  };
}

/** Returns the counters after the request; no row if a window refuses it. */
function charge(subject: string, cost: number, limits: readonly WindowLimit[], now: number): SQL {
  const at = sql`${now}::bigint`;
  const price = sql`${cost}::bigint`;
  const windows = rateWindows.map(({ name }) => {
    const limit = limits.find((each) => each.name === name);
    const { startedAt, used } = columns[name];
    const isOver = sql`${startedAt} <= ${now - (limit?.ms ?? 0)}::bigint`;
    return { startedAt, used, limit, isOver };
  });
  const first = windows.map(({ limit }) => (limit === undefined ? sql`0, 0` : sql`${at}, ${price}`));
  const changes = windows
    .filter(({ limit }) => limit !== undefined)
    .flatMap(({ startedAt, used, isOver }) => [
      sql`${sql.identifier(startedAt.name)} = CASE WHEN ${isOver} THEN ${at} ELSE least(${startedAt}, ${at}) END`,
      sql`${sql.identifier(used.name)} = CASE WHEN ${isOver} THEN ${price} ELSE ${used} + ${price} END`,
    ]);
  const allowed = windows.flatMap(({ used, limit, isOver }) =>
    limit === undefined ? [] : [sql`(${isOver} OR ${used} + ${price} <= ${limit.quota}::bigint)`],
  );
  return sql`
    WITH unsynchronized AS (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO ${rateCounters} SELECT ${subject}, ${sql.join(first, sql`, `)} FROM unsynchronized
    ON CONFLICT (subject) DO UPDATE SET ${sql.join(changes, sql`, `)} WHERE ${sql.join(allowed, sql` AND `)}
    RETURNING *`;
}

/** By column. A window that is over counts as one that starts now. */
function countersOf(row: Record<string, number>, limits: readonly WindowLimit[], now: number): Taken["counters"] {
  return limits.map(({ name, ms }) => {
    const startedAt = row[columns[name].startedAt.name]!;
    if (startedAt + ms <= now) return { startedAt: now, used: 0 };
    return { startedAt: Math.min(startedAt, now), used: row[columns[name].used.name]! };
  });
}
