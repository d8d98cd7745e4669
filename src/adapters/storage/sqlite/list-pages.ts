import { sql, type AnyColumn, type SQL } from "drizzle-orm";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { Engine } from "./engine.ts";

type Timed = { createdAt: AnyColumn; id: AnyColumn };

/** Items after a place in a list that is sorted newest first. */
export function olderThan({ createdAt, id }: Timed, place: TimePlace | null): SQL | undefined {
  return place === null ? undefined : sql`(${createdAt}, ${id}) < (${place.createdAt}, ${place.id})`;
}

/** Items after a place in a list that is sorted oldest first. */
export function newerThan({ createdAt, id }: Timed, place: TimePlace | null): SQL | undefined {
  return place === null ? undefined : sql`(${createdAt}, ${id}) > (${place.createdAt}, ${place.id})`;
}

/** Totals of logs are counted up to this number. */
export const countedUpTo = 10_000;

/** Number of rows of a SELECT, at most `countedUpTo`. Runs in the reader thread. */
export async function countRows(
  { reader }: Pick<Engine, "reader">,
  query: { sql: string; params: unknown[] },
): Promise<number> {
  const limited = `SELECT count(*) AS n FROM (${query.sql} LIMIT ${countedUpTo})`;
  const [row] = await reader.all<{ n: number }>({ sql: limited, params: query.params });
  return row?.n ?? 0;
}
