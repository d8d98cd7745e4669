import { and, eq, lte, sql } from "drizzle-orm";
import type { Connection } from "./engine.ts";
import { choreLeases } from "./event-tables.ts";

/** The right of one node to do a recurring chore. Each holder gets a higher epoch, which fences off earlier ones. */
export type Lease = { name: string; epoch: number };

/** Takes the lease of a chore if it is free or has expired; null if another holder has it. */
export async function takeLease(
  connection: Connection,
  { name, holder, now, until }: { name: string; holder: string; now: number; until: number },
): Promise<Lease | null> {
  const [taken] = await connection
    .insert(choreLeases)
    .values({ name, holder, until, epoch: 1 })
    .onConflictDoUpdate({
      target: choreLeases.name,
      set: { holder, until, epoch: sql`${choreLeases.epoch} + 1` },
      setWhere: lte(choreLeases.until, now),
    })
    .returning({ name: choreLeases.name, epoch: choreLeases.epoch });
  return taken ?? null;
}

/** Extends a lease, which may have expired as long as no other holder took it. False: another one did. */
export async function renewLease(connection: Connection, lease: Lease, until: number): Promise<boolean> {
  const rows = await connection
    .update(choreLeases)
    .set({ until })
    .where(isOurs(lease))
    .returning({ name: choreLeases.name });
  return rows.length > 0;
}

/** Lets the next holder take the lease immediately. */
export async function releaseLease(connection: Connection, lease: Lease): Promise<void> {
  await connection.update(choreLeases).set({ until: 0 }).where(isOurs(lease));
}

/**
 * For the transaction that does the chore, before it writes: whether the lease is still ours. If so, no other holder
 * takes it until the transaction ends.
 */
export async function fenceLease(connection: Connection, lease: Lease): Promise<boolean> {
  const rows = await connection.select({ name: choreLeases.name }).from(choreLeases).where(isOurs(lease)).for("share");
  return rows.length > 0;
}

function isOurs({ name, epoch }: Lease) {
  return and(eq(choreLeases.name, name), eq(choreLeases.epoch, epoch));
}
