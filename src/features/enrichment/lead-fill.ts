import { leadContent } from "../leads/identity.ts";
import { leadTextFields, leadTextLimits, type Lead, type LeadTextField, type LeadUpdate } from "../leads/model.ts";
import type { EnrichField } from "./fields.ts";
import type { Merged } from "./model.ts";
import { minBillableConfidence } from "./waterfall.ts";

/** Enrichment fields that fill each lead field, in order of preference. */
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

/** The update that fills empty fields of a lead with findings that are more than a guess and fit the field. */
export function leadFill(lead: Lead, merged: Merged): LeadUpdate {
  const fill: Partial<Record<LeadTextField, string>> = {};
  for (const [field, candidates] of Object.entries(sources) as [LeadTextField, readonly EnrichField[]][]) {
    if (lead[field] !== null) continue;
    const found = candidates.map((candidate) => merged[candidate]).find((each) => each !== undefined);
    if (found === undefined || found.confidence < minBillableConfidence || typeof found.value !== "string") continue;
    if (found.value.length <= leadTextLimits[field]) fill[field] = found.value;
  }
  return withoutInvalid(lead, fill);
}

/** Removes provider values that are not valid for a lead, such as malformed addresses and URLs. */
function withoutInvalid(lead: Lead, fill: Partial<Record<LeadTextField, string>>): LeadUpdate {
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, fill[field] ?? lead[field]]));
  const checked = leadContent(texts);
  const invalidFields = "errors" in checked ? checked.errors.map(({ path }) => path) : [];
  return Object.fromEntries(Object.entries(fill).filter(([field]) => !invalidFields.includes(field)));
}
