import type { TextEncoding } from "./encodings.ts";

/** How well a text fits: 1 if all of it does. `isSure`: there is enough text, and no other encoding has its marks. */
export type Score = { encoding: TextEncoding; fit: number; isSure: boolean };

/**
 * Measures how well bytes fit double-byte encodings. Their tables are ordered by usage: common characters have
 * different first bytes in each, and text decoded with the wrong table has rare or undefined characters.
 */
export function eastAsianScores(bytes: Uint8Array): Score[] {
  return [
    scoreOf("shift_jis", bytes, shiftJis, ({ counts, units }) => counts.kana + counts.common >= units / 2),
    scoreOf("euc-jp", bytes, eucJp, ({ counts, units }) => counts.kana >= units * 0.08),
    // The last of the most usual characters by their sound, which Japanese and Korean texts have at none of their usual ones.
    scoreOf("gb18030", bytes, gb, ({ counts, units }) => counts.mark >= units * 0.08),
    scoreOf("big5", bytes, big5, ({ counts, units }) => counts.mark >= units * 0.1),
    scoreOf("euc-kr", bytes, eucKr, ({ counts, units }) => counts.common >= units * 0.9),
  ];
}

/** `mark`: usual, and at home in this encoding only; `half`: katakana of half width. */
type Kind = "kana" | "half" | "common" | "mark" | "rare" | "sign" | "none";
/** The kind of character at a position, and its number of bytes. */
type Reader = (first: number, second: number, third: number, before: number) => [kind: Kind, length: number];
type Seen = { counts: Record<Kind, number>; units: number };

/** Fewer may be a name or two. */
const leastUnits = 6;
const weights: Record<Kind, number> = { kana: 1, half: 1, common: 1, mark: 1, rare: 0.6, sign: 1, none: 0 };

function scoreOf(encoding: TextEncoding, bytes: Uint8Array, read: Reader, hasMarks: (seen: Seen) => boolean): Score {
  const counts: Record<Kind, number> = { kana: 0, half: 0, common: 0, mark: 0, rare: 0, sign: 0, none: 0 };
  let units = 0;
  let sum = 0;
  /** The previous byte, if it is a character. */
  let before = 0;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at]! < 0x80) {
      before = bytes[at++]!;
      continue;
    }
    const [kind, length] = read(bytes[at]!, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, before);
    counts[kind]++;
    units++;
    sum += weights[kind];
    before = length === 1 ? bytes[at]! : 0;
    at += length;
  }
  const words = units - counts.sign;
  return {
    encoding,
    fit: units === 0 ? 0 : sum / units,
    isSure: words >= leastUnits && hasMarks({ counts, units: words }),
  };
}

const isIn = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;
const isHigh = (byte: number): boolean => isIn(byte, 0xa1, 0xfe);

const isHalf = (byte: number): boolean => isIn(byte, 0xa1, 0xdf);
const isLetter = (byte: number): boolean => isIn(byte | 0x20, 0x61, 0x7a);
/** Between ASCII letters, where the next one would be half of a character: a letter is more likely there. */
const isInWord = (second: number, before: number): boolean => isLetter(second) && isLetter(before);

/**
 * JIS X 0208 as used by Windows: kana 82 and 83, level 1 from 88 to 9872, then level 2; half-width katakana are single
 * bytes.
 */
const shiftJis: Reader = (first, second, _third, before) => {
  // Half-width katakana occur in groups.
  if (isHalf(first)) return [isHalf(second) || isHalf(before) ? "half" : "rare", 1];
  const isPair = (isIn(first, 0x81, 0x9f) || isIn(first, 0xe0, 0xfc)) && isIn(second, 0x40, 0xfc) && second !== 0x7f;
  if (!isPair || isInWord(second, before)) return ["none", 1];
  if (first === 0x81) return ["sign", 2];
  if (first <= 0x83) return ["kana", 2];
  if (isIn(first, 0x88, 0x97) || (first === 0x98 && second <= 0x72)) return ["common", 2];
  return [isIn(first, 0x98, 0xea) || first >= 0xfa ? "rare" : "none", 2];
};

const eucJp: Reader = (first, second, third) => {
  if (first === 0x8e) return [isHalf(second) ? "half" : "none", 2];
  if (first === 0x8f) return [isHigh(second) && isHigh(third) ? "rare" : "none", 3];
  if (!isHigh(first) || !isHigh(second)) return ["none", 1];
  if (first <= 0xa3) return ["sign", 2];
  if (first <= 0xa5) return ["kana", 2];
  if (isIn(first, 0xb0, 0xcf)) return ["common", 2];
  return [isIn(first, 0xd0, 0xf4) ? "rare" : "none", 2];
};

/** GB 2312: level 1 from B0 to D7 in phonetic order, with x, y, and z in D0 to D7; then level 2. */
const gb: Reader = (first, second) => {
  if (!isIn(first, 0x81, 0xfe) || !isIn(second, 0x40, 0xfe) || second === 0x7f) return ["none", 1];
  if (second < 0xa1 || first < 0xa1) return ["rare", 2];
  if (first <= 0xa3) return ["sign", 2];
  if (isIn(first, 0xd0, 0xd7)) return ["mark", 2];
  if (isIn(first, 0xb0, 0xcf)) return ["common", 2];
  return [isIn(first, 0xd8, 0xf7) ? "rare" : "none", 2];
};

/** Level 1 from A4 to C6; many second bytes are ASCII, as otherwise only in Shift JIS. */
const big5: Reader = (first, second, _third, before) => {
  const isLow = isIn(second, 0x40, 0x7e);
  if (!isHigh(first) || (!isLow && !isHigh(second)) || isInWord(second, before)) return ["none", 1];
  if (first <= 0xa3) return ["sign", 2];
  if (first <= 0xc6) return [isLow ? "mark" : "common", 2];
  return [isIn(first, 0xc9, 0xf9) ? "rare" : "none", 2];
};

/** KS X 1001: Hangul from B0 to C8, then Chinese characters. */
const eucKr: Reader = (first, second) => {
  if (!isHigh(first) || !isHigh(second))
    return isIn(first, 0x81, 0xc6) && isIn(second, 0x41, 0xfe) ? ["rare", 2] : ["none", 1];
  if (first <= 0xa3) return ["sign", 2];
  if (isIn(first, 0xb0, 0xc8)) return ["common", 2];
  return [first >= 0xca ? "rare" : "none", 2];
};
