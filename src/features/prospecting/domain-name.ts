import { folded, companyKey } from "../../platform/identity/names.ts";
import { displayDomain } from "../../platform/identity/domain.ts";

// A company's domain is usually a variant of its name: without spaces or with hyphens, with or without the legal form,
// shortened to the part in everyday use, or reduced to its initials.

/** Shorter text is the beginning, or the initials, of too many names. */
const minLetters = 3;

/**
 * Whether a domain belongs to a company, judging by the names: coca-cola.com to Coca-Cola, us.ibm.com to IBM and to
 * International Business Machines, mueller.de to Müller GmbH, toyota.co.jp to Toyota Motor Europe.
 */
export function isNamedAfter(host: string, company: string): boolean {
  const names = namesOf(company);
  const spellings = names.flatMap(spellingsOf);
  const shortened = names.flatMap(shortenedOf).filter(({ length }) => length >= minLetters);
  // A company may have a subdomain at its mail provider: acme.onmicrosoft.com.
  if (spellings.includes(withoutSpaces(displayDomain(host).replace(/\..*/, "")))) return true;
  return labelsOf(host).some((label) =>
    [withoutSpaces(label), withoutSpaces(companyKey(label))].some(
      (text) => text !== "" && (spellings.includes(text) || shortened.includes(text)),
    ),
  );
}

/**
 * Whether a domain consists of letters of the name, in order and starting with the first: pwc.com for
 * PricewaterhouseCoopers.
 */
export function mayBeShortFor(host: string, company: string): boolean {
  if (isNamedAfter(host, company)) return true;
  const names = namesOf(company).map(withoutSpaces);
  return labelsOf(host)
    .map(withoutSpaces)
    .some((label) => label !== "" && names.some((name) => name[0] === label[0] && hasInOrder(name, label)));
}

/** The registered label: the one before the public suffix, which has two parts in some countries. */
function labelsOf(host: string): string[] {
  const labels = displayDomain(host).split(".");
  const [ending = "", last = "", beforeLast] = labels.toReversed();
  const mayBeOfEnding = ending.length === 2 && last.length <= 3;
  return (mayBeOfEnding && beforeLast !== undefined ? [last, beforeLast] : [last]).flatMap(namesOf);
}

/** A name as written, or with German and Nordic letters transliterated as in domains. */
function namesOf(name: string): string[] {
  const lower = name.normalize("NFC").toLowerCase();
  if (!umlauts.test(lower)) return [lower];
  return [transliterations.long, transliterations.short].map((letters) =>
    lower.replace(allUmlauts, (letter) => letters[letter] ?? letter),
  );
}

const transliterations: Record<"long" | "short", Record<string, string>> = {
  long: { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe", æ: "ae" },
  short: { ä: "a", ö: "o", ü: "u", å: "a", ø: "o", æ: "ae" },
};
const umlauts = /[äöüåøæ]/;
const allUmlauts = /[äöüåøæ]/g;

function spellingsOf(name: string): string[] {
  return [name, name.replaceAll("&", " and "), companyKey(name)].map(withoutSpaces);
}

/** The leading words of a name, and the initials of all words. */
function shortenedOf(name: string): string[] {
  const words = companyKey(name).split(" ");
  const initials = words.map((word) => word.slice(0, 1)).join("");
  return [...words.map((_, at) => words.slice(0, at + 1).join("")), initials];
}

function withoutSpaces(text: string): string {
  return folded(text).replaceAll(" ", "");
}

function hasInOrder(name: string, letters: string): boolean {
  let place = 0;
  for (const letter of letters) {
    place = name.indexOf(letter, place) + 1;
    if (place === 0) return false;
  }
  return true;
}
