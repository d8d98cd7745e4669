import type { ActionType } from "../action-kinds.ts";
import type { Objection } from "../action-model.ts";
import type { NetworkFacts, StoredAction } from "./facts.ts";

type Subject = Pick<StoredAction, "workspaceId" | "actionType" | "profileKey" | "leadId">;

/** Why a person must not get an action, as of now; checked when it is scheduled and again when it is sent. */
export function objectionTo(
  account: number,
  action: Subject,
  facts: Pick<NetworkFacts, "hasLead" | "suppression" | "contact">,
  now: number,
): Objection | null {
  const { workspaceId, actionType, profileKey, leadId } = action;
  if (harmless.has(actionType)) return null;
  if (leadId !== null && !facts.hasLead(leadId)) return { kind: "leadGone" };
  const match = facts.suppression(workspaceId, { profileKey, leadId });
  if (match !== null) return { kind: "doNotContact", match };
  if (actionType !== "sendConnectionRequest") return null;
  const contact = facts.contact(account, profileKey);
  if (contact?.relation === "connected") return { kind: "alreadyConnected", since: contact.connectedAt };
  if (contact?.relation === "pending") return { kind: "alreadyPending", since: contact.invitedAt };
  const lockedUntil = (contact?.withdrawnAt ?? -Infinity) + reinviteLockMs;
  return lockedUntil > now ? { kind: "cannotResendYet", until: lockedUntil } : null;
}

/** These actions contact no one: they withdraw a request or only view the profile. */
const harmless = new Set<ActionType>(["withdrawConnectionRequest", "checkConnectionStatus"]);

/** After a withdrawal the network refuses another request to the same person for about three weeks. */
const reinviteLockMs = 21 * 86_400_000;
