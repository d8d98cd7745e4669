import { and, eq, gte, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { StatisticsStore } from "../../../features/statistics/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { activityOf, sentMeters } from "../activity-rows.ts";
import { meterCode } from "../meter-code.ts";
import type { Engine } from "./engine.ts";
import { messages } from "./inbox-tables.ts";
import { networkAccounts, networkActions, networkContacts } from "./network-tables.ts";

/** Reads indexes only. */
export function createStatisticsStore({ orm }: Engine): StatisticsStore {
  const accountsOf = (workspaceId: WorkspaceId) =>
    orm.select({ seq: networkAccounts.seq }).from(networkAccounts).where(eq(networkAccounts.workspaceId, workspaceId));
  const n = sql<number>`count(*)`.as("n");

  return {
    async activity(workspaceId, bounds) {
      const within = (column: PgColumn) => and(gte(column, bounds[0]!), lt(column, bounds.at(-1)!));
      const { account, meter, used, slotAt } = networkActions;
      const { connectedAt } = networkContacts;
      const [sent, accepted, replied] = await Promise.all([
        orm
          .select({ part: intervalOf(slotAt, bounds), kind: meter, n })
          .from(networkActions)
          .where(
            and(
              inArray(account, accountsOf(workspaceId)),
              inArray(meter, sentMeters.map(meterCode)),
              eq(used, 1),
              isNotNull(slotAt),
              within(slotAt),
            ),
          )
          .groupBy(sql`part`, meter),
        orm
          .select({ part: intervalOf(connectedAt, bounds), n })
          .from(networkContacts)
          .where(
            and(
              inArray(networkContacts.account, accountsOf(workspaceId)),
              isNotNull(connectedAt),
              isNotNull(networkContacts.invitedAt),
              within(connectedAt),
            ),
          )
          .groupBy(sql`part`),
        orm
          .select({
            part: intervalOf(messages.at, bounds),
            n: sql<number>`count(DISTINCT ${messages.conversation})`.as("n"),
          })
          .from(messages)
          .where(and(eq(messages.workspaceId, workspaceId), eq(messages.state, "received"), within(messages.at)))
          .groupBy(sql`part`),
      ]);
      const named = (rows: { part: number; n: number }[], kind: string) => rows.map((row) => ({ ...row, kind }));
      return activityOf([...sent, ...named(accepted, "accepted"), ...named(replied, "replied")], bounds);
    },
  };
}

/** The number of the interval that a time is in: how many of the later bounds it has reached. */
function intervalOf(column: PgColumn, bounds: readonly number[]): SQL.Aliased<number> {
  const later = bounds.slice(1, -1);
  if (later.length === 0) return sql<number>`0`.as("part");
  const array = sql`ARRAY[${sql.join(
    later.map((bound) => sql`${bound}::bigint`),
    sql`, `,
  )}]`;
  return sql<number>`width_bucket(${column}, ${array})`.as("part");
}
