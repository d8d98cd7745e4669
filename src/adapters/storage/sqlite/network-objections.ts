import type { ActionType } from "../../../features/network/action-kinds.ts";
import type { Objection } from "../../../features/network/action-model.ts";
import type { Engine } from "./engine.ts";
import type { ContactRows } from "./network-contacts.ts";
import type { ActionRow } from "./network-tables.ts";
import type { Person, SuppressionRows } from "./suppressions.ts";

export type Objections = ReturnType<typeof createObjections>;

/** Whom an action would reach. */
export function personOf({ userId, profileKey, leadId }: Pick<ActionRow, "userId" | "profileKey" | "leadId">): Person {
  return { userId, target: { profileKey, leadId } };
}

/** Why a person must not get an action, by what is stored at this moment; asked when it is scheduled and when it is sent. */
export function createObjections({ database }: Engine, contacts: ContactRows, suppressions: SuppressionRows) {
  const hasLead = database.query<unknown, [string]>("SELECT 1 FROM leads WHERE id = ?");

  type Subject = Pick<ActionRow, "userId" | "actionType" | "profileKey" | "leadId">;

  return function objectionTo(account: number, action: Subject, now: number): Objection | null {
    if (quiet.has(action.actionType)) return null;
    const { userId, target } = personOf(action);
    const { leadId } = action;
    if (leadId !== null && hasLead.get(leadId) === null) return { kind: "leadGone" };
    const match = suppressions.find(userId, target);
    if (match !== null) return { kind: "doNotContact", match };
    if (action.actionType !== "sendConnectionRequest") return null;
    const contact = contacts.get(account, action.profileKey);
    if (contact?.relation === "connected") return { kind: "alreadyConnected", since: contact.connectedAt };
    if (contact?.relation === "pending") return { kind: "alreadyPending", since: contact.invitedAt };
    const lockedUntil = (contact?.withdrawnAt ?? -Infinity) + reinviteLockMs;
    return lockedUntil > now ? { kind: "cannotResendYet", until: lockedUntil } : null;
  };
}

/** These reach nobody: they take a contact back, or only look. */
const quiet = new Set<ActionType>(["withdrawConnectionRequest", "checkConnectionStatus"]);

/** After a withdrawal the network takes no new request to the same person for about three weeks. */
const reinviteLockMs = 21 * 86_400_000;
