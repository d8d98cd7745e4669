import { and, eq, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { actionKinds, hasNote } from "../../../features/network/action-kinds.ts";
import {
  openStates,
  type ActionState,
  type NetworkAction,
  type PendingReason,
} from "../../../features/network/action-model.ts";
import type { Content } from "../../../features/network/decisions/changes.ts";
import { actionOf, type StoredAction, type Twin } from "../../../features/network/decisions/facts.ts";
import type { Engine } from "./engine.ts";
import { meterCode } from "../meter-code.ts";
import type { AccountRows } from "./network-accounts.ts";
import { networkActions, type ActionRow } from "./network-tables.ts";
import { newValueOf, valueOf } from "./parameter.ts";
import { lazy, prepared } from "./prepared.ts";
import { actionValues, insertActionSql, storedAction } from "./stored-job.ts";

export type ActionRows = ReturnType<typeof createActionRows>;

/** Single actions inside a write unit. */
export function createActionRows({ orm, database }: Engine, accounts: AccountRows) {
  const byJob = lazy(() =>
    orm
      .select()
      .from(networkActions)
      .where(eq(networkActions.jobId, sql.placeholder("jobId")))
      .prepare(),
  );
  const insert = prepared(database, insertActionSql);
  const { seq, jobId, state, account, targetKey, actionType, mayBeOpen, reference } = networkActions;
  const twins = lazy(() =>
    orm
      .select({ seq, jobId, state })
      .from(networkActions)
      .where(
        and(
          sql`${account} = ${valueOf("account")}`,
          sql`${targetKey} = ${valueOf("targetKey")}`,
          sql`${actionType} = ${valueOf("actionType")}`,
          sql`${mayBeOpen} = 1`,
        ),
      )
      .prepare(),
  );
  const hasSeq = eq(seq, sql.placeholder("seq"));
  const update = (values: SQLiteUpdateSetSource<typeof networkActions>) =>
    orm.update(networkActions).set(values).where(hasSeq).prepare();
  const setMayBeOpen = lazy(() => update({ mayBeOpen: newValueOf("mayBeOpen") }));
  const setState = lazy(() =>
    update({
      state: newValueOf("state"),
      pendingReason: newValueOf("pendingReason"),
      used: newValueOf("used"),
      slotAt: newValueOf("slotAt"),
      updatedAt: newValueOf("at"),
    }),
  );
  // The slot is indexed, so it is not written if it stays the same.
  const endInPlace = lazy(() =>
    update({
      state: newValueOf("state"),
      pendingReason: null,
      reference: sql`coalesce(${sql.placeholder("reference")}, ${reference})`,
      updatedAt: newValueOf("at"),
    }),
  );
  const mark = lazy(() =>
    orm
      .update(networkActions)
      .set({
        state: "sending",
        pendingReason: newValueOf("pendingReason"),
        used: 1,
        slotAt: newValueOf("at"),
        updatedAt: newValueOf("at"),
      })
      .where(sql`${seq} IN (SELECT value FROM json_each(${sql.placeholder("seqs")}))`)
      .prepare(),
  );
  const setNotBefore = lazy(() => update({ notBefore: newValueOf("at") }));
  const setReference = lazy(() => update({ reference: newValueOf("reference") }));

  return {
    get: (jobId: string): ActionRow | null => {
      const [row] = byJob().values({ jobId });
      return row === undefined ? null : storedAction(row);
    },
    twins: (account: number, { targetKey, actionType }: Pick<StoredAction, "targetKey" | "actionType">): Twin[] =>
      twins().all({ account, targetKey, actionType }),
    closeTwins(seqs: readonly number[]): void {
      for (const seq of seqs) setMayBeOpen().run({ mayBeOpen: 0, seq });
    },
    insert({ accountId: _id, ...action }: NetworkAction, account: number, used: 0 | 1): void {
      const meter = meterCode(actionKinds[action.actionType].meter);
      const mayBeOpen = openStates.includes(action.state);
      insert.run(...actionValues({ ...action, account, meter, hasNote: hasNote(action), used, mayBeOpen }));
    },
    setState(
      { seq, mayBeOpen }: Pick<StoredAction, "seq" | "mayBeOpen">,
      change: {
        state: ActionState;
        pendingReason: PendingReason | null;
        used: 0 | 1;
        slotAt: number | null;
        at: number;
      },
    ): void {
      const { state, pendingReason, used, slotAt, at } = change;
      setState().run({ state, pendingReason, used, slotAt, at, seq });
      if (openStates.includes(state) && !mayBeOpen) setMayBeOpen().run({ mayBeOpen: 1, seq });
    },
    end(
      row: StoredAction,
      {
        state,
        slotAt,
        reference,
        at,
      }: { state: ActionState; slotAt: number | null; reference: string | null; at: number },
    ): void {
      const used = slotAt === null ? 0 : 1;
      const { seq } = row;
      if (row.slotAt !== slotAt || row.used !== used)
        setState().run({ state, pendingReason: null, used, slotAt, at, seq });
      endInPlace().run({ state, reference, at, seq });
    },
    markSending(seqs: readonly number[], pendingReason: PendingReason | null, at: number): void {
      mark().run({ pendingReason, at, seqs: JSON.stringify(seqs) });
    },
    edit({ seq }: StoredAction, change: Content & { hasNote: boolean; at: number }): void {
      const { message, details, notBefore, targetKey, at } = change;
      orm
        .update(networkActions)
        .set({ message, details, notBefore, targetKey, hasNote: change.hasNote, updatedAt: at })
        .where(eq(networkActions.seq, seq))
        .run();
    },
    setNotBefore({ seq }: StoredAction, at: number): void {
      setNotBefore().run({ at, seq });
    },
    setReference({ seq }: StoredAction, reference: string): void {
      setReference().run({ reference, seq });
    },
    actionOf: (row: StoredAction): NetworkAction => actionOf(row, accounts.idOf(row.account)),
  };
}
