import { and, asc, count, desc, eq, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import type { ActionPlace } from "../../../features/network/action-model.ts";
import type { ActionFilter, ActionPage, ListedAction, NetworkStore } from "../../../features/network/store.ts";
import type { Engine } from "./engine.ts";
import { countRows } from "./list-pages.ts";
import type { AccountRows } from "./network-accounts.ts";
import type { ActionRows } from "./network-actions.ts";
import { networkAccounts, networkActions, waitsForSomebody } from "./network-tables.ts";
import { lazy } from "./prepared.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type Lists = Pick<NetworkStore, "page" | "countActions" | "tasks" | "countTasks">;

/** Lists of actions. */
export function createActionLists({ orm, reader }: Engine, accounts: AccountRows, actions: ActionRows): Lists {
  const accountsOf = (workspaceId: WorkspaceId): number[] =>
    orm
      .select({ seq: networkAccounts.seq })
      .from(networkAccounts)
      .where(eq(networkAccounts.workspaceId, workspaceId))
      .all()
      .map(({ seq }) => seq);

  async function page(request: ActionPage): Promise<ListedAction[]> {
    const { workspaceId, filter, limit, order } = request;
    const owned =
      filter.accountId === undefined ? accountsOf(workspaceId) : [accounts.ofUser(workspaceId, filter.accountId)?.seq];
    // One query per account, because only then can each read from the end of its index.
    const places = await Promise.all(
      owned.filter((account) => account !== undefined).map((account) => ordered(account, request)),
    );
    const sign = order === "soonest" ? 1 : -1;
    return places
      .flat()
      .toSorted((a, b) => sign * (a.at - b.at || a.seq - b.seq))
      .slice(0, limit)
      .map(({ seq }) => listed(seq))
      .filter((item) => item !== null);
  }

  async function ordered(account: number, { filter, limit, order, after }: ActionPage): Promise<ActionPlace[]> {
    const { seq, slotAt } = networkActions;
    const at = order === "newest" ? sql<number>`0` : slotAt;
    const direction = order === "soonest" ? asc : desc;
    const beyond = sql.raw(order === "soonest" ? ">" : "<");
    const query = orm
      .select({ at: sql<number>`${at}`.as("at"), seq })
      .from(networkActions)
      .where(
        and(
          // A lead has few actions, so its index is better: `+` disables the other one.
          filter.leadId === undefined
            ? eq(networkActions.account, account)
            : sql`+${networkActions.account} = ${account}`,
          isInOrder(order),
          after === null
            ? undefined
            : order === "newest"
              ? lt(seq, after.seq)
              : sql`(${at}, ${seq}) ${beyond} (${after.at}, ${after.seq})`,
          ...terms(filter),
        ),
      )
      .orderBy(...(order === "newest" ? [] : [direction(slotAt)]), direction(seq))
      .limit(limit);
    return reader.all<ActionPlace>(query.toSQL());
  }

  const bySeq = lazy(() =>
    orm
      .select()
      .from(networkActions)
      .where(eq(networkActions.seq, sql.placeholder("seq")))
      .prepare(),
  );
  function listed(seq: number): ListedAction | null {
    const row = bySeq().get({ seq });
    return row === undefined ? null : { seq, action: actions.actionOf(row) };
  }

  const isTask = (workspaceId: WorkspaceId) =>
    and(
      inArray(networkActions.account, accountsOf(workspaceId)),
      sql.raw(waitsForSomebody),
      sql`${networkActions.state} = 'awaiting'`,
      sql`${networkActions.pendingReason} = 'awaitingPerson'`,
    );

  return {
    page,
    async countActions({ workspaceId, filter, order }) {
      const owned =
        filter.accountId === undefined
          ? accountsOf(workspaceId)
          : [accounts.ofUser(workspaceId, filter.accountId)?.seq];
      const selected = owned.filter((account) => account !== undefined);
      if (selected.length === 0) return 0;
      const query = orm
        .select({ seq: networkActions.seq })
        .from(networkActions)
        .where(and(inArray(networkActions.account, selected), isInOrder(order), ...terms(filter)));
      return countRows({ reader }, query.toSQL());
    },
    tasks: async (workspaceId, limit, offset, after = null) =>
      orm
        .select()
        .from(networkActions)
        .where(
          and(
            isTask(workspaceId),
            after === null
              ? undefined
              : sql`(${networkActions.updatedAt}, ${networkActions.jobId}) > (${after.updatedAt}, ${after.jobId})`,
          ),
        )
        .orderBy(asc(networkActions.updatedAt), asc(networkActions.jobId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(actions.actionOf),
    countTasks: async (workspaceId) =>
      orm.select({ n: count() }).from(networkActions).where(isTask(workspaceId)).get()?.n ?? 0,
  };
}

/** Lists sorted by time exclude actions without a time. */
function isInOrder(order: ActionPage["order"]): SQL | undefined {
  const { used, slotAt } = networkActions;
  return order === "newest" ? undefined : and(eq(used, order === "soonest" ? 0 : 1), isNotNull(slotAt));
}

const waitingStates = new Set<string>(["awaitingApproval", "awaiting", "unknown"]);

function terms({ states, actionType, leadId, profileKey, campaignId }: ActionFilter): (SQL | undefined)[] {
  return [
    states === undefined ? undefined : inArray(networkActions.state, [...states]),
    states?.every((state) => waitingStates.has(state)) ? sql.raw(waitsForSomebody) : undefined,
    actionType === undefined ? undefined : eq(networkActions.actionType, actionType),
    leadId === undefined ? undefined : eq(networkActions.leadId, leadId),
    profileKey === undefined ? undefined : eq(networkActions.profileKey, profileKey),
    campaignId === undefined ? undefined : eq(networkActions.campaignId, campaignId),
  ];
}
