import {
  leadTextFields,
  maxCustomFields,
  maxCustomFieldsBytes,
  maxTags,
  type Lead,
  type LeadContent,
} from "./model.ts";

/**
 * The content of a lead after a merge: texts of the newcomer replace ours unless they are absent, tags are combined, and
 * custom fields are merged by name. The status and the member stay, because they reflect our own work.
 */
export function mergedContent(lead: Lead, incoming: LeadContent): LeadContent {
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, incoming[field] ?? lead[field]]));
  return {
    ...(texts as Pick<LeadContent, (typeof leadTextFields)[number]>),
    status: lead.status,
    tags: [...new Set([...lead.tags, ...incoming.tags])].slice(0, maxTags),
    customFields: mergedFields(lead.customFields, incoming.customFields),
    assignedTo: lead.assignedTo ?? incoming.assignedTo,
  };
}

/** Omits fields that would exceed a limit, after which the lead could no longer be updated. */
function mergedFields(ours: Record<string, unknown>, incoming: Record<string, unknown>): Record<string, unknown> {
  let merged = ours;
  for (const [name, value] of Object.entries(incoming)) {
    const more = { ...merged, [name]: value };
    const bytes = Buffer.byteLength(JSON.stringify(more));
    if (Object.keys(more).length <= maxCustomFields && bytes <= maxCustomFieldsBytes) merged = more;
  }
  return merged;
}
