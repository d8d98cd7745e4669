/** How the non-ASCII letters of a text are arranged: as in a language, or as in none. */
export type LetterFit = { good: number; bad: number; capitals: number; kinds: Map<string, number> };

/** Signs that occur between words in any language. */
const signs = new Set("\u00a0«»©®™°·•×÷±µ²†½¼¾€£§№ªº¿¡´…–—‘’‚“”„");
const softHyphen = "\u00ad";
const apostrophes = new Set("‘’´");
const ofNumbers = new Set("£§");
const letter = /\p{L}/u;

/**
 * Counts letters of the (lowercase) alphabet in valid positions: no capital after a lowercase letter, and no letter of
 * another script next to an ASCII letter. Everything else counts as bad, except signs between words. `isLatin`: the
 * alphabet includes ASCII. `isWestern`: additionally, three non-ASCII letters are never adjacent.
 */
export function letterFit(text: string, alphabet: ReadonlySet<string>, isLatin: boolean, isWestern = false): LetterFit {
  const fit: LetterFit = { good: 0, bad: 0, capitals: 0, kinds: new Map() };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign <= "\x7f" || sign === softHyphen) continue;
    const [before, behind] = [text[at - 1] ?? " ", text[at + 1] ?? " "];
    if (signs.has(sign)) {
      const isInside = letter.test(before) && letter.test(behind);
      if ((isInside && !apostrophes.has(sign)) || (ofNumbers.has(sign) && letter.test(behind))) fit.bad++;
      continue;
    }
    const small = sign.toLowerCase();
    const isWritten = (alphabet.has(small) || alphabet.has(sign)) && standsWell(sign, before, behind);
    const isBeside = isLatin ? isWestern && isInRun(text, at) : isAscii(before) || isAscii(behind);
    if (!isWritten || isBeside) fit.bad++;
    else {
      fit.good++;
      fit.kinds.set(small, (fit.kinds.get(small) ?? 0) + 1);
      if (isCapital(sign)) fit.capitals++;
    }
  }
  return fit;
}

function standsWell(sign: string, before: string, behind: string): boolean {
  if (hebrewEnds.has(sign)) return !letter.test(behind);
  if (hebrewBefore.has(sign)) return letter.test(behind);
  // Neither "joSé" nor "JÓse".
  if (isCapital(sign)) return !isSmall(before) && !(isCapital(before) && isSmall(behind));
  return !isSmall(sign) || !isCapital(behind);
}

/** Letters that Hebrew only uses at the end of a word, and the letters that they replace. */
const hebrewEnds = new Set("םןךףץ");
const hebrewBefore = new Set("מנכפצ");

const isCapital = (sign: string): boolean => sign !== sign.toLowerCase();
const isSmall = (sign: string): boolean => sign !== sign.toUpperCase();
/** Whether the letter is part of a run of three. */
function isInRun(text: string, at: number): boolean {
  let [start, end] = [at, at + 1];
  while (isHigh(text[start - 1] ?? " ")) start--;
  while (end - start < 3 && isHigh(text[end] ?? " ")) end++;
  return end - start >= 3;
}

const isHigh = (sign: string): boolean => sign > "\x7f" && letter.test(sign);
const isAscii = (sign: string): boolean => /[a-z]/i.test(sign);
