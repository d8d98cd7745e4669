import { leadIdentity } from "../leads/identity.ts";
import type { LeadIdentity } from "../leads/model.ts";
import type { EnrichField } from "./fields.ts";
import type { Merged } from "./model.ts";

/** Higher than any guess, because a guessed address may belong to another person. */
const minIdentityConfidence = 0.75;
/**
 * Profiles from the user's own lists are never guesses: name and company match exactly one person. Only records under a
 * different last name have a lower confidence than this.
 */
const minOwnProfileConfidence = 0.5;

/** The identity of a person who is paid for: known identifiers, completed with findings. */
export function paidIdentity(identity: LeadIdentity, merged: Merged): LeadIdentity {
  const found = (field: EnrichField, minConfidence = minIdentityConfidence): string | null => {
    const { value, confidence } = merged[field] ?? { value: null, confidence: 0 };
    return typeof value === "string" && confidence >= minConfidence ? value : null;
  };
  const isOwnProfile = merged.networkUrl?.providers.includes("local") === true;
  const { email, network, name } = leadIdentity({
    email: found("email"),
    networkUrl: found("networkUrl", isOwnProfile ? minOwnProfileConfidence : minIdentityConfidence),
    firstName: found("firstName"),
    lastName: found("lastName"),
    company: found("company"),
  });
  return { email: identity.email ?? email, network: identity.network ?? network, name: identity.name ?? name };
}
