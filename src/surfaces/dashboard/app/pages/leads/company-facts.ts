import type { EnrichmentResult } from "../../../../../features/enrichment/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api, RequestError } from "../../api.ts";
import type { ReadLead } from "./lead-form.tsx";

/** Custom fields for what leads have no field of their own for. Messages can use them as variables. */
const customNames: Record<string, string> = {
  website: "companyWebsite",
  size: "companySize",
  headquarters: "companyHeadquarters",
  founded: "companyFounded",
  description: "companyDescription",
};
/** Below, a finding is a guess, which the server does not write to leads, either. */
const minConfidence = 0.6;
const maxTries = 3;

/** The domain of the lead's company, as far as it is known: its website, or else that of the email address. */
export function companyDomain({ customFields, email }: LeadView): string {
  const { companyWebsite } = customFields;
  if (typeof companyWebsite === "string" && companyWebsite !== "") return companyWebsite;
  return email?.split("@").at(-1) ?? "";
}

/** Fills in what the lead lacks at the time of writing. Returns the names of the fields. */
export async function saveCompany(leadId: string, result: EnrichmentResult): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const response = await api.answer("GET", `/leads/${leadId}`);
    const { data } = (await response.json()) as { data: ReadLead["lead"] };
    const { texts, customFields } = missingFacts(data, result);
    const names = [...Object.keys(texts), ...Object.keys(customFields)];
    if (names.length === 0) return [];
    const version = response.headers.get("etag");
    try {
      await api.answer("PATCH", `/leads/${leadId}`, {
        body: {
          ...texts,
          ...(Object.keys(customFields).length > 0 && { customFields: { ...data.customFields, ...customFields } }),
        },
        ...(version !== null && { headers: { "if-match": version } }),
      });
      return names;
    } catch (error) {
      // Someone else changed the lead meanwhile, and may have filled in the same.
      if (!(error instanceof RequestError) || error.status !== 412 || attempt === maxTries) throw error;
    }
  }
}

/** The findings that the lead has no value for. */
export function missingFacts(
  lead: LeadView,
  { enrichedData, fieldConfidence }: Pick<EnrichmentResult, "enrichedData" | "fieldConfidence">,
): { texts: Record<string, string>; customFields: Record<string, string> } {
  const texts: Record<string, string> = {};
  const customFields: Record<string, string> = {};
  for (const [name, text] of Object.entries(enrichedData.companyInfo ?? {})) {
    if ((fieldConfidence[`companyInfo.${name}`] ?? 0) < minConfidence || text === "") continue;
    const customName = customNames[name];
    const field = name === "name" ? "company" : name === "industry" ? "industry" : null;
    if (field !== null) {
      if (lead[field] === null) texts[field] = text;
    } else if (customName !== undefined && !(customName in lead.customFields)) customFields[customName] = text;
  }
  return { texts, customFields };
}
