import { count, sql, type AnyColumn, type SQL } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { Connection } from "./engine.ts";

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
const countedUpTo = 10_000;

/** Number of rows of a dynamic SELECT, at most `countedUpTo`. */
export async function countRows(connection: Connection, query: PgSelect): Promise<number> {
  const [row] = await connection.select({ n: count() }).from(query.limit(countedUpTo).as("counted"));
  return row?.n ?? 0;
}
