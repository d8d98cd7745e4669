import { eq, sql } from "drizzle-orm";
import { actionKinds, metersOf } from "../../../features/network/action-kinds.ts";
import type { Meter } from "../../../features/network/account-model.ts";
import { openStates, type ActionState, type NetworkAction } from "../../../features/network/action-model.ts";
import type { Engine } from "./engine.ts";
import { meterCode, type AccountRecord, type AccountRows } from "./network-accounts.ts";
import { networkActions, type ActionRow } from "./network-tables.ts";
import { actionValues, insertActionSql, storedAction } from "./stored-job.ts";

export type ActionRows = ReturnType<typeof createActionRows>;

/** Single actions inside a write unit. */
export function createActionRows({ orm, database }: Engine, accounts: AccountRows) {
  const at = sql.placeholder;
  const byJob = orm
    .select()
    .from(networkActions)
    .where(eq(networkActions.jobId, at("jobId")))
    .prepare();
  const insert = database.prepare(insertActionSql);
  type Twin = { seq: number; job_id: string; state: ActionState };
  const twins = database.query<Twin, [number, string, string]>(
    "SELECT seq, job_id, state FROM network_actions WHERE account = +? AND target_key = +? AND action_type = +?" +
      " AND may_be_open = 1",
  );
  const setMayBeOpen = database.query("UPDATE network_actions SET may_be_open = ? WHERE seq = ?");
  const settle = database.query(
    "UPDATE network_actions SET state = ?, pending_reason = ?, used = ?, slot_at = ?, updated_at = ? WHERE seq = ?",
  );
  // Indexes hold the slot, so it is left alone where it stays.
  const endInPlace = database.query(
    "UPDATE network_actions SET state = ?, pending_reason = NULL, reference = coalesce(?, reference), updated_at = ?" +
      " WHERE seq = ?",
  );
  const moveSlot = database.query("UPDATE network_actions SET slot_at = ? WHERE seq = ?");
  const setNotBefore = database.query("UPDATE network_actions SET not_before = ? WHERE seq = ?");
  const refer = database.query("UPDATE network_actions SET reference = ? WHERE seq = ?");
  const freeSlot = database.query(
    "INSERT INTO network_meters (account, meter, free_at) VALUES (?, ?, ?) ON CONFLICT (account, meter)" +
      " DO UPDATE SET free_at = min(coalesce(free_at, excluded.free_at), excluded.free_at)",
  );

  return {
    get: (jobId: string): ActionRow | null => {
      const [row] = byJob.values({ jobId });
      return row === undefined ? null : storedAction(row);
    },
    /** Of the same kind and for the same target: the job of the one that is open, and those that have ended since. */
    twinsOf(account: number, { targetKey, actionType }: Pick<NetworkAction, "targetKey" | "actionType">) {
      const found = twins.all(account, targetKey, actionType);
      const open = found.find(({ state }) => openStates.includes(state))?.job_id ?? null;
      return { open, ended: found.filter(({ state }) => !openStates.includes(state)).map(({ seq }) => seq) };
    },
    /** Inside a write unit: `twinsOf` does not come upon these again. */
    passOver(ended: readonly number[]): void {
      for (const seq of ended) setMayBeOpen.run(0, seq);
    },
    insert({ accountId: _id, ...action }: NetworkAction, account: number, used: 0 | 1): void {
      const meter = meterCode(actionKinds[action.actionType].meter);
      const mayBeOpen = openStates.includes(action.state);
      insert.run(...actionValues({ ...action, account, meter, hasNote: hasNote(action), used, mayBeOpen }));
    },
    /** What every change of state writes. `slotAt` null: it does not count for any meter. */
    settle(
      row: Pick<ActionRow, "seq" | "mayBeOpen">,
      state: ActionState,
      change: { pendingReason: ActionRow["pendingReason"]; used: 0 | 1; slotAt: number | null; now: number },
    ): void {
      settle.run(state, change.pendingReason, change.used, change.slotAt, change.now, row.seq);
      if (openStates.includes(state) && !row.mayBeOpen) setMayBeOpen.run(1, row.seq);
    },
    /** As `settle`, for an action that is over; `reference`: what the connector calls it, where it said so. */
    end(
      row: ActionRow,
      state: ActionState,
      { slotAt, reference, now }: { slotAt: number | null; reference: string | null; now: number },
    ): void {
      const used = slotAt === null ? 0 : 1;
      if (row.slotAt !== slotAt || row.used !== used) settle.run(state, null, used, slotAt, now, row.seq);
      endInPlace.run(state, reference, now, row.seq);
    },
    /** What it says, and its earliest moment. */
    edit(
      row: ActionRow,
      change: Pick<ActionRow, "message" | "details" | "notBefore" | "targetKey"> & { now: number },
    ): void {
      const { message, details, notBefore, targetKey, now } = change;
      const note = hasNote({ ...row, message });
      orm
        .update(networkActions)
        .set({ message, details, notBefore, targetKey, hasNote: note, updatedAt: now })
        .where(eq(networkActions.seq, row.seq))
        .run();
    },
    moveSlot(row: Pick<ActionRow, "seq">, slotAt: number | null): void {
      moveSlot.run(slotAt, row.seq);
    },
    /** No plan shall place it before. */
    notBefore(row: Pick<ActionRow, "seq">, at: number): void {
      setNotBefore.run(at, row.seq);
    },
    takesNote: hasNote,
    /** What the connector calls it. */
    refer(row: Pick<ActionRow, "seq">, reference: string | null): void {
      refer.run(reference, row.seq);
    },
    /** Lets others have the slot of an action that was planned and will not take place. */
    free(record: AccountRecord, row: ActionRow): void {
      if (row.slotAt === null || row.used === 1) return;
      for (const meter of usesOf(row)) freeSlot.run(record.seq, meterCode(meter), row.slotAt);
      accounts.countChange(record);
    },
    actionOf(row: ActionRow): NetworkAction {
      const { seq: _row, account, meter: _meter, hasNote: _note, used: _used, mayBeOpen: _open, ...action } = row;
      return { ...action, accountId: accounts.idOf(account) };
    },
  };
}

/** The meters that an action takes from. */
export function usesOf({ actionType, message }: Pick<NetworkAction, "actionType" | "message">): readonly Meter[] {
  return metersOf(actionType, message !== null);
}

function hasNote({ actionType, message }: Pick<NetworkAction, "actionType" | "message">): boolean {
  return actionType === "sendConnectionRequest" && message !== null;
}
