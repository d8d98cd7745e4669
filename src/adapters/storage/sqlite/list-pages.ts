import { sql, type AnyColumn, type SQL } from "drizzle-orm";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { Engine } from "./engine.ts";

type Timed = { createdAt: AnyColumn; id: AnyColumn };

/** The items behind a place in a list that begins with the newest. */
export function olderThan({ createdAt, id }: Timed, place: TimePlace | null): SQL | undefined {
  return place === null ? undefined : sql`(${createdAt}, ${id}) < (${place.createdAt}, ${place.id})`;
}

/** The items behind a place in a list that begins with the oldest. */
export function newerThan({ createdAt, id }: Timed, place: TimePlace | null): SQL | undefined {
  return place === null ? undefined : sql`(${createdAt}, ${id}) > (${place.createdAt}, ${place.id})`;
}

/** Totals of logs are counted so far. */
export const countedUpTo = 10_000;

/** How many rows a SELECT gives, at most `countedUpTo`; in the reader thread. */
export async function countRows(
  { reader }: Pick<Engine, "reader">,
  query: { sql: string; params: unknown[] },
): Promise<number> {
  const limited = `SELECT count(*) AS n FROM (${query.sql} LIMIT ${countedUpTo})`;
  const [row] = await reader.all<{ n: number }>({ sql: limited, params: query.params });
  return row?.n ?? 0;
}
