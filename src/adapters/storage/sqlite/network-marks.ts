import type { Engine } from "./engine.ts";
import type { AccountRecord } from "./network-accounts.ts";
import type { ScheduleParts } from "./network-schedule.ts";
import type { ActionRow } from "./network-tables.ts";

/** An action that is about to be sent. `row` is changed to what is written. */
export type Marked = { row: ActionRow; record: AccountRecord };

export type Marks = ReturnType<typeof createMarks>;

/** The mark before a connector is called, and leases: for all actions of a claim at once, which costs half. */
export function createMarks({ database }: Engine, { accounts, events }: Pick<ScheduleParts, "accounts" | "events">) {
  const lease = database.query(
    "UPDATE jobs SET status = 'running', attempt = attempt + 1, lease_until = ?, updated_at = ?" +
      " WHERE id IN (SELECT value FROM json_each(?))",
  );
  const mark = database.query(
    "UPDATE network_actions SET state = 'sending', pending_reason = ?, used = 1, slot_at = ?, updated_at = ?" +
      " WHERE seq IN (SELECT value FROM json_each(?))",
  );

  /**
   * `pendingReason` tells a worker's lease, which outlives this process, from our own, and what only goes into a person's
   * list, which does no harm twice.
   */
  function reasonOf({ record }: Marked, isWorkers: boolean): ActionRow["pendingReason"] {
    if (isWorkers) return "awaitingWorker";
    return record.account.connector === "manual" ? "awaitingPerson" : null;
  }

  return {
    /** Each job gets a lease, and an attempt more. */
    lease(jobIds: readonly string[], now: number, leaseUntil: number): void {
      if (jobIds.length > 0) lease.run(leaseUntil, now, JSON.stringify(jobIds));
    },
    markSending(marked: readonly Marked[], now: number, isWorkers = false): void {
      for (const [pendingReason, alike] of Map.groupBy(marked, (each) => reasonOf(each, isWorkers))) {
        mark.run(pendingReason, now, now, JSON.stringify(alike.map(({ row }) => row.seq)));
        for (const { row } of alike) Object.assign(row, { state: "sending", pendingReason, used: 1, slotAt: now });
      }
      for (const { row, record } of marked) {
        accounts.countChange(record);
        events.action("action.started", record, row, now);
      }
    },
  };
}
