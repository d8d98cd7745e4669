import { eastAsianScores, type Score } from "./east-asian.ts";
import { decoderOf, type TextEncoding } from "./encodings.ts";
import { letterFit, type LetterFit } from "./letter-fit.ts";
import { alphabets, westernAlphabets, type Alphabet } from "./letters.ts";

/** Null if it cannot be detected with confidence; `candidates` then lists the possible ones. */
export type Detected = { encoding: TextEncoding | null; likely: TextEncoding[] };

/** Minimum fit of a possible encoding, and of a certain one if it is sure. */
const mayBe = 0.7;
const is = 0.95;
/** Symbols and abbreviations may appear anywhere in a list. */
const isWestern = 0.9;
/** How much better another encoding must fit than the usual one. */
const margin = 0.05;
/** Fewer letters may be a single name. */
const leastLetters = 6;

/**
 * Detects the encoding of a text from its non-ASCII lines. It is UTF-8 if most of what could be UTF-8 is: a few names
 * from a second, concatenated file must not make the rest unreadable. Otherwise, it is the one that fits how languages
 * are written: letters of one alphabet, capitals at the start of words, and common syllables and characters.
 */
export function detectedEncoding(lines: Uint8Array): Detected {
  const { valid, invalid } = utf8In(lines);
  if (valid >= invalid) return { encoding: "utf-8", likely: [] };
  const western = westernFit(decoderOf("windows-1252").decode(lines));
  const byLetters = alphabets.flatMap((alphabet) =>
    alphabet.encodings.map((encoding) => scoreOf(lines, encoding, alphabet)),
  );
  const byCharacters = eastAsianScores(lines);
  const others = [...byCharacters, ...byLetters, macScore(lines)];
  const found = others
    .filter(({ fit, isSure }) => isSure && fit >= is && fit >= western.ofOne + margin)
    .toSorted((a, b) => b.fit - a.fit);
  const [best] = found;
  if (best !== undefined) {
    // Letters may look like characters of two bytes, but not the other way round.
    const candidates = byCharacters.includes(best) ? [...found, ...byLetters.filter(({ fit }) => fit >= is)] : found;
    const rivals = candidates.filter(
      ({ fit, encoding }) => fit > best.fit - margin && !isSameText(encoding, best.encoding, lines),
    );
    if (rivals.length === 0) return { encoding: best.encoding, likely: [] };
    return { encoding: null, likely: namesOf([best, ...rivals]) };
  }
  if (western.fit >= isWestern) return { encoding: "windows-1252", likely: [] };
  const likely = others.filter((score) => score.fit >= mayBe && (score.isSure || !byCharacters.includes(score)));
  return { encoding: null, likely: namesOf(likely) };
}

/** Counts the multibyte characters of a text as UTF-8, and the invalid positions. */
export function utf8In(bytes: Uint8Array): { valid: number; invalid: number } {
  let [valid, invalid] = [0, 0];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at++]!;
    if (first < 0x80) continue;
    const more =
      first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : first >= 0xf0 && first <= 0xf4 ? 3 : 0;
    let found = 0;
    while (found < more && (bytes[at + found] ?? 0) >> 6 === 2) found++;
    at += found;
    if (more > 0 && found === more) valid++;
    else invalid++;
  }
  return { valid, invalid };
}

const western = westernAlphabets.map((letters) => new Set(letters));
const allWestern = new Set(westernAlphabets.join(""));

/** `ofOne`: the fit of the best language alone. */
function westernFit(text: string): { fit: number; ofOne: number; letters: number } {
  const ofOne = Math.max(...western.map((letters) => shareOf(letterFit(text, letters, true, true))));
  const all = letterFit(text, allWestern, true, true);
  return { fit: Math.max(ofOne, shareOf(all)), ofOne, letters: all.good };
}

function scoreOf(lines: Uint8Array, encoding: TextEncoding, alphabet: Alphabet): Score {
  const { letters, marks, leastMarks, vowels } = alphabet;
  const text = decoderOf(encoding).decode(lines);
  const found = letterFit(text, new Set(letters), marks !== "");
  const kinds = [...found.kinds.keys()].filter((letter) => marks.includes(letter)).length;
  const isSure =
    found.good >= leastLetters && kinds >= leastMarks && (vowels === "" || isSpoken(found, vowels, encoding));
  return { encoding, fit: text.includes("\ufffd") ? 0 : shareOf(found), isSure };
}

/** Text decoded with the wrong table has letters in an unusual order. Lists in capitals come from Windows. */
function isSpoken({ good, capitals, kinds }: LetterFit, vowels: string, encoding: TextEncoding): boolean {
  const share = Array.from(vowels).reduce((sum, vowel) => sum + (kinds.get(vowel) ?? 0), 0) / good;
  const isCased = capitals > 0 && (capitals < good || encoding === "windows-1251");
  return isCased && share > leastVowels && share < mostVowels;
}

const leastVowels = 0.36;
const mostVowels = 0.62;

/**
 * Files of macOS before it used UTF-8, and of Excel on macOS until today. Those of DOS have other letters at most
 * bytes.
 */
function macScore(lines: Uint8Array): Score {
  const { fit, letters } = westernFit(decoderOf("macintosh").decode(lines));
  const isOfDos = westernFit(textOfDos(lines)).fit >= fit;
  return { encoding: "macintosh", fit, isSure: letters >= leastLetters && !isOfDos };
}

/** Code pages 437 and 850, which cannot be decoded here, as far as they agree. */
function textOfDos(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    if (byte < 0x80) return String.fromCharCode(byte);
    return byte === 0xe1 ? "ß" : (lettersOfDos[byte - 0x80] ?? "\ufffd");
  }).join("");
}

const lettersOfDos = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº";

/** 1 for a text with only ASCII letters. */
function shareOf({ good, bad }: LetterFit): number {
  return good + bad === 0 ? 1 : good / (good + bad);
}

/** Many encodings differ only in letters that a text may not contain. */
function isSameText(one: TextEncoding, other: TextEncoding, lines: Uint8Array): boolean {
  return one === other || decoderOf(one).decode(lines) === decoderOf(other).decode(lines);
}

function namesOf(scores: readonly Score[]): TextEncoding[] {
  return [...new Set(scores.toSorted((a, b) => b.fit - a.fit).map(({ encoding }) => encoding))].slice(0, 4);
}
