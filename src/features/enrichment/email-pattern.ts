import { canonicalEmail } from "../../platform/identity/email.ts";
import { witnessed } from "./witnesses.ts";

/** The forms that companies make addresses of, the most common first. */
const patterns = {
  "first.last": (first: string, last: string) => `${first}.${last}`,
  flast: (first: string, last: string) => `${first[0]}${last}`,
  first: (first: string) => first,
  firstlast: (first: string, last: string) => `${first}${last}`,
  "f.last": (first: string, last: string) => `${first[0]}.${last}`,
  firstl: (first: string, last: string) => `${first}${last[0]}`,
  first_last: (first: string, last: string) => `${first}_${last}`,
  "first-last": (first: string, last: string) => `${first}-${last}`,
  last: (_first: string, last: string) => last,
  "last.first": (first: string, last: string) => `${last}.${first}`,
  lastf: (first: string, last: string) => `${last}${first[0]}`,
  lastfirst: (first: string, last: string) => `${last}${first}`,
  "first.l": (first: string, last: string) => `${first}.${last[0]}`,
  fl: (first: string, last: string) => `${first[0]}${last[0]}`,
} as const;
export type EmailPattern = keyof typeof patterns;
const names = Object.keys(patterns) as EmailPattern[];

export type KnownAddress = { firstName: string | null; lastName: string | null; email: string | null };
export type GuessedAddress = { email: string; confidence: number; pattern: EmailPattern };

/** What a guess by the most common form of all is worth. */
const priorSureness = 0.3;

/**
 * The likeliest address of a person at a domain, learned from addresses known there, which the caller has found. With
 * none it is the most common form of all. Null for a name that has no letters to make an address of.
 */
export function guessAddress(
  firstName: string,
  lastName: string,
  domain: string,
  known: readonly KnownAddress[],
): GuessedAddress | null {
  const [first, last] = spelled(firstName, lastName);
  if (first === "" || last === "") return null;
  const counts = countPatterns(known);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [pattern, count] = [...counts].toSorted(
    (a, b) => b[1] - a[1] || names.indexOf(a[0]) - names.indexOf(b[0]),
  )[0] ?? ["first.last" as const, 0];
  const confidence = count === 0 ? priorSureness : witnessed(count, total);
  return { email: `${patterns[pattern](first, last)}@${domain}`, confidence, pattern };
}

/** How often each pattern stands behind distinct addresses. */
function countPatterns(known: readonly KnownAddress[]): Map<EmailPattern, number> {
  const counts = new Map<EmailPattern, number>();
  const seen = new Set<string>();
  for (const { firstName, lastName, email } of known) {
    if (!firstName || !lastName || !email || seen.has(canonicalEmail(email))) continue;
    seen.add(canonicalEmail(email));
    const pattern = patternOf(firstName, lastName, email);
    if (pattern !== null) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  return counts;
}

/** The pattern that makes this address of this name; null when none does. */
export function patternOf(firstName: string, lastName: string, email: string): EmailPattern | null {
  const [first, last] = spelled(firstName, lastName);
  if (first === "" || last === "") return null;
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase();
  return names.find((name) => patterns[name](first, last) === local) ?? null;
}

/** Letters that have no accent to lose but a spelling of their own in addresses. */
const spellings: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ð: "d",
  þ: "th",
  ł: "l",
  đ: "d",
  ı: "i",
};

/** Of several given names the first one, of a family name all its words. */
function spelled(firstName: string, lastName: string): [string, string] {
  return [letters(firstName.trim().split(/\s+/)[0] ?? ""), letters(lastName)];
}

/** Only a to z, as addresses spell a name. */
function letters(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßæœøðþłđı]/g, (letter) => spellings[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[^a-z]/g, "");
}
