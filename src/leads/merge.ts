import { leadTextFields, maxTags, type Lead, type LeadContent, type LeadIdentity } from "./model.ts";

/**
 * What a lead becomes when the same person is told of again: texts that the newcomer has replace ours, texts that it
 * lacks stay; tags are joined; custom fields are merged by name. The status stays: it is where our work stands.
 */
export function mergedContent(lead: Lead, incoming: LeadContent): LeadContent {
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, incoming[field] ?? lead[field]]));
  return {
    ...(texts as Pick<LeadContent, (typeof leadTextFields)[number]>),
    status: lead.status,
    tags: [...new Set([...lead.tags, ...incoming.tags])].slice(0, maxTags),
    customFields: { ...lead.customFields, ...incoming.customFields },
  };
}

/**
 * Whether a lead with the same name and company is the same person: yes, unless both have an e-mail address, or both
 * have a profile, and those differ.
 */
export function namesakeIsSame(ours: LeadIdentity, theirs: LeadIdentity): boolean {
  const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;
  return !differ(ours.email, theirs.email) && !differ(ours.network, theirs.network);
}
