/** Range from `min` to `max`, which may be infinite. */
export type AmountRange = { min: number; max: number };
type Amount = { value: number; unit: string; start: number; end: number };

/**
 * Parses a range such as "11-50", "$1M to $10M", "1.5 billion", "<10", "10001+", or "1,200". Null for unrecognized
 * notations: no range is better than one that is wrong by a factor of 1000. With `anyNoun`, any word after a number is
 * taken as the counted noun. Amounts without a unit are multiplied by `scale`.
 */
export function amountRange(text: string, { anyNoun = false, scale = 1 } = {}): AmountRange | null {
  const clean = text
    .replace(/\s+/g, " ")
    .replaceAll("’", "'")
    .replace(lakhCrore, "lakhcrore")
    .replace(compound, joinCompound)
    .trim();
  const [first, second, ...more] = amountsIn(clean, anyNoun);
  if (!first || second === null || more.length > 0 || isNegative(clean, first.start)) return null;
  const low = first.value * (factors[first.unit] ?? scale);
  if (second === undefined) return openRange(clean.slice(0, first.start), low, clean.slice(first.end));
  if (!betweenEnds.test(clean.slice(first.end, second.start))) return null;
  const factor = factors[second.unit] ?? scale;
  const high = second.value * factor;
  // "1-10M" means 1M to 10M; "501-1K" and "500,000 - $1M" start at the literal number.
  const shared = first.value * factor;
  const min = first.unit === "" && shared <= high ? shared : low;
  return min <= high ? { min, max: high } : null;
}

const lakhCrore = /\b(?:lakhs?|lacs?) crores?\b/gi;
/** "3億5,000万" is 3.5億. */
const compound = /(\d+)([億亿억])\s?(\d{1,4}|\d,\d{3})[万萬만]/g;

function joinCompound(_: string, high: string, unit: string, low: string): string {
  return `${Number(high) + Number(low.replace(",", "")) / 1e4}${unit}`;
}

const factors: Record<string, number> = {
  ...{ h: 100, k: 1e3, man: 1e4, lakh: 1e5, m: 1e6, crore: 1e7, oku: 1e8, b: 1e9, tenB: 1e10, hundredB: 1e11, t: 1e12 },
  lakhCrore: 1e12,
};
/** Units in languages with a decimal comma. */
const continentalNames = {
  k: "tsd,tausend,teur,t€,тыс",
  m: "mio,mln,millionen,millones,milioni,meur,milhão,milhões,milhoes,млн",
  b: "mrd,mld,milliard,milliards,milliarde,milliarden,bilhão,bilhões,bilhoes,млрд",
  t: "billionen,трлн",
};
const englishNames = {
  h: "hundred",
  k: "k,thousand,thousands,mille,keur,kusd,tusd",
  lakh: "lakh,lakhs,lac,lacs",
  m: "m,mm,mn,mil,mill,million,millions,musd",
  crore: "crore,crores,cr",
  b: "b,bn,bil,bill,billion,billions",
  t: "t,tn,trn,trillion,trillions",
};
/** Units in languages that count in ten thousands and write without spaces. */
const eastAsianNames = {
  ...{ k: "千,천", man: "万,萬,만", m: "百万,百萬,백만", crore: "千万,千萬,천만", oku: "億,亿,억" },
  ...{ b: "十億,十亿,십억", tenB: "百億,百亿,백억", hundredB: "千億,千亿,천억", t: "兆,조,万亿,萬億" },
};
const unitNames = new Map([
  ...namesOf(continentalNames),
  ...namesOf(englishNames),
  ...namesOf(eastAsianNames),
  ["lakhcrore", "lakhCrore"],
]);
const continentalUnits: ReadonlySet<string> = new Set(namesOf(continentalNames).map(([name]) => name));

function namesOf(names: Record<string, string>): [string, string][] {
  return Object.entries(names).flatMap(([unit, list]) => list.split(",").map((name): [string, string] => [name, unit]));
}

/** Words that may follow an amount of money without changing it: currencies, periods, and the "to" of a range. */
const harmlessWords: ReadonlySet<string> = new Set(
  [
    "usd,us,dollar,dollars,eur,euro,euros,gbp,pounds,chf,sek,nok,dkk,cad,aud,inr,jpy,pln,kr",
    "per,p,pa,year,yearly,annual,annually,a,pro,jahr,in,of,revenue,revenues,sales,arr,umsatz,est,estimated,approx",
    "to,and,or,plus,more,bis,und,through,until,et,à,y,al",
  ].flatMap((words) => words.split(",")),
);

/** Digits, optionally in groups of three separated by spaces or in the form `1.5e6`, followed by a word. */
const amountPattern = /(\d+(?:[.,']\d+| \d{3}(?!\d))*(?:e\+?\d{1,2}(?![\p{L}\d]))?) ?([\p{L}$€£¥%]*)/giu;
/** Numerals in scripts without spaces between words. */
const otherNumerals = /[%千万萬百億亿兆만억조천]/;
const leadingNumeral = /^[千百十万萬億亿兆천백십만억조]+/;

/** All amounts with their units; null for unrecognized ones. */
function amountsIn(clean: string, anyNoun: boolean): (Amount | null)[] {
  return [...clean.matchAll(amountPattern)].map((match) => {
    const [whole, digits = "", behind = ""] = match;
    const written = behind.toLowerCase();
    // "1万人": the counted noun directly follows the numeral.
    const numeral = anyNoun ? leadingNumeral.exec(written)?.[0] : undefined;
    const word = numeral ?? (unitNames.has(written) ? written : written.replace(/[$€£¥]$/, ""));
    const unit = unitNames.get(word) ?? "";
    const value = plainNumber(digits.toLowerCase(), unit, continentalUnits.has(word));
    const isWord = unit !== "" || word === "" || harmlessWords.has(word) || (anyNoun && !otherNumerals.test(word));
    // "5 USD million" and "5 mil millones": a unit in an unexpected position.
    const rest = /^\D*/.exec(clean.slice(match.index + whole.length))![0].toLowerCase();
    const isPlain = isWord && !(rest.match(/\p{L}+/gu) ?? []).some((other) => unitNames.has(other));
    if (value === null || !isPlain) return null;
    const length =
      unit === "" ? digits.length : whole.length - (numeral === undefined ? 0 : behind.length - numeral.length);
    return { value, unit, start: match.index, end: match.index + length };
  });
}

const noLetter = "(?<!\\p{L})";
const upTo = new RegExp(`(<|≤|${noLetter}(under|below|less than|up to|at most|bis|bis zu|unter|weniger als))[^\\p{L}\\d]*$`, "iu"); // prettier-ignore
const moreThan = new RegExp(
  `(>|≥|${noLetter}(over|more than|above|from|at least|über|mehr als|ab))[^\\p{L}\\d]*$`,
  "iu",
);
const orMore = /\+|(?<!\p{L})(plus|or more|and more|and above|or above|and over|and up|und mehr)(?!\p{L})|以上|이상/iu;
const betweenEnds =
  /^[^\d(:/]*?([-−–—~～〜…]|\.{2,3}|(?<!\p{L})(to|and|bis|und|through|until|et|à|a|y|al)(?!\p{L}))[^\d(:/]*$/iu;

function openRange(before: string, amount: number, behind: string): AmountRange {
  if (upTo.test(before)) return { min: 0, max: amount };
  const isOpen = moreThan.test(before) || orMore.test(behind);
  return { min: amount, max: isOpen ? Number.POSITIVE_INFINITY : amount };
}

/** "-5", "$-5", and, in accounting notation, "(5)". */
function isNegative(clean: string, start: number): boolean {
  return /[-−–]\s*[$€£¥]*\s*$/.test(clean.slice(0, start)) || /^[^\p{L}\d]*\([^\p{L}\d]*[\d.,' ]+\)$/u.test(clean);
}

/** Null if the separators are ambiguous. */
function plainNumber(text: string, unit: string, isContinental: boolean): number | null {
  const [digits = "", power = ""] = text.split(/e\+?/);
  const plain = withPoint(digits, unit !== "" || power !== "", isContinental);
  return plain === null ? null : Number(plain) * 10 ** Number(power);
}

/** Rewrites a number with a decimal point and no other separators. */
function withPoint(digits: string, hasUnit: boolean, isContinental: boolean): string | null {
  if (/[' ]/.test(digits)) {
    const isGrouped = /^\d{1,3}([' ]\d{3})+([.,]\d+)?$/.test(digits);
    return isGrouped ? digits.replace(/[' ]/g, "").replace(",", ".") : null;
  }
  const separators = digits.replace(/\d/g, "");
  if (separators === "") return digits;
  if (separators.length === 1) {
    const isFraction = beginsFraction(digits, separators, hasUnit, isContinental);
    return isFraction === null ? null : digits.replace(separators, isFraction ? "." : "");
  }
  // "1,234,567.89", "1.234.567", and "5,00,00,000" as in India.
  const last = separators.at(-1)!;
  const isMixed = separators.indexOf(last) === separators.length - 1;
  const whole = isMixed ? digits.slice(0, digits.lastIndexOf(last)) : digits;
  if (!/^\d{1,3}(\.\d{3})+$|^\d{1,3}(,\d{3})+$|^\d{1,2}(,\d{2})*,\d{3}$/.test(whole)) return null;
  return whole.replace(/[.,]/g, "") + (isMixed ? `.${digits.slice(whole.length + 1)}` : "");
}

/**
 * Whether the only separator starts a fraction; null if undecidable. Followed by three digits, it separates thousands,
 * except in "1.250M". In "1,250M" it does: in English, that is 1.25 billion. "1,250 Mio" is a fraction, and "1.250 Mio"
 * is one only in Switzerland.
 */
function beginsFraction(digits: string, separator: string, hasUnit: boolean, isContinental: boolean): boolean | null {
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return true;
  if (!hasUnit) return false;
  if (isContinental) return separator === "," ? true : null;
  return separator === ".";
}
