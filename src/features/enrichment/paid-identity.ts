import { leadIdentity } from "../leads/identity.ts";
import type { LeadIdentity } from "../leads/model.ts";
import type { EnrichField } from "./fields.ts";
import type { Merged } from "./model.ts";

/** Surer than any guess, which may be somebody else's address. */
const sureOfIdentity = 0.75;
/**
 * The user's own lists tell a profile of one person whom a name and company mean, and guess none. Less sure than that is a
 * record under another last name.
 */
const sureOfOwnProfile = 0.5;

/** What somebody who is paid for is known by: what was known then, and what was found in the place of the rest. */
export function paidIdentity(identity: LeadIdentity, merged: Merged): LeadIdentity {
  const found = (field: EnrichField, least = sureOfIdentity): string | null => {
    const { value, confidence } = merged[field] ?? { value: null, confidence: 0 };
    return typeof value === "string" && confidence >= least ? value : null;
  };
  const isOwnProfile = merged.networkUrl?.providers.includes("local") === true;
  const { email, network, name } = leadIdentity({
    email: found("email"),
    networkUrl: found("networkUrl", isOwnProfile ? sureOfOwnProfile : sureOfIdentity),
    firstName: found("firstName"),
    lastName: found("lastName"),
    company: found("company"),
  });
  return { email: identity.email ?? email, network: identity.network ?? network, name: identity.name ?? name };
}
