import { isoTime } from "../../../platform/base/clock.ts";
import { shortReason, type EventData, type EventType } from "../../../platform/events/model.ts";
import { neverAt, type NetworkAction } from "../action-model.ts";
import type { ActionEnd } from "../queue-model.ts";
import type { NetworkChange } from "./changes.ts";
import type { StoredAccount } from "./facts.ts";

type Subject = Pick<NetworkAction, "jobId" | "leadId" | "campaignId" | "actionType">;
type EventChange = Extract<NetworkChange, { kind: "event" }>;

export function actionEvent(
  type: EventType,
  { account }: StoredAccount,
  { jobId, leadId, campaignId, actionType }: Subject,
  at: number,
  data: EventData = {},
): EventChange {
  const subjects = { jobId, leadId, campaignId, accountId: account.id };
  return {
    kind: "event",
    event: { type, workspaceId: account.workspaceId, at, ...subjects, data: { actionType, ...data } },
  };
}

export function accountEvent(
  type: EventType,
  { account }: StoredAccount,
  at: number,
  data: EventData = {},
): EventChange {
  return { kind: "event", event: { type, workspaceId: account.workspaceId, at, accountId: account.id, data } };
}

/** The action joined the queue, or waits for approval. */
export function scheduledEvent(
  record: StoredAccount,
  action: Subject & Pick<NetworkAction, "state">,
  slotAt: number | null,
  at: number,
): EventChange {
  if (action.state === "awaitingApproval") return actionEvent("action.approval_required", record, action, at);
  return actionEvent("action.scheduled", record, action, at, { scheduledFor: timeOf(slotAt) });
}

/** An attempt, or the action's turn, was postponed. `until` neverAt: until a person does something. */
export function postponedEvent(
  record: StoredAccount,
  action: Subject,
  reason: string,
  until: number,
  at: number,
): EventChange {
  return actionEvent("action.postponed", record, action, at, { reason: shortReason(reason), until: timeOf(until) });
}

export function endedEvent(
  record: StoredAccount,
  action: Subject,
  { state, metadata, message, at }: ActionEnd,
): EventChange {
  if (state === "completed") return actionEvent("action.completed", record, action, at, { outcome: "completed" });
  const { skipReason, refusal, reason } = metadata;
  const code = skipReason ?? refusal;
  const data = {
    outcome: state,
    reason: shortReason(typeof reason === "string" ? reason : message),
    ...(typeof code === "string" && { code }),
  };
  return actionEvent(state === "skipped" ? "action.skipped" : "action.failed", record, action, at, data);
}

function timeOf(at: number | null): string | null {
  return at === null || at >= neverAt ? null : isoTime(at);
}
