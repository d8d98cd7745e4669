import { and, eq, isNull, sql } from "drizzle-orm";
import type { Suppression } from "../../../features/suppression/model.ts";
import type { AddSuppressionOutcome, SuppressionStore } from "../../../features/suppression/store.ts";
import type { Connection, Engine } from "./engine.ts";
import { ownersOf } from "./event-rows.ts";
import { findSuppressions, lockSuppressions } from "./suppression-rows.ts";
import { suppressions } from "./tables.ts";

type SliceOfSuppressions = Pick<SuppressionStore, "add" | "matches">;

/** The do-not-contact list. */
export function createSuppressionStore({ orm, transact, phoneRegion }: Engine): SliceOfSuppressions {
  return {
    add: (entries) =>
      transact(async (connection) => {
        await lockSuppressions(
          connection,
          entries.map(({ userId }) => userId),
          "exclusive",
        );
        const outcomes: AddSuppressionOutcome[] = [];
        for (const entry of entries) outcomes.push(await add(connection, entry));
        return outcomes;
      }),
    matches: (userId, target) => findSuppressions(orm, phoneRegion, userId, target),
  };
}

async function add(connection: Connection, entry: Suppression): Promise<AddSuppressionOutcome> {
  const { id, userId, kind, key, value, reason, source, createdAt } = entry;
  const owner = userId === null ? null : (await ownersOf(connection, [userId])).get(userId);
  if (owner === undefined) throw new Error(`User ${userId} does not exist`);
  const isTwin = and(
    eq(suppressions.key, key),
    owner === null ? isNull(suppressions.owner) : eq(suppressions.owner, owner),
  );
  const [existing] = await connection.select({ id: suppressions.id }).from(suppressions).where(isTwin);
  if (existing === undefined) {
    await connection.insert(suppressions).values({ id, owner, kind, key, value, reason, source, createdAt });
    return { outcome: "added", id };
  }
  // Only the hash of an entry is kept once somebody asks for that.
  const isForgotten = sql`${suppressions.value} IS NOT NULL`;
  if (value === null)
    await connection
      .update(suppressions)
      .set({ value: null, reason: null })
      .where(and(eq(suppressions.id, existing.id), isForgotten));
  return { outcome: "existing", id: existing.id };
}
