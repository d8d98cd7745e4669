import { isoTime } from "../../platform/base/clock.ts";
import { actionKinds } from "./action-kinds.ts";
import type { NetworkAction, Refusal } from "./action-model.ts";
import type { ConnectorOutcome } from "./connector.ts";
import type { ActionEnd, Delegation, Deferral } from "./queue-model.ts";

/** What the store writes after an attempt. */
export type Consequence =
  | { kind: "end"; end: ActionEnd }
  | { kind: "defer"; deferral: Deferral }
  | { kind: "delegate"; delegation: Delegation };

/** The consequence of an outcome for its action. `by`: who performed it, as shown to clients. */
export function consequenceOf(
  outcome: ConnectorOutcome,
  { actionType, profileUrl }: Pick<NetworkAction, "actionType" | "profileUrl">,
  by: string,
  at: number,
): Consequence {
  const { label } = actionKinds[actionType];
  const end = (state: ActionEnd["state"], message: string, more: Partial<ActionEnd>): Consequence => ({
    kind: "end",
    end: { state, message, metadata: { driver: by }, reference: null, relation: null, at, ...more },
  });
  switch (outcome.kind) {
    case "completed": {
      const { reference, relation = null } = outcome;
      const metadata = {
        outcome: "completed",
        driver: by,
        providerRef: reference,
        ...(relation !== null && { relation }),
      };
      const seen = actionType === "checkConnectionStatus" && relation !== null ? `: ${relation}` : "";
      return end("completed", `${label} completed for ${profileUrl}${seen}`, { metadata, reference, relation });
    }
    case "refused": {
      const { refusal, reason, relation = relationOf(refusal) } = outcome;
      if (harmlessRefusals.has(refusal))
        return end("skipped", `Not needed: ${reason}`, {
          metadata: { outcome: "skipped", skipReason: refusal, reason, driver: by },
          relation,
        });
      const metadata = { outcome: "failed", refusal, reason, driver: by };
      return end("failed", `Refused: ${reason}`, { metadata, relation });
    }
    case "busy": {
      const message = `${sentenceOf(outcome.reason)} Next attempt at ${isoTime(outcome.retryAt)}`;
      return { kind: "defer", deferral: { kind: "retry", retryAt: outcome.retryAt, message, at } };
    }
    case "limited":
      return { kind: "defer", deferral: { kind: "limited", retryAt: outcome.retryAt, reason: outcome.reason, at } };
    case "signedOut":
      return { kind: "defer", deferral: { kind: "signedOut", reason: outcome.reason, at } };
    case "delegated":
      return { kind: "delegate", delegation: { ...outcome, message: "", at } };
    case "unknown":
      return end("unknown", `${sentenceOf(outcome.reason)} ${notRepeated}`, {
        metadata: { outcome: "unknown", reason: outcome.reason, driver: by },
      });
  }
}

/** Refusals that need no action by the user, because the goal is already reached or can't be reached now. */
const harmlessRefusals = new Set<Refusal>(["alreadyConnected", "alreadyPending", "notPending", "cannotResendYet"]);

function relationOf(refusal: Refusal) {
  if (refusal === "alreadyConnected") return "connected" as const;
  return refusal === "alreadyPending" ? ("pending" as const) : null;
}

/** Ends the reason with a period. */
function sentenceOf(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}

const notRepeated =
  "The action may or may not have taken effect, so it is not repeated. Check the profile, then report the outcome with POST /api/v2/network/actions/{jobId}/resolve.";
