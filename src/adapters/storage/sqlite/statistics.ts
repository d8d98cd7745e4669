import { and, count, eq, gte, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { StatisticsStore } from "../../../features/statistics/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { activityOf, sentMeters, type ActivityRow } from "../activity-rows.ts";
import { meterCode } from "../meter-code.ts";
import type { Engine } from "./engine.ts";
import { messages } from "./inbox-tables.ts";
import { networkAccounts, networkActions, networkContacts } from "./network-tables.ts";

/** Reads indexes only, in a reader thread: a year of a large workspace has hundreds of thousands of entries. */
export function createStatisticsStore({ orm, reader }: Engine): StatisticsStore {
  const accountsOf = (workspaceId: WorkspaceId) =>
    orm.select({ seq: networkAccounts.seq }).from(networkAccounts).where(eq(networkAccounts.workspaceId, workspaceId));

  return {
    async activity(workspaceId, bounds) {
      const within = (column: SQLiteColumn) => and(gte(column, bounds[0]!), lt(column, bounds.at(-1)!));
      const { account, meter, used, slotAt } = networkActions;
      const sent = orm
        .select({ part: intervalOf(slotAt, bounds), kind: sql<number>`${meter}`.as("kind"), n: count().as("n") })
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
        .groupBy(sql`part`, meter);
      const { connectedAt } = networkContacts;
      const accepted = orm
        .select({ part: intervalOf(connectedAt, bounds), kind: sql<string>`'accepted'`.as("kind"), n: count().as("n") })
        .from(networkContacts)
        .where(
          and(
            inArray(networkContacts.account, accountsOf(workspaceId)),
            isNotNull(connectedAt),
            isNotNull(networkContacts.invitedAt),
            within(connectedAt),
          ),
        )
        .groupBy(sql`part`);
      const replied = orm
        .select({
          part: intervalOf(messages.at, bounds),
          kind: sql<string>`'replied'`.as("kind"),
          n: sql<number>`count(DISTINCT ${messages.conversation})`.as("n"),
        })
        .from(messages)
        .where(and(eq(messages.workspaceId, workspaceId), sql`${messages.state} = 'received'`, within(messages.at)))
        .groupBy(sql`part`);
      const rows = await Promise.all([sent, accepted, replied].map((query) => reader.all<ActivityRow>(query.toSQL())));
      return activityOf(rows.flat(), bounds);
    },
  };
}

/** The number of the interval that a time is in: how many of the later bounds it has reached. */
function intervalOf(column: SQLiteColumn, bounds: readonly number[]): SQL.Aliased<number> {
  const reached = bounds.slice(1, -1).map((bound) => sql`(${column} >= ${bound})`);
  return sql<number>`(${sql.join([sql`0`, ...reached], sql` + `)})`.as("part");
}
