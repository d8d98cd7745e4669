import { inArray } from "drizzle-orm";
import type { Connection } from "./connection.ts";
import { workspaces } from "./tables.ts";

/** The numbers that large tables know users by. */
export async function ownersOf(connection: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await connection
    .select({ id: workspaces.id, seq: workspaces.seq })
    .from(workspaces)
    .where(inArray(workspaces.id, [...ids]));
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}
