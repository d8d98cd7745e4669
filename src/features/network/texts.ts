import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import { doNotContactText } from "../suppression/refusal.ts";
import type { AccountState } from "./account-model.ts";
import { neverAt, openStates, type NetworkAction, type Objection, type PendingReason } from "./action-model.ts";

/** Why a person must not get an action, as a sentence. */
export function objectionText(objection: Objection): string {
  switch (objection.kind) {
    case "doNotContact":
      return doNotContactText(objection.match);
    case "alreadyConnected":
      return `this account is connected with that person already${since(objection.since)}.`;
    case "alreadyPending":
      return `a connection request to that person is pending already${since(objection.since)}.`;
    case "cannotResendYet":
      return `a request to that person was withdrawn; the network takes another from ${isoTime(objection.until)} on.`;
    case "leadGone":
      return "the lead that it was for was deleted.";
  }
}

function since(at: number | null): string {
  return at === null ? "" : ` since ${isoTime(at)}`;
}

/** What an action waits for: the account's state comes before what the plan says. */
export function waitOf(
  action: NetworkAction,
  state: AccountState,
): { reason: PendingReason; until: number | null } | null {
  const { pendingReason: reason, slotAt } = action;
  if (reason === null || !openStates.includes(action.state)) return null;
  if (action.state !== "scheduled") return { reason, until: null };
  if (state === "paused") return { reason: "accountPaused", until: null };
  if (state === "needsReconnect") return { reason: "accountNeedsReconnect", until: null };
  return { reason, until: slotAt === null || slotAt >= neverAt ? null : slotAt };
}

/** What a waiting action waits for, as a sentence. */
export function actionMessage(action: NetworkAction, state: AccountState): string {
  const wait = waitOf(action, state);
  if (wait === null) return "";
  return `${waitTexts[wait.reason]}${wait.until === null ? "" : ` until ${isoTime(wait.until)}`}`;
}

/**
 * What clients are told of an action beside its job. `delay`: milliseconds from its creation to its planned moment, past
 * or to come; 0 while it has none.
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
  queued: "Waits for its turn",
  spacing: "Keeps its distance from the action before",
  break: "Waits for the end of a break",
  outsideWorkingHours: "Waits for the account's working hours",
  dailyLimit: "Waits because the cap of 24 hours is reached",
  weeklyLimit: "Waits because the cap of 7 days is reached",
  monthlyLimit: "Waits because the cap of 30 days is reached",
  monthlyNoteLimit: "Waits because the notes of 30 days are used up; without a note it can go sooner",
  warmup: "Waits because the account warms up",
  cooldown: "Waits because the network asked this account to slow down",
  retry: "Is tried again, waits",
  notBefore: "Waits for the moment that was asked for",
  accountPaused: "Waits because the account is paused",
  accountNeedsReconnect: "Waits because the account must be connected again",
  awaitingApproval: "Waits for approval: POST /api/v2/network/actions/{jobId}/approve",
  awaitingPerson: "Waits for a person: see GET /api/v2/network/tasks",
  awaitingWorker: "Waits for a worker: POST /api/v2/network/worker/claim",
  awaitingVendor: "Was handed on; its outcome will be reported",
};

/** Of an action whose runner or worker died while it was being sent. */
export const interruptedMessage =
  "Interrupted while it was being sent. It may or may not have had its effect, so it is not repeated. Check the profile, then report the outcome with POST /api/v2/network/actions/{jobId}/resolve.";
