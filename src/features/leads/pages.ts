import type { StoredLead } from "./decisions.ts";
import type { Lead, LeadPlace, LeadSort } from "./model.ts";

/** The page in a list that was read one lead further than the page is long. */
export function pageOf(
  found: readonly StoredLead[],
  { limit, sort }: { limit: number; sort: LeadSort },
): { leads: Lead[]; next: LeadPlace | null } {
  const last = found.length > limit ? found[limit - 1] : undefined;
  const value = last?.lead[sort.field];
  return {
    leads: found.slice(0, limit).map(({ lead }) => lead),
    next:
      last === undefined ? null : { value: typeof value === "number" ? value : asciiLower(value ?? ""), tie: last.seq },
  };
}

/** As the database folds what it sorts by: letters beyond ASCII stay as they are. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
