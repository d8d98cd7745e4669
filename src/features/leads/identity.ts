import { canonicalEmail, emailPattern } from "../../platform/identity/email.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { multiLine, singleLine } from "../../platform/base/text.ts";
import { personNameKey } from "../../platform/identity/person-name.ts";
import { isWholeEastAsianName } from "../../platform/identity/east-asian-name.ts";
import {
  leadTextFields,
  leadTextLimits,
  maxCustomFields,
  maxCustomFieldsBytes,
  maxTagLength,
  maxTags,
  type LeadContent,
  type LeadIdentity,
  type LeadInput,
  type LeadStatus,
  type LeadTextField,
} from "./model.ts";

export type LeadDraft = LeadInput & { status?: LeadStatus };

/**
 * Cleans the data of a lead: trims texts, removes control characters (only notes keep line breaks), treats empty texts as
 * absent, and drops duplicate tags. Returns the content to store and its identity, or all validation errors. Used for
 * requests, for rows of an import, and, with the merged lead, for updates.
 */
export function leadContent(
  draft: LeadDraft,
): { content: LeadContent; identity: LeadIdentity } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  // Not spread: copying an object that was built field by field takes longer than everything else here.
  const content: LeadContent = Object.assign(cleanTexts(draft, errors), {
    status: draft.status ?? "new",
    tags: cleanTags(draft.tags ?? [], errors),
    customFields: draft.customFields ?? {},
  });
  checkCustomFields(content.customFields, errors);
  const identity = leadIdentity(content);
  if (content.email !== null && !emailPattern.test(content.email))
    errors.push({ path: "email", message: `"${shortened(content.email)}" is not an email address.` });
  if (content.networkUrl !== null && identity.network === null)
    errors.push({
      path: "networkUrl",
      message: `"${shortened(content.networkUrl)}" is not an http or https URL of a profile.`,
    });
  if (errors.length === 0 && !isIdentified(identity)) errors.push({ path: "", message: identifierHelp });
  return errors.length > 0 ? { errors } : { content, identity };
}

function cleanTexts(draft: LeadDraft, errors: FieldError[]): Record<LeadTextField, string | null> {
  const texts = {} as Record<LeadTextField, string | null>;
  for (const field of leadTextFields) {
    const value = draft[field];
    const text = (value && (field === "notes" ? multiLine(value) : singleLine(value))) || null;
    if (text !== null && text.length > leadTextLimits[field])
      errors.push({
        path: field,
        message: `Expected at most ${leadTextLimits[field]} characters, got ${text.length}.`,
      });
    texts[field] = text;
  }
  return texts;
}

function cleanTags(tags: string[], errors: FieldError[]): string[] {
  const clean: string[] = [];
  for (const tag of tags.map(singleLine))
    if (tag !== "" && !clean.includes(tag) && clean.length <= maxTags) clean.push(tag);
  const long = clean.find((tag) => tag.length > maxTagLength);
  if (long !== undefined)
    errors.push({
      path: "tags",
      message: `Expected at most ${maxTagLength} characters in a tag, got "${shortened(long)}".`,
    });
  if (clean.length > maxTags) errors.push({ path: "tags", message: `Expected at most ${maxTags} tags.` });
  return clean;
}

function checkCustomFields(customFields: Record<string, unknown>, errors: FieldError[]): void {
  const count = Object.keys(customFields).length;
  if (count === 0) return;
  if (count > maxCustomFields)
    errors.push({ path: "customFields", message: `Expected at most ${maxCustomFields} fields, got ${count}.` });
  if (Buffer.byteLength(JSON.stringify(customFields)) > maxCustomFieldsBytes)
    errors.push({ path: "customFields", message: `Expected at most ${maxCustomFieldsBytes} bytes of JSON in all.` });
}

export const identifierHelp =
  "A lead needs an identifier: an email, a networkUrl, or firstName, lastName and company together.";

/** The identifiers by which duplicates are found. A first name that is a full name, "山田太郎", needs no last name. */
export function leadIdentity(
  lead: Pick<LeadContent, "email" | "networkUrl" | "firstName" | "lastName" | "company">,
): LeadIdentity {
  const { firstName, lastName, company } = lead;
  return {
    email: lead.email === null ? null : canonicalEmail(lead.email),
    network: lead.networkUrl === null ? null : canonicalProfileUrl(lead.networkUrl),
    name:
      firstName && company && (lastName || isWholeEastAsianName(firstName))
        ? personNameKey(firstName, lastName ?? "", company)
        : null,
  };
}

function isIdentified(identity: LeadIdentity): boolean {
  return identity.email !== null || identity.network !== null || identity.name !== null;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
