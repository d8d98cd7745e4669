import type { LeadContent } from "./model.ts";

// SQLite folds the case of ASCII letters only, so that what searches look into is folded here and stored. Each field
// ends with a control character of its own, which no text of a lead contains.
const endOf = { name: "\u0001", email: "\u0002", company: "\u0003", title: "\u0004", source: "\u0005" } as const;

/** The column `folded` of a lead. */
export function foldedLead({ firstName, lastName, email, company, title, source }: LeadContent): string {
  const name = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : (firstName ?? lastName ?? "");
  const who = name + endOf.name + (email ?? "") + endOf.email;
  const what = (company ?? "") + endOf.company + (title ?? "") + endOf.title + (source ?? "") + endOf.source;
  return (who + what).toLowerCase();
}

/** What `folded` contains exactly when the e-mail address is this one. */
export function foldedEmail(email: string): string {
  return endOf.name + foldedText(email) + endOf.email;
}

/** What `folded` contains exactly when the company is this one. */
export function foldedCompany(company: string): string {
  return endOf.email + foldedText(company) + endOf.company;
}

/** What `folded` contains exactly when the source is this one. */
export function foldedSource(source: string): string {
  return endOf.title + foldedText(source) + endOf.source;
}

export function foldedText(text: string): string {
  return text.replace(/\p{Cc}/gu, "").toLowerCase();
}

const noTags: ReadonlySet<string> = new Set();

/** Tags are found without regard to case. */
export function foldedTags({ tags }: Pick<LeadContent, "tags">): ReadonlySet<string> {
  return tags.length === 0 ? noTags : new Set(tags.map((tag) => tag.toLowerCase()));
}
