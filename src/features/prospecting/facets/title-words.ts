import { folded } from "../../../platform/identity/names.ts";
import { ambiguous, spelledOut, titleSynonyms } from "./title-synonyms.ts";

/** No real title has more words. Limits what other text can add to the index. */
const maxTitleWords = 24;
const fillers = new Set("of the and for in at to a an de la le du des der die und et y e di & i".split(" "));

/** Index terms of a title: its words, the short name of each office, and the possible meanings of its abbreviations. */
export function titleTerms(title: string): string[] {
  return firstOf(parts(title).flatMap(({ sure, possible }) => [...sure, ...possible]));
}

/** The terms among `titleTerms` that the title certainly means. */
export function sureTitleTerms(title: string): string[] {
  return firstOf(parts(title).flatMap(({ sure }) => sure));
}

/**
 * Terms that a title needs to match the given one: its words, with offices replaced by their short names.
 *
 * @example wantedTitle("Vice President of Sales") // ["vp", "sales"], as wantedTitle("VP, Sales")
 */
export function wantedTitle(title: string): string[] {
  return firstOf(parts(title).flatMap(({ wanted }) => wanted));
}

function firstOf(terms: readonly string[]): string[] {
  return [...new Set(terms)].slice(0, maxTitleWords);
}

/**
 * A piece of a title. An office is searched for by its short name but also found by other words: "chief" finds a CTO,
 * but "president" does not find a vice president. `possible`: alternative meanings, such as "Eng" and "Engineering".
 */
type Part = { sure: readonly string[]; possible: readonly string[]; wanted: readonly string[] };

/** Splits the title into offices, longest first, and other words. */
function parts(title: string): Part[] {
  const words = wordsOf(withoutInitialDots(title));
  const found: Part[] = [];
  for (let at = 0; at < words.length;) {
    const office = officeAt(words, at);
    found.push(office?.part ?? plainPart(words[at]!));
    at += office?.length ?? 1;
  }
  return found;
}

/** CEO for C.E.O., VP for V.P. */
export function withoutInitialDots(title: string): string {
  return title.replace(initials, (letters) => letters.replaceAll(".", ""));
}

const initials = /\b(?:\p{L}\.){2,}/gu;

function wordsOf(text: string): string[] {
  return folded(text)
    .split(" ")
    .filter((word) => word !== "" && !fillers.has(word))
    .map((word) => (Object.hasOwn(spelledOut, word) ? spelledOut[word]! : word));
}

function plainPart(word: string): Part {
  return { sure: [word], possible: [...abbreviationsOf(word), ...meaningsOf(word)], wanted: [word] };
}

function meaningsOf(word: string): readonly string[] {
  return Object.hasOwn(ambiguous, word) ? ambiguous[word]! : [];
}

function abbreviationsOf(word: string): readonly string[] {
  return abbreviations.get(word) ?? [];
}

const abbreviations = new Map(
  Object.entries(ambiguous).flatMap(([short, meanings]) => meanings.map((word) => [word, [short]] as const)),
);

function officeAt(words: string[], at: number): { part: Part; length: number } | null {
  const { byForm, byShortForm, longestForm } = (knownOffices ??= officesByForm());
  for (let length = Math.min(longestForm, words.length - at); length > 0; length--) {
    const form = words.slice(at, at + length).join(" ");
    const part = byForm.get(form) ?? (isOfTeam(words, at, length) ? undefined : byShortForm.get(form));
    if (part !== undefined) return { part, length };
  }
  return null;
}

/** "Software Dev Manager" and "Head of Software Dev" lead developers but are not developers. */
function isOfTeam(words: readonly string[], at: number, length: number): boolean {
  return leaders.has(words[at - 1] ?? "") || leaders.has(words[at + length] ?? "");
}

const leaders = new Set("manager lead leader director head vp svp evp avp supervisor management team".split(" "));

/** `byShortForm`: forms with ambiguous abbreviations. */
type Offices = { byForm: Map<string, Part>; byShortForm: Map<string, Part>; longestForm: number };

/** Built when the first title is read: it would add a tenth to the startup time and is often not needed. */
let knownOffices: Offices | null = null;

function officesByForm(): Offices {
  const byForm = new Map<string, Part>();
  const byShortForm = new Map<string, Part>();
  for (const { name, forms, words = [] } of titleSynonyms) {
    const sure = [name, ...words];
    const office: Part = { sure, possible: sure.flatMap(abbreviationsOf), wanted: [name] };
    for (const form of [name, ...forms].map(wordsOf)) {
      byForm.set(form.join(" "), office);
      for (const short of shortened(form)) {
        // Ambiguous: "Software Eng" is a software engineer, or software engineering.
        const possible = [...office.possible, ...short.flatMap(meaningsOf)];
        if (!byShortForm.has(short.join(" "))) byShortForm.set(short.join(" "), { sure, possible, wanted: short });
      }
    }
  }
  return { byForm, byShortForm, longestForm: Math.max(...[...byForm.keys()].map((form) => form.split(" ").length)) };
}

/** A form of an office with ambiguous abbreviations. */
function shortened(form: readonly string[]): string[][] {
  const options = form.map((word) => [word, ...abbreviationsOf(word)]);
  const all = options.reduce<string[][]>(
    (starts, words) => starts.flatMap((start) => words.map((word) => [...start, word])),
    [[]],
  );
  return all.slice(1);
}
