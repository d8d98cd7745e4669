import { and, asc, count, desc, eq, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import { actionOf } from "../../../features/network/decisions/facts.ts";
import type { ActionFilter, ActionPage, NetworkStore } from "../../../features/network/store.ts";
import type { Engine } from "./engine.ts";
import { isTaskOf } from "./network-schedule.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Counts beyond this are not exact, as the port says. */
const mostCounted = 10_000;

/** Lists of actions. */
export function createActionLists({
  orm,
}: Engine): Pick<NetworkStore, "page" | "countActions" | "tasks" | "countTasks"> {
  const { seq, slotAt, updatedAt, jobId } = networkActions;
  const select = () =>
    orm
      .select({ row: networkActions, accountId: networkAccounts.id })
      .from(networkActions)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, networkActions.account));

  return {
    async page({ workspaceId, filter, limit, order, after }) {
      const direction = order === "soonest" ? asc : desc;
      const comparison = sql.raw(order === "soonest" ? ">" : "<");
      const isBehind =
        after === null
          ? undefined
          : order === "newest"
            ? lt(seq, after.seq)
            : sql`(${slotAt}, ${seq}) ${comparison} (${after.at}, ${after.seq})`;
      const rows = await select()
        .where(and(isListed(workspaceId, filter, order), isBehind))
        .orderBy(...(order === "newest" ? [] : [direction(slotAt)]), direction(seq))
        .limit(limit);
      return rows.map(({ row, accountId }) => ({ seq: row.seq, action: actionOf(row, accountId) }));
    },
    async countActions({ workspaceId, filter, order }) {
      const found = select()
        .where(isListed(workspaceId, filter, order))
        .limit(mostCounted)
        .as("found");
      const [row] = await orm.select({ n: count() }).from(found);
      return row?.n ?? 0;
    },
    async tasks(workspaceId, limit, offset, after = null) {
      const isBehind = after && sql`(${updatedAt}, ${jobId}) > (${after.updatedAt}, ${after.jobId})`;
      const rows = await select()
        .where(and(isTaskOf(orm, workspaceId), isBehind ?? undefined))
        .orderBy(asc(updatedAt), asc(jobId))
        .limit(limit)
        .offset(offset);
      return rows.map(({ row, accountId }) => actionOf(row, accountId));
    },
    async countTasks(workspaceId) {
      const [row] = await orm.select({ n: count() }).from(networkActions).where(isTaskOf(orm, workspaceId));
      return row?.n ?? 0;
    },
  };
}

function isListed(workspaceId: WorkspaceId, filter: ActionFilter, order: ActionPage["order"]): SQL | undefined {
  const { accountId, states, actionType, leadId, profileKey, campaignId } = filter;
  const { used, slotAt } = networkActions;
  return and(
    eq(networkAccounts.workspaceId, workspaceId),
    accountId === undefined ? undefined : eq(networkAccounts.id, accountId),
    // Orders by time leave out actions that have none.
    order === "newest" ? undefined : and(eq(used, order === "soonest" ? 0 : 1), isNotNull(slotAt)),
    states === undefined ? undefined : inArray(networkActions.state, [...states]),
    actionType === undefined ? undefined : eq(networkActions.actionType, actionType),
    leadId === undefined ? undefined : eq(networkActions.leadId, leadId),
    profileKey === undefined ? undefined : eq(networkActions.profileKey, profileKey),
    campaignId === undefined ? undefined : eq(networkActions.campaignId, campaignId),
  );
}
