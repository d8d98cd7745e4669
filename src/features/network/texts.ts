import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import { doNotContactText } from "../suppression/refusal.ts";
import type { AccountState } from "./account-model.ts";
import { neverAt, openStates, type NetworkAction, type Objection, type PendingReason } from "./action-model.ts";

/** Why an action must not be sent to a person. Starts in lower case, for use after a colon. */
export function objectionText(objection: Objection): string {
  switch (objection.kind) {
    case "doNotContact":
      return doNotContactText(objection.match);
    case "alreadyConnected":
      return `this account is already connected with this person${since(objection.since)}.`;
    case "alreadyPending":
      return `a connection request to this person is already pending${since(objection.since)}.`;
    case "cannotResendYet":
      return `a connection request to this person was withdrawn; the network accepts another one after ${isoTime(objection.until)}.`;
    case "invitedByColleague":
      return `the account "${objection.accountName}" of this workspace has invited this person, or is connected with them${since(objection.since)}. Send allowOverlap: true to invite them with this account too.`;
    case "leadGone":
      return "its lead was deleted.";
  }
}

function since(at: number | null): string {
  return at === null ? "" : ` (since ${isoTime(at)})`;
}

/** What an action is waiting for. The state of the account takes precedence over the plan. */
export function waitOf(
  action: Pick<NetworkAction, "state" | "pendingReason" | "slotAt">,
  state: AccountState,
): { reason: PendingReason; until: number | null } | null {
  const { pendingReason: reason, slotAt } = action;
  if (reason === null || !openStates.includes(action.state)) return null;
  if (action.state !== "scheduled") return { reason, until: null };
  if (state === "paused") return { reason: "accountPaused", until: null };
  if (state === "needsReconnect") return { reason: "accountNeedsReconnect", until: null };
  return { reason, until: slotAt === null || slotAt >= neverAt ? null : slotAt };
}

/** The status of a waiting action as text; empty if it is not waiting. */
export function actionMessage(action: NetworkAction, state: AccountState): string {
  const wait = waitOf(action, state);
  if (wait === null) return "";
  return `Waiting ${wait.until === null ? "" : `until ${isoTime(wait.until)} `}${waitTexts[wait.reason]}`;
}

/**
 * Details of an action in the metadata of its job. `delay`: milliseconds from creation to the planned time, whether past
 * or future; 0 if there is none.
 */
export function actionMetadata(action: NetworkAction, runAt: number, state: AccountState): Record<string, unknown> {
  const wait = waitOf(action, state);
  const planned = wait === null ? runAt : wait.until;
  const at = planned === null || planned >= neverAt ? null : planned;
  return {
    pendingReason: wait?.reason ?? null,
    scheduledFor: isoTimeOrNull(at),
    nextEligibleAt: wait === null ? null : isoTimeOrNull(at),
    delay: delayOf(at ?? action.slotAt ?? runAt, action.createdAt),
  };
}

function delayOf(at: number, createdAt: number): number {
  return at >= neverAt ? 0 : Math.max(0, at - createdAt);
}

const waitTexts: Record<PendingReason, string> = {
  queued: "for its turn in the queue",
  spacing: "because of the spacing between actions",
  break: "for the end of a break",
  outsideWorkingHours: "for the account's working hours",
  holiday: "for the end of a holiday of the account",
  dailyLimit: "because the 24-hour cap is reached",
  weeklyLimit: "because the 7-day cap is reached",
  monthlyLimit: "because the 30-day cap is reached",
  monthlyNoteLimit: "because the 30-day cap for notes is reached; without a note it can be sent sooner",
  warmup: "because the account is warming up",
  cooldown: "because the network asked this account to slow down",
  retry: "to be retried",
  notBefore: "for the requested time",
  accountPaused: "because the account is paused",
  accountNeedsReconnect: "because the account must be reconnected",
  awaitingApproval: "for approval: POST /api/v2/network/actions/{jobId}/approve",
  awaitingPerson: "for a person: see GET /api/v2/network/tasks",
  awaitingWorker: "for a worker: POST /api/v2/network/worker/claim",
  awaitingVendor: "for the vendor to report the outcome",
};

/** What a waiting action waits for, in a few words. */
export function waitText(reason: PendingReason): string {
  const [text = ""] = waitTexts[reason].split(":");
  return `Waiting ${text}`;
}

/** Message of an action whose runner or worker died while sending it. */
export const interruptedMessage =
  "Interrupted while being sent. The action may or may not have taken effect, so it is not repeated. Check the profile, then report the outcome with POST /api/v2/network/actions/{jobId}/resolve.";
