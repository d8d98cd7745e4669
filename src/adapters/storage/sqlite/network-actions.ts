import { eq, sql } from "drizzle-orm";
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
  const twins = prepared<Twin, [number, string, string]>(
    database,
    "SELECT seq, job_id AS jobId, state FROM network_actions WHERE account = +? AND target_key = +? AND action_type = +?" +
      " AND may_be_open = 1",
  );
  const setMayBeOpen = prepared(database, "UPDATE network_actions SET may_be_open = ? WHERE seq = ?");
  const setState = prepared(
    database,
    "UPDATE network_actions SET state = ?, pending_reason = ?, used = ?, slot_at = ?, updated_at = ? WHERE seq = ?",
  );
  // The slot is indexed, so it is not written if it stays the same.
  const endInPlace = prepared(
    database,
    "UPDATE network_actions SET state = ?, pending_reason = NULL, reference = coalesce(?, reference), updated_at = ?" +
      " WHERE seq = ?",
  );
  const mark = prepared(
    database,
    "UPDATE network_actions SET state = 'sending', pending_reason = ?, used = 1, slot_at = ?, updated_at = ?" +
      " WHERE seq IN (SELECT value FROM json_each(?))",
  );
  const setNotBefore = prepared(database, "UPDATE network_actions SET not_before = ? WHERE seq = ?");
  const setReference = prepared(database, "UPDATE network_actions SET reference = ? WHERE seq = ?");

  return {
    get: (jobId: string): ActionRow | null => {
      const [row] = byJob().values({ jobId });
      return row === undefined ? null : storedAction(row);
    },
    twins: (account: number, { targetKey, actionType }: Pick<StoredAction, "targetKey" | "actionType">): Twin[] =>
      twins.all(account, targetKey, actionType),
    closeTwins(seqs: readonly number[]): void {
      for (const seq of seqs) setMayBeOpen.run(0, seq);
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
      setState.run(state, pendingReason, used, slotAt, at, seq);
      if (openStates.includes(state) && !mayBeOpen) setMayBeOpen.run(1, seq);
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
      if (row.slotAt !== slotAt || row.used !== used) setState.run(state, null, used, slotAt, at, row.seq);
      endInPlace.run(state, reference, at, row.seq);
    },
    markSending(seqs: readonly number[], pendingReason: PendingReason | null, at: number): void {
      mark.run(pendingReason, at, at, JSON.stringify(seqs));
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
      setNotBefore.run(at, seq);
    },
    setReference({ seq }: StoredAction, reference: string): void {
      setReference.run(reference, seq);
    },
    actionOf: (row: StoredAction): NetworkAction => actionOf(row, accounts.idOf(row.account)),
  };
}
