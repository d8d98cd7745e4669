import { isoTime } from "../../../platform/base/clock.ts";
import { shortReason, type EventData, type EventType } from "../../../platform/events/model.ts";
import { neverAt, type NetworkAction } from "../../../features/network/action-model.ts";
import type { ActionEnd } from "../../../features/network/store.ts";
import type { EventRows } from "./event-rows.ts";
import type { AccountRecord } from "./network-accounts.ts";
import type { ActionRow } from "./network-tables.ts";

type Told = Pick<ActionRow, "jobId" | "leadId" | "campaignId" | "actionType">;

/** What is told of actions and accounts, inside the write units that change them. */
export type NetworkEvents = ReturnType<typeof createNetworkEvents>;

export function createNetworkEvents(events: EventRows) {
  function action(type: EventType, { account }: AccountRecord, told: Told, at: number, data: EventData = {}): void {
    const { jobId, leadId, campaignId, actionType } = told;
    const subjects = { jobId, leadId, campaignId, accountId: account.id };
    events.append({ type, userId: account.userId, at, ...subjects, data: { actionType, ...data } });
  }

  function account(type: EventType, record: AccountRecord, at: number, data: EventData = {}): void {
    events.append({ type, userId: record.account.userId, at, accountId: record.account.id, data });
  }

  return {
    action,
    account,
    /** It has its place in the queue. */
    scheduled(
      record: AccountRecord,
      told: Told & Pick<NetworkAction, "state">,
      slotAt: number | null,
      at: number,
    ): void {
      if (told.state === "awaitingApproval") action("action.approval_required", record, told, at);
      else action("action.scheduled", record, told, at, { scheduledFor: momentOf(slotAt) });
    },
    /** An attempt, or the turn of an action, was put off; `until` null: until somebody does something. */
    postponed(record: AccountRecord, told: Told, reason: string, until: number, at: number): void {
      action("action.postponed", record, told, at, { reason: shortReason(reason), until: momentOf(until) });
    },
    ended(record: AccountRecord, told: Told, { state, metadata, message, at }: ActionEnd): void {
      if (state === "completed") return action("action.completed", record, told, at, { outcome: "completed" });
      const { skipReason, refusal, reason } = metadata;
      const why = skipReason ?? refusal;
      const data = {
        outcome: state,
        reason: shortReason(typeof reason === "string" ? reason : message),
        ...(typeof why === "string" && { code: why }),
      };
      action(state === "skipped" ? "action.skipped" : "action.failed", record, told, at, data);
    },
  };
}

function momentOf(at: number | null): string | null {
  return at === null || at >= neverAt ? null : isoTime(at);
}
