import {
  leadTextFields,
  maxCustomFields,
  maxCustomFieldsBytes,
  maxTags,
  type Lead,
  type LeadContent,
} from "./model.ts";

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
    customFields: mergedFields(lead.customFields, incoming.customFields),
  };
}

/** Fields that would pass a limit are left out: the lead must stay one that can be changed. */
function mergedFields(ours: Record<string, unknown>, incoming: Record<string, unknown>): Record<string, unknown> {
  let merged = ours;
  for (const [name, value] of Object.entries(incoming)) {
    const more = { ...merged, [name]: value };
    const bytes = Buffer.byteLength(JSON.stringify(more));
    if (Object.keys(more).length <= maxCustomFields && bytes <= maxCustomFieldsBytes) merged = more;
  }
  return merged;
}
