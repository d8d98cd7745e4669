import type { EnrichInput } from "../../../../../features/enrichment/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";

export type LeadToEnrich = EnrichInput["leads"][number];

/** As many as the server takes in one request. */
const maxPeople = 10_000;

/**
 * The people of a text, one a line, or of the fields of one: an address with an @ is an e-mail, one with a slash is a
 * profile, and what is parted by commas is first name, last name, company.
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
  // An address stands before the name or after it; what is left is the name, in its order.
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
