import type { EnrichInput } from "../../../../../features/enrichment/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";

export type LeadToEnrich = EnrichInput["leads"][number];

/** Limit of the API per request. */
const maxPeople = 10_000;

/**
 * Parses people from text with one per line, or from the fields of one person. A value with an @ is an email address,
 * one with a slash is a profile URL, and comma-separated values are first name, last name, company.
 */
export function peopleIn(text: string | readonly string[]): LeadToEnrich[] {
  const lines = typeof text === "string" ? text.split("\n").map((line) => line.split(/[,;\t]/)) : [text];
  return lines
    .map((fields) => personIn(fields.map((field) => field.trim())))
    .filter((person) => Object.keys(person).length > 0)
    .slice(0, maxPeople);
}

function personIn(fields: readonly string[]): LeadToEnrich {
  const email = fields.find((field) => /^[^\s@]+@[^\s@]+$/.test(field));
  const networkUrl = fields.find((field) => field.includes("/"));
  // The email address or URL comes before the name or after it. The other values are the name, in order.
  const isAddressFirst = fields.length > 3;
  const names = isAddressFirst ? fields.slice(1) : fields.filter((field) => field !== email && field !== networkUrl);
  const [firstName, lastName, company] = names;
  const person = { email, networkUrl, firstName, lastName, company };
  return Object.fromEntries(Object.entries(person).filter(([, value]) => value));
}

/** Leads with the tag, oldest first. */
export async function leadsOfTag(tag: string): Promise<LeadToEnrich[]> {
  if (tag === "") return [];
  const found: LeadToEnrich[] = [];
  let cursor: string | null = null;
  do {
    const page: { leads: LeadView[]; nextCursor: string | null } = await api.get("/leads", {
      query: { tag, limit: 100, sort: "createdAt", cursor },
    });
    found.push(...page.leads.map(({ id }) => ({ leadId: id })));
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < maxPeople);
  return found.slice(0, maxPeople);
}
