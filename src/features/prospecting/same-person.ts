import { canBeOne } from "../leads/same-person.ts";
import { isFormerEmail, mergedProspect } from "./merge.ts";
import type { ProspectContent } from "./model.ts";

type PersonDetails = Pick<ProspectContent, "firstName" | "lastName" | "email" | "networkUrl">;

/**
 * Whether a former address identifies the person. Only if no other detail contradicts it: companies reassign the
 * addresses of former employees.
 */
export function isKnownBefore(known: ProspectContent, details: PersonDetails): boolean {
  if (details.email === undefined || !isFormerEmail(known, details.email)) return false;
  const { email: _current, ...others } = known;
  return canBeOne(others, details);
}

type Dated = { content: ProspectContent; updatedAt: number };

/** Merges two records of one person; the first one was stored earlier. */
export function unitedContent(first: Dated, second: Dated): ProspectContent {
  return first.updatedAt <= second.updatedAt
    ? mergedProspect(first.content, second.content)
    : mergedProspect(second.content, first.content);
}
