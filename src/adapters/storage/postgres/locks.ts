import { sql } from "drizzle-orm";
import { inOrder, type Lock } from "../../../platform/base/lock.ts";
import type { Connection } from "./engine.ts";

/** Takes advisory locks, which the transaction holds until it ends. Before anything that they protect is read. */
export async function takeLocks(connection: Connection, locks: readonly Lock[]): Promise<void> {
  const rows = inOrder(locks).map(({ key, isShared }) => ({ key: `${lockNumber(key)}`, shared: isShared }));
  // One statement, which takes them one after the other, in this order.
  await connection
    .select({
      taken: sql`CASE WHEN shared THEN pg_advisory_xact_lock_shared(key) ELSE pg_advisory_xact_lock(key) END`,
    })
    .from(sql`json_to_recordset(${JSON.stringify(rows)}::json) AS lock (key bigint, shared boolean)`);
}

/** Two names with one number only wait for each other. */
export function lockNumber(key: string): bigint {
  return BigInt.asIntN(64, Bun.hash.xxHash64(key));
}
