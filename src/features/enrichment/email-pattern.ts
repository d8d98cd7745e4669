import { canonicalEmail } from "../../platform/identity/email.ts";
import { agreementConfidence } from "./consensus.ts";

/** Common address formats of companies, most common first. */
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
const patternNames = Object.keys(patterns) as EmailPattern[];

export type KnownAddress = { firstName: string | null; lastName: string | null; email: string | null };
export type GuessedAddress = { email: string; confidence: number; pattern: EmailPattern };

/** Confidence in a guess based on the most common format alone. */
const priorConfidence = 0.3;

/**
 * Guesses the most likely address of a person at a domain from `known` addresses there, or from the most common format
 * if there are none. Null if the name contains no usable letters.
 */
export function guessAddress(
  firstName: string,
  lastName: string,
  domain: string,
  known: readonly KnownAddress[],
): GuessedAddress | null {
  const [first, last] = normalizeName(firstName, lastName);
  if (first === "" || last === "") return null;
  const counts = countPatterns(known);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [pattern, count] = [...counts].toSorted(
    (a, b) => b[1] - a[1] || patternNames.indexOf(a[0]) - patternNames.indexOf(b[0]),
  )[0] ?? ["first.last" as const, 0];
  const confidence = count === 0 ? priorConfidence : agreementConfidence(count, total);
  return { email: `${patterns[pattern](first, last)}@${domain}`, confidence, pattern };
}

/** Number of distinct addresses per pattern. */
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

/** The pattern that produces this address from this name, or null. */
export function patternOf(firstName: string, lastName: string, email: string): EmailPattern | null {
  const [first, last] = normalizeName(firstName, lastName);
  if (first === "" || last === "") return null;
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase();
  return patternNames.find((name) => patterns[name](first, last) === local) ?? null;
}

/** Letters that cannot be reduced by removing accents and are transliterated in addresses. */
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

/** Uses the first of several given names, and all words of the family name. */
function normalizeName(firstName: string, lastName: string): [string, string] {
  return [latinLetters(firstName.trim().split(/\s+/)[0] ?? ""), latinLetters(lastName)];
}

/** Reduces a name to the letters a to z, as in addresses. */
function latinLetters(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßæœøðþłđı]/g, (letter) => spellings[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[^a-z]/g, "");
}
