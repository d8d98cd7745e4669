import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, lte, notExists, or, sql } from "drizzle-orm";
import { decideAdjustment, decideBudget, decideRefund, monthOf } from "../../../features/credits/decisions.ts";
import type { CreditStore, LedgerFilter, LedgerPageRequest } from "../../../features/credits/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { endedStatuses } from "../../../platform/jobs/model.ts";
import {
  addEntries,
  addEntriesOnce,
  changeCredits,
  chargeCredits,
  readBalance,
  readLimit,
  readUsed,
  reserveCredits,
  settleCredits,
} from "./credit-rows.ts";
import { creditLedger, creditReservations } from "./credit-tables.ts";
import type { Engine } from "./engine.ts";
import { countRows, olderThan } from "./list-pages.ts";
import { takeLocks } from "./locks.ts";
import { jobs, workspaces } from "./tables.ts";

export function createCreditStore({ orm, transact }: Engine): CreditStore {
  async function page({ limit, after, ...filter }: LedgerPageRequest) {
    return orm
      .select()
      .from(creditLedger)
      .where(and(entriesOf(filter), olderThan(creditLedger, after)))
      .orderBy(desc(creditLedger.createdAt), desc(creditLedger.id))
      .limit(limit);
  }

  const countEntries = (filter: LedgerFilter): Promise<number> =>
    countRows(orm, orm.select({ id: creditLedger.id }).from(creditLedger).where(entriesOf(filter)).$dynamic());

  async function usersWithout(request: string, createdBefore: number, limit: number): Promise<string[]> {
    const granted = orm
      .select({ id: creditLedger.id })
      .from(creditLedger)
      .where(
        and(
          eq(creditLedger.workspaceId, workspaces.id),
          eq(creditLedger.request, request),
          isNotNull(creditLedger.item),
        ),
      );
    const rows = await orm
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(and(lt(workspaces.createdAt, createdBefore), notExists(granted)))
      .limit(limit);
    return rows.map(({ id }) => id);
  }

  async function reserved(workspaceId: WorkspaceId): Promise<number> {
    const [row] = await orm
      .select({ held: sql<number>`coalesce(sum(${creditReservations.held}), 0)::bigint` })
      .from(creditReservations)
      .where(and(eq(creditReservations.workspaceId, workspaceId), isNotNull(creditReservations.heldUntil)));
    return row?.held ?? 0;
  }

  async function abandoned(heldBefore: number, limit: number): Promise<string[]> {
    const { id, jobId, heldUntil } = creditReservations;
    const isRunning = and(eq(jobs.id, jobId), sql`NOT ${inArray(jobs.status, endedStatuses)}`);
    const running = orm.select({ id: jobs.id }).from(jobs).where(isRunning);
    const isOver = or(and(isNull(jobId), lt(heldUntil, heldBefore)), and(isNotNull(jobId), notExists(running)));
    const rows = await orm
      .select({ id })
      .from(creditReservations)
      .where(and(isNotNull(heldUntil), isOver))
      .limit(limit);
    return rows.map((row) => row.id);
  }

  return {
    add: (entry) =>
      transact(async (connection) => {
        await addEntries(connection, [entry]);
        return readBalance(connection, entry.workspaceId);
      }),
    adjust: (entry) => transact((connection) => changeCredits(connection, (facts) => decideAdjustment(entry, facts))),
    addOnce: (entries) => transact((connection) => addEntriesOnce(connection, entries)),
    usersWithout,
    balance: (workspaceId) => readBalance(orm, workspaceId),
    reserved,
    page,
    countEntries,
    reserve: (request) => transact((connection) => reserveCredits(connection, request)),
    settle: (request) => transact((connection) => settleCredits(connection, request)),
    charge: (request) => transact((connection) => chargeCredits(connection, request)),
    refund: (request) => transact((connection) => changeCredits(connection, (facts) => decideRefund(request, facts))),
    abandoned,
    setBudget: (keyId, monthly, by) =>
      transact(async (connection) => {
        // A first budget has no row to lock.
        await takeLocks(connection, [{ key: `budget of ${keyId}`, isShared: false }]);
        return changeCredits(connection, (facts) => decideBudget({ keyId, monthly, by }, facts));
      }),
    budget: async (keyId, at) => {
      const limit = await readLimit(orm, keyId);
      return limit && { keyId, monthly: limit.monthly, used: await readUsed(orm, keyId, monthOf(at)) };
    },
  };
}

function entriesOf({ workspaceId, kind, createdFrom, createdTo }: LedgerFilter) {
  return and(
    eq(creditLedger.workspaceId, workspaceId),
    kind === null ? undefined : eq(creditLedger.kind, kind),
    createdFrom === null ? undefined : gte(creditLedger.createdAt, createdFrom),
    createdTo === null ? undefined : lte(creditLedger.createdAt, createdTo),
  );
}
