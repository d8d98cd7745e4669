import type { LeadContent } from "./model.ts";

// SQLite folds the case of ASCII letters only, so the text that searches read is folded here and stored. Each field ends
// with a different control character; texts of leads contain none.
const endOf = { name: "\u0001", email: "\u0002", company: "\u0003", title: "\u0004", source: "\u0005" } as const;

/** The column `folded` of a lead. */
export function foldedLead({ firstName, lastName, email, company, title, source }: LeadContent): string {
  const name = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : (firstName ?? lastName ?? "");
  const who = name + endOf.name + (email ?? "") + endOf.email;
  const what = (company ?? "") + endOf.company + (title ?? "") + endOf.title + (source ?? "") + endOf.source;
  return (who + what).toLowerCase();
}

/** Part of `folded` if and only if this is the email address. */
export function foldedEmail(email: string): string {
  return endOf.name + foldedText(email) + endOf.email;
}

/** Part of `folded` if and only if this is the company. */
export function foldedCompany(company: string): string {
  return endOf.email + foldedText(company) + endOf.company;
}

/** Part of `folded` if and only if this is the source. */
export function foldedSource(source: string): string {
  return endOf.title + foldedText(source) + endOf.source;
}

export function foldedText(text: string): string {
  return text.replace(/\p{Cc}/gu, "").toLowerCase();
}

const noTags: ReadonlySet<string> = new Set();

/** Searches for tags ignore case. */
export function foldedTags({ tags }: Pick<LeadContent, "tags">): ReadonlySet<string> {
  return tags.length === 0 ? noTags : new Set(tags.map((tag) => tag.toLowerCase()));
}
