import type { StoredLead } from "./decisions.ts";
import type { Lead, LeadPlace, LeadSort } from "./model.ts";

/** The page of a list that was read up to one lead beyond it. */
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

/** Lower case as in the database's sort order: only ASCII letters change. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
