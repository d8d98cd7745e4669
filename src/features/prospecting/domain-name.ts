import { folded } from "../../platform/identity/folded.ts";
import { companyKey } from "../../platform/identity/company-key.ts";
import { displayDomain } from "../../platform/identity/domain.ts";

// A company's domain is its name in another spelling: without blanks or with hyphens for them, with its legal form or
// without, as far as it is said every day, or as its initials.

/** What is shorter than this is the beginning, or the initials, of too many names. */
const leastLetters = 3;

/**
 * Whether a domain is that of a company, as far as the names tell: coca-cola.com of Coca-Cola, us.ibm.com of IBM and of
 * International Business Machines, mueller.de of Müller GmbH, toyota.co.jp of Toyota Motor Europe.
 */
export function isNamedAfter(host: string, company: string): boolean {
  const names = namesOf(company);
  const spellings = names.flatMap(spellingsOf);
  const shortened = names.flatMap(shortenedOf).filter(({ length }) => length >= leastLetters);
  // A company may have a place of its own at somebody who runs its mail: acme.onmicrosoft.com.
  if (spellings.includes(squeezed(displayDomain(host).replace(/\..*/, "")))) return true;
  return labelsOf(host).some((label) =>
    [squeezed(label), squeezed(companyKey(label))].some(
      (text) => text !== "" && (spellings.includes(text) || shortened.includes(text)),
    ),
  );
}

/** Whether a domain has letters of the name, in their order and from the first on: pwc.com of PricewaterhouseCoopers. */
export function mayBeShortFor(host: string, company: string): boolean {
  if (isNamedAfter(host, company)) return true;
  const names = namesOf(company).map(squeezed);
  return labelsOf(host)
    .map(squeezed)
    .some((label) => label !== "" && names.some((name) => name[0] === label[0] && hasInOrder(name, label)));
}

/** What a company registered: the label before the ending, which has two parts in some countries. */
function labelsOf(host: string): string[] {
  const labels = displayDomain(host).split(".");
  const [ending = "", last = "", beforeLast] = labels.toReversed();
  const mayBeOfEnding = ending.length === 2 && last.length <= 3;
  return (mayBeOfEnding && beforeLast !== undefined ? [last, beforeLast] : [last]).flatMap(namesOf);
}

/** A name as it stands, or in the letters that a domain has for those of Germany and the North. */
function namesOf(name: string): string[] {
  const lower = name.normalize("NFC").toLowerCase();
  if (!umlauts.test(lower)) return [lower];
  return [written.long, written.short].map((letters) =>
    lower.replace(allUmlauts, (letter) => letters[letter] ?? letter),
  );
}

const written: Record<"long" | "short", Record<string, string>> = {
  long: { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe", æ: "ae" },
  short: { ä: "a", ö: "o", ü: "u", å: "a", ø: "o", æ: "ae" },
};
const umlauts = /[äöüåøæ]/;
const allUmlauts = /[äöüåøæ]/g;

function spellingsOf(name: string): string[] {
  return [name, name.replaceAll("&", " and "), companyKey(name)].map(squeezed);
}

/** Its first words, and the initials of all of them. */
function shortenedOf(name: string): string[] {
  const words = companyKey(name).split(" ");
  const initials = words.map((word) => word.slice(0, 1)).join("");
  return [...words.map((_, at) => words.slice(0, at + 1).join("")), initials];
}

function squeezed(text: string): string {
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
