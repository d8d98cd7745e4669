import { eq, sql } from "drizzle-orm";
import { actionKinds, metersOf } from "../../network/action-kinds.ts";
import type { Meter } from "../../network/account-model.ts";
import type { ActionState, NetworkAction } from "../../network/action-model.ts";
import type { Engine } from "./engine.ts";
import { meterCode, type AccountRecord, type AccountRows } from "./network-accounts.ts";
import { networkActions, type ActionRow } from "./network-tables.ts";
import { placeholdersOf } from "./placeholders.ts";
import { storedAction } from "./stored-job.ts";

export type ActionRows = ReturnType<typeof createActionRows>;

/** Single actions inside a write unit. */
export function createActionRows({ orm, database }: Engine, accounts: AccountRows) {
  const at = sql.placeholder;
  const byJob = orm
    .select()
    .from(networkActions)
    .where(eq(networkActions.jobId, at("jobId")))
    .prepare();
  const { seq: _seq, ...columns } = placeholdersOf(networkActions);
  const insert = orm.insert(networkActions).values(columns).prepare();
  const openTwin = database.query<{ job_id: string }, [number, string, string]>(
    "SELECT job_id FROM network_actions WHERE account = ? AND target_key = ? AND action_type = ?" +
      " AND state IN ('awaitingApproval', 'scheduled', 'sending', 'awaiting') LIMIT 1",
  );
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
    /** The job of the open action of the same kind for the same target. */
    twinOf: (account: number, { targetKey, actionType }: Pick<NetworkAction, "targetKey" | "actionType">) =>
      openTwin.get(account, targetKey, actionType)?.job_id ?? null,
    insert({ accountId: _id, ...action }: NetworkAction, account: number, used: 0 | 1): void {
      const meter = meterCode(actionKinds[action.actionType].meter);
      insert.run({ ...action, account, meter, hasNote: hasNote(action), used });
    },
    /** What every change of state writes. `slotAt` null: it does not count for any meter. */
    settle(
      row: Pick<ActionRow, "seq">,
      state: ActionState,
      change: { pendingReason: ActionRow["pendingReason"]; used: 0 | 1; slotAt: number | null; now: number },
    ): void {
      settle.run(state, change.pendingReason, change.used, change.slotAt, change.now, row.seq);
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
    actionOf({ seq: _row, account, meter: _meter, hasNote: _note, used: _used, ...action }: ActionRow): NetworkAction {
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
