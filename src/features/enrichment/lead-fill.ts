import { leadContent } from "../leads/identity.ts";
import { leadTextFields, leadTextLimits, type Lead, type LeadTextField, type LeadUpdate } from "../leads/model.ts";
import type { EnrichField } from "./fields.ts";
import type { Merged } from "./model.ts";
import { worthPaying } from "./waterfall.ts";

/** Which finding fills which field of a lead, the first that there is. */
const sources: Partial<Record<LeadTextField, readonly EnrichField[]>> = {
  firstName: ["firstName"],
  lastName: ["lastName"],
  email: ["email"],
  company: ["company", "companyInfo.name"],
  title: ["title"],
  phone: ["phone"],
  networkUrl: ["networkUrl"],
  industry: ["companyInfo.industry"],
  location: ["location"],
};

/** What a result adds to a lead: only fields that are empty, only what is more than a guess and a lead can hold. */
export function leadFill(lead: Lead, merged: Merged): LeadUpdate {
  const fill: Partial<Record<LeadTextField, string>> = {};
  for (const [field, candidates] of Object.entries(sources) as [LeadTextField, readonly EnrichField[]][]) {
    if (lead[field] !== null) continue;
    const found = candidates.map((candidate) => merged[candidate]).find((each) => each !== undefined);
    if (found === undefined || found.confidence < worthPaying || typeof found.value !== "string") continue;
    if (found.value.length <= leadTextLimits[field]) fill[field] = found.value;
  }
  return withoutRefused(lead, fill);
}

/** Providers write addresses and URLs that a lead would not take. */
function withoutRefused(lead: Lead, fill: Partial<Record<LeadTextField, string>>): LeadUpdate {
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, fill[field] ?? lead[field]]));
  const checked = leadContent(texts);
  const refused = "errors" in checked ? checked.errors.map(({ path }) => path) : [];
  return Object.fromEntries(Object.entries(fill).filter(([field]) => !refused.includes(field)));
}
