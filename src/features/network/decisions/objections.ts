import type { ActionType } from "../action-kinds.ts";
import type { Objection } from "../action-model.ts";
import { openStates } from "../action-model.ts";
import type { NetworkFacts, StoredAction } from "./facts.ts";

/** `seq`: absent for a new action. */
type Subject = Pick<StoredAction, "workspaceId" | "actionType" | "profileKey" | "targetKey" | "leadId" | "details"> & {
  seq?: number;
};

/** Why a person must not get an action, as of now; checked when it is scheduled and again when it is sent. */
export function objectionTo(
  account: number,
  action: Subject,
  facts: Pick<NetworkFacts, "hasLead" | "suppression" | "contact" | "twins" | "colleagues">,
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
  if (lockedUntil > now) return { kind: "cannotResendYet", until: lockedUntil };
  return action.details.allowOverlap === true ? null : colleagueOf(account, action, facts);
}

/** Two accounts of a workspace do not invite the same person. If both were to, the request that was scheduled first is sent. */
function colleagueOf(
  account: number,
  action: Subject,
  { colleagues, contact, twins }: Pick<NetworkFacts, "contact" | "twins" | "colleagues">,
): Objection | null {
  for (const { seq, account: colleague } of colleagues(action.workspaceId, account)) {
    const known = contact(seq, action.profileKey);
    if (known?.relation === "connected" || known?.relation === "pending") {
      const since = known.relation === "connected" ? known.connectedAt : known.invitedAt;
      return { kind: "invitedByColleague", accountName: colleague.name, since };
    }
    const isEarlier = (other: { seq: number }) => other.seq < (action.seq ?? Infinity);
    if (twins(seq, action).some((twin) => openStates.includes(twin.state) && isEarlier(twin)))
      return { kind: "invitedByColleague", accountName: colleague.name, since: null };
  }
  return null;
}

/** These actions contact no one: they withdraw a request or only view the profile. */
const harmless = new Set<ActionType>(["withdrawConnectionRequest", "checkConnectionStatus"]);

/** After a withdrawal the network refuses another request to the same person for about three weeks. */
const reinviteLockMs = 21 * 86_400_000;
