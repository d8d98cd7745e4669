import { splitEastAsianName } from "./east-asian-name.ts";

/** Words that start a last name of several words, in lower case. */
const particles = new Set(
  "af al av bin da dal das de degli dei del dela della den der di do dos du el ibn la las le les lo los st st. te ten ter van vom von zu zum zur".split(
    " ",
  ),
);

const honorifics = /^((mr|mrs|ms|miss|dr|prof|sir|herr|frau|mme|sr|sra)\.?\s+)+(?=\S)/i;
/** Generations and degrees behind a name. They stay with the last name. */
const suffix =
  /^(jr|sr|junior|senior|ii|iii|iv|v|esq|ph\.?\s?d|m\.?\s?d|mba|m\.?sc|b\.?sc|m\.?a|cpa|pmp|dds|rn|llm|jd)\.?$/i;

/**
 * Splits a full name into first and last name. Middle names stay with the first name; particles ("van", "de la") and
 * suffixes ("Jr.", "PhD") stay with the last. Titles ("Dr.") are dropped, and "Last, First" is reordered. A single word
 * is a first name. Names in Chinese characters, kana, or Hangul have the last name first.
 *
 * @example splitFullName("Dr. Ludwig van Beethoven Jr.") // { firstName: "Ludwig", lastName: "van Beethoven Jr." }
 */
export function splitFullName(fullName: string): { firstName: string; lastName: string } {
  const name = fullName.replace(/\s+/g, " ").trim();
  const eastAsian = isLatin.test(name) ? null : splitEastAsianName(name);
  if (eastAsian !== null) return eastAsian;
  const [beforeComma = "", ...behind] = name.split(/\s*,\s*/);
  const degrees = behind.filter((part) => suffix.test(part));
  const first = behind.find((part) => part !== "" && !suffix.test(part));
  if (first !== undefined)
    return { firstName: withoutHonorifics(first), lastName: [beforeComma, ...degrees].join(", ") };
  const { firstName, lastName } = splitInOrder(withoutHonorifics(beforeComma).split(" "));
  return { firstName, lastName: lastName && [lastName, ...degrees].join(", ") };
}

/** Most names. Saves testing their scripts. */
const isLatin = /^[\0-\u024f]*$/;

function splitInOrder(words: string[]): { firstName: string; lastName: string } {
  const start = lastNameStart(words);
  return { firstName: words.slice(0, start).join(" "), lastName: words.slice(start).join(" ") };
}

/** Index of the first word of the last name: a particle that is not the first word, or else the last word. */
function lastNameStart(words: string[]): number {
  const particle = words.findIndex(
    (word, index) => index > 0 && index < words.length - 1 && particles.has(word.toLowerCase()),
  );
  if (particle !== -1) return particle;
  const lastWord = words.length - 1;
  const hasSuffix = words.length > 2 && suffix.test(words[lastWord] ?? "");
  return Math.max(1, hasSuffix ? lastWord - 1 : lastWord);
}

function withoutHonorifics(name: string): string {
  return name.replace(honorifics, "");
}
