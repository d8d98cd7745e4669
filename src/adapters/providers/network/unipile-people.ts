import type { ActionOrder, ConnectorOutcome } from "../../../features/network/connector.ts";
import type { Relation } from "../../../features/network/contact-model.ts";
import { Ending, outcomeOf, refused, sent } from "./ending.ts";
import { memberOf } from "./profile-address.ts";
import { Profile, SentInvitation, SentInvitations, Skills, textOf, type UnipileApi } from "./unipile-api.ts";
import { shaped } from "./vendor.ts";

/** Reads the person of an order, without notifying them. */
export async function profileOf(
  api: UnipileApi,
  order: ActionOrder,
  query: Record<string, string> = {},
): Promise<Profile> {
  const profile = await api.read({ path: `users/${memberOf(order)}`, query, schema: Profile });
  if (profile.is_self === true) throw new Ending(refused("ownProfile", "This is the profile of the account itself."));
  return profile;
}

export function relationOf({ is_relationship: isRelation, network_distance: distance, invitation }: Profile): Relation {
  if (isRelation === true || distance === "FIRST_DEGREE" || distance === "DISTANCE_1") return "connected";
  return shaped(SentInvitation, invitation)?.status === "PENDING" ? "pending" : "none";
}

export async function invite(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const profile = await profileOf(api, order);
  const relation = relationOf(profile);
  if (relation === "connected") return refused("alreadyConnected", "This person is already connected.", relation);
  if (relation === "pending") return refused("alreadyPending", "A connection request is already pending.", relation);
  const outcome = await outcomeOf(async () => {
    const { invitation_id: id } = await api.act({
      path: "users/invite",
      body: {
        json: {
          provider_id: profile.provider_id,
          account_id: api.accountId,
          ...(order.message && { message: order.message }),
        },
      },
      unreachable: "requestNotAllowed",
    });
    return sent(textOf(id), "pending");
  });
  if (outcome.kind !== "refused" || outcome.refusal !== "alreadyPending") return outcome;
  // The API has the same error for a pending request and for one that was withdrawn some weeks ago.
  return wasWithdrawn(profile) ? { ...outcome, refusal: "cannotResendYet", relation: "none" } : outcome;
}

/** No account has more pending requests than this: the network refuses to send more long before. */
const maxInvitationPages = 50;

export async function withdraw(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const profile = await profileOf(api, order);
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < maxInvitationPages; pages++) {
    const query: Record<string, string> = { limit: "100", ...(cursor && { cursor }) };
    const found: typeof SentInvitations.static = await api.read({
      path: "users/invite/sent",
      query,
      schema: SentInvitations,
    });
    const invitation = found.items.find(({ invited_user_id: id }) => id === profile.provider_id);
    if (invitation !== undefined) {
      const path = `users/invite/sent/${encodeURIComponent(invitation.id)}`;
      await api.act({ method: "DELETE", path, missing: "notPending" });
      return sent(invitation.id, "none");
    }
    cursor = found.items.length > 0 && found.cursor ? found.cursor : null;
  }
  return refused("notPending", "No pending connection request to this person found.", relationOf(profile));
}

export async function endorse(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const profile = await profileOf(api, order, { linkedin_sections: "skills" });
  const wanted = order.details.skill?.trim().toLowerCase();
  const skill = (shaped(Skills, profile.skills) ?? []).find(
    ({ name, endorsement_id: id }) => id && (wanted === undefined || name.trim().toLowerCase() === wanted),
  );
  if (skill === undefined)
    return refused("skillNotFound", "The profile does not list this skill, or it cannot be endorsed.");
  const json = {
    account_id: api.accountId,
    profile_id: profile.provider_id,
    skill_endorsement_id: Number(skill.endorsement_id),
  };
  const { endorsed } = await api.act({ path: "linkedin/profile/endorse", body: { json } });
  if (endorsed === false) return refused("requestNotAllowed", "The network did not accept the endorsement.");
  return sent(skill.name);
}

function wasWithdrawn({ invitation }: Profile): boolean {
  return shaped(SentInvitation, invitation)?.status === "WITHDRAWN";
}
