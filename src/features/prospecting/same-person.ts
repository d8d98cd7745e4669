import { namesakeIsSame } from "../leads/merge.ts";
import { folded } from "../../platform/identity/folded.ts";
import { prospectIdentity } from "./keys.ts";
import { isFormerEmail, mergedProspect } from "./merge.ts";
import type { ProspectContent } from "./model.ts";

type Told = Pick<ProspectContent, "firstName" | "lastName" | "email" | "networkUrl">;

/**
 * Whether two records can be one person, once somebody names both by what only one person has: not when they have
 * different addresses, profiles or names, because then one of the two was named by mistake, or the address is that of
 * many.
 */
export function canBeOne(one: Told, other: Told): boolean {
  if (!namesakeIsSame(prospectIdentity(one), prospectIdentity(other))) return false;
  return (["firstName", "lastName"] as const).every((part) => {
    const [a, b] = [folded(one[part] ?? ""), folded(other[part] ?? "")];
    // "K" is "Ka", too.
    return part === "firstName" ? a.startsWith(b) || b.startsWith(a) : a === "" || b === "" || a === b;
  });
}

/**
 * Whether somebody is meant by an address that he had before. Only where nothing else that is said speaks against it:
 * companies give the addresses of those who have left to others.
 */
export function isKnownBefore(known: ProspectContent, told: Told): boolean {
  if (told.email === undefined || !isFormerEmail(known, told.email)) return false;
  const { email: _current, ...others } = known;
  return canBeOne(others, told);
}

type Dated = { content: ProspectContent; updatedAt: number };

/** What is known of a person whom two records tell of, the first of which was there earlier. */
export function unitedContent(first: Dated, second: Dated): ProspectContent {
  return first.updatedAt <= second.updatedAt
    ? mergedProspect(first.content, second.content)
    : mergedProspect(second.content, first.content);
}
