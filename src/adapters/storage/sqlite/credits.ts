import { and, desc, eq, gte, inArray, isNotNull, lt, lte, notExists, sql } from "drizzle-orm";
import { decideAdjustment, decideBudget, decideRefund, monthOf } from "../../../features/credits/decisions.ts";
import type { CreditStore, LedgerFilter, LedgerPageRequest } from "../../../features/credits/store.ts";
import { endedStatuses } from "../../../platform/jobs/model.ts";
import { creditReservations } from "./credit-tables.ts";
import type { Engine } from "./engine.ts";
import { countRows, olderThan } from "./list-pages.ts";
import type { CommonRows } from "./common-rows.ts";
import { creditLedger, jobs, workspaces } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

export function createCreditStore(engine: Engine, { credits: rows }: CommonRows): CreditStore {
  const { orm, writer } = engine;
  const { facts, apply } = rows;

  async function page({ limit, after, ...filter }: LedgerPageRequest) {
    return orm
      .select()
      .from(creditLedger)
      .where(and(entriesOf(filter), olderThan(creditLedger, after)))
      .orderBy(desc(creditLedger.createdAt), desc(creditLedger.id))
      .limit(limit)
      .all();
  }

  const countEntries = (filter: LedgerFilter): Promise<number> =>
    countRows(engine, orm.select({ id: creditLedger.id }).from(creditLedger).where(entriesOf(filter)).toSQL());

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
    return orm
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(and(lt(workspaces.createdAt, createdBefore), notExists(granted)))
      .limit(limit)
      .all()
      .map(({ id }) => id);
  }

  async function reserved(workspaceId: WorkspaceId): Promise<number> {
    const held = sql<number>`coalesce(sum(${creditReservations.held}), 0)`;
    const open = and(eq(creditReservations.workspaceId, workspaceId), isNotNull(creditReservations.heldUntil));
    return orm.select({ held }).from(creditReservations).where(open).get()?.held ?? 0;
  }

  async function abandoned(heldBefore: number, limit: number): Promise<string[]> {
    const isOver = sql`CASE WHEN ${creditReservations.jobId} IS NULL
      THEN ${creditReservations.heldUntil} < ${heldBefore}
      ELSE coalesce((SELECT ${inArray(jobs.status, endedStatuses)} FROM ${jobs}
                     WHERE ${jobs.id} = ${creditReservations.jobId}), 1) END`;
    return orm
      .select({ id: creditReservations.id })
      .from(creditReservations)
      .where(and(isNotNull(creditReservations.heldUntil), isOver))
      .limit(limit)
      .all()
      .map(({ id }) => id);
  }

  return {
    add: (entry) =>
      writer.write(() => {
        apply({ outcome: null, changes: [{ kind: "entry", entry }] });
        return facts.balance(entry.workspaceId);
      }),
    adjust: (entry) => writer.write(() => apply(decideAdjustment(entry, facts))),
    addOnce: (entries) => writer.write(() => entries.filter((entry) => rows.addOnce(entry)).length),
    usersWithout,
    balance: async (workspaceId) => facts.balance(workspaceId),
    reserved,
    page,
    countEntries,
    reserve: (request) => writer.write(() => rows.reserve(request)),
    settle: (request) => writer.write(() => rows.settle(request)),
    charge: (request) => writer.write(() => rows.charge(request)),
    refund: (request) => writer.write(() => apply(decideRefund(request, facts))),
    abandoned,
    setBudget: (keyId, monthly, by) => writer.write(() => apply(decideBudget({ keyId, monthly, by }, facts))),
    budget: async (keyId, at) => {
      const limit = facts.limit(keyId);
      return limit && { keyId, monthly: limit.monthly, used: facts.used(keyId, monthOf(at)) };
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
