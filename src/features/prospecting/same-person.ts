import { canBeOne } from "../leads/same-person.ts";
import { isFormerEmail, mergedProspect } from "./merge.ts";
import type { ProspectContent } from "./model.ts";

type Told = Pick<ProspectContent, "firstName" | "lastName" | "email" | "networkUrl">;

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
