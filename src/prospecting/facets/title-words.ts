import { folded } from "./fold.ts";
import { titleSynonyms } from "./title-synonyms.ts";

/** More words than this no title has; what only looks like one must not fill the index. */
const maxTitleWords = 24;
const fillers = new Set("of the and for in at to a an de la le du des der die und et y e di & i".split(" "));

/** What a title is found by: its words, and the short name of each office that it means. */
export function titleTerms(title: string): string[] {
  const terms = new Set<string>();
  for (const { name, words } of offices(title)) {
    if (name !== null) terms.add(name);
    for (const word of words) if (terms.size < maxTitleWords) terms.add(word);
  }
  return [...terms];
}

/**
 * What a title must have to fit a wanted one: its words, an office by its short name however it is written.
 *
 * @example wantedTitle("Vice President of Sales") // ["vp", "sales"], as wantedTitle("VP, Sales")
 */
export function wantedTitle(title: string): string[] {
  const terms = offices(title).flatMap(({ name, words }) => (name === null ? words : [name]));
  return [...new Set(terms)].slice(0, maxTitleWords);
}

/** `words` of an office are those that may find it by themselves: "chief" finds a CTO, "president" no vice president. */
type Part = { name: string | null; words: readonly string[] };

/** The title cut into offices, the longest first, and other words. */
function offices(title: string): Part[] {
  const words = folded(title.replace(initials, (letters) => letters.replaceAll(".", "")))
    .split(" ")
    .filter((word) => word !== "" && !fillers.has(word));
  const parts: Part[] = [];
  for (let at = 0; at < words.length;) {
    const office = officeAt(words, at);
    parts.push(office?.part ?? { name: null, words: [words[at]!] });
    at += office?.length ?? 1;
  }
  return parts;
}

/** C.E.O., V.P. */
const initials = /\b(?:\p{L}\.){2,}/gu;

function officeAt(words: string[], at: number): { part: Part; length: number } | null {
  const { byForm, longestForm } = (knownOffices ??= officesByForm());
  for (let length = Math.min(longestForm, words.length - at); length > 0; length--) {
    const part = byForm.get(words.slice(at, at + length).join(" "));
    if (part !== undefined) return { part, length };
  }
  return null;
}

type Offices = { byForm: Map<string, Part>; longestForm: number };

/** Made with the first title: it takes a tenth of a start, and most starts are followed by none. */
let knownOffices: Offices | null = null;

function officesByForm(): Offices {
  const byForm = new Map<string, Part>();
  for (const { name, forms, words } of titleSynonyms)
    for (const form of [name, ...forms]) byForm.set(wordsOf(form), { name, words: words ?? [] });
  return { byForm, longestForm: Math.max(...[...byForm.keys()].map((form) => form.split(" ").length)) };
}

function wordsOf(form: string): string {
  return folded(form)
    .split(" ")
    .filter((word) => !fillers.has(word))
    .join(" ");
}
