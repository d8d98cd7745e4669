import type { User } from "../../../platform/auth/user-model.ts";
import { maxMembers } from "../members/model.ts";
import type { IssuedPerson, SignInPolicy, SignInProblem } from "./model.ts";
import type { IdentityFacts } from "./store.ts";

/** Why a person may not sign in, whoever they are here; null: they may. */
export function personProblem(
  { email, isVerified }: Pick<IssuedPerson, "email" | "isVerified">,
  { domains, trustsAddresses }: Pick<SignInPolicy, "domains" | "trustsAddresses">,
): SignInProblem | null {
  if (email === null) return "noAddress";
  // An issuer that says no is believed. At issuers where people choose their address, it proves nothing unless checked.
  if (isVerified === false || (isVerified === null && !trustsAddresses)) return "unverified";
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains.length === 0 || domains.includes("*") || domains.includes(domain) ? null : "domain";
}

export type Recognition =
  | { kind: "user"; user: User }
  /** A user who signs in by this issuer for the first time. */
  | { kind: "link"; user: User }
  | { kind: "provision"; workspace: NonNullable<IdentityFacts["workspace"]> }
  | { kind: "refuse"; problem: SignInProblem };

/**
 * Who a person is here. The account at the issuer decides; the address only at the first sign-in, because an address may
 * later belong to someone else.
 */
export function recognize(
  { known, byAddress, isTaken, workspace }: IdentityFacts,
  { role }: Pick<SignInPolicy, "role">,
  mayChange: boolean,
): Recognition {
  const user = known?.user ?? byAddress;
  if (user !== null && !user.isActive) return { kind: "refuse", problem: "deactivated" };
  if (known !== null) return { kind: "user", user: known.user };
  if (isTaken) return { kind: "refuse", problem: "taken" };
  if (byAddress === null && (role === null || workspace === null)) return { kind: "refuse", problem: "unknown" };
  if (!mayChange) return { kind: "refuse", problem: "readOnly" };
  if (byAddress !== null) return { kind: "link", user: byAddress };
  return workspace!.members >= maxMembers
    ? { kind: "refuse", problem: "full" }
    : { kind: "provision", workspace: workspace! };
}
