/**
 * Rounded value of each currency in US dollars, as of mid-2025. Revenue steps span a factor of two, so rates may be off
 * by ten percent or a few years old. `0`: too volatile for a table.
 */
const dollars: Record<string, number> = {
  USD: 1, EUR: 1.15, GBP: 1.35, CHF: 1.2, JPY: 0.0068, CNY: 0.14, INR: 0.0117, KRW: 0.00072, CAD: 0.73, AUD: 0.65, NZD: 0.6,
  SEK: 0.1, NOK: 0.1, DKK: 0.15, ISK: 0.008, PLN: 0.27, CZK: 0.047, HUF: 0.0029, RON: 0.23, BGN: 0.59, RSD: 0.0098,
  UAH: 0.024, RUB: 0.0125, TRY: 0.025, ILS: 0.29, AED: 0.27, SAR: 0.27, QAR: 0.27, KWD: 3.25, BHD: 2.65, OMR: 2.6, JOD: 1.4,
  EGP: 0.02, MAD: 0.11, TND: 0.34, ZAR: 0.056, KES: 0.0077, NGN: 0.00065, GHS: 0.095, BRL: 0.18, MXN: 0.053, CLP: 0.00105,
  COP: 0.00025, PEN: 0.27, UYU: 0.025, CRC: 0.002, DOP: 0.017, GTQ: 0.13, SGD: 0.78, HKD: 0.127, TWD: 0.034, THB: 0.031,
  MYR: 0.235, IDR: 0.000061, PHP: 0.0177, VND: 0.000038, PKR: 0.0035, BDT: 0.0082, LKR: 0.0033, KZT: 0.0019, GEL: 0.37,
  ARS: 0, VES: 0, LBP: 0, IRR: 0, SYP: 0, SDG: 0, ZWL: 0, CUP: 0, AMD: 0, AZN: 0, AOA: 0, BYN: 0, BOB: 0, ETB: 0, IQD: 0, JMD: 0,
  KGS: 0, KHR: 0, LAK: 0, LYD: 0, MDL: 0, MKD: 0, MMK: 0, MNT: 0, MOP: 0, MUR: 0, MZN: 0, NPR: 0, PYG: 0, TZS: 0, TTD: 0, UGX: 0,
  UZS: 0, XAF: 0, XOF: 0, YER: 0, ZMW: 0,
}; // prettier-ignore

/** Other names. `kr` is used in three countries with similar rates. */
const names: Record<string, string> = {
  AUD: "AU$|A$", CAD: "CA$|C$", NZD: "NZ$", SGD: "SG$|S$", HKD: "HK$|港元|港币|港幣", TWD: "NT$|台币|台幣|新台币|新台幣", MXN: "MX$|MXN$", BRL: "R$|reais", ARS: "AR$",
  CLP: "CLP$", COP: "COL$", USD: "US$|USD$|$|dollars|dollar|TUSD|KUSD|MUSD|美元|美金|米ドル|ドル|달러", EUR: "€|euros|euro|TEUR|KEUR|MEUR|欧元|歐元|ユーロ|유로",
  GBP: "£|pounds|pound|sterling", CHF: "SFr|Franken", CNY: "CN¥|RMB|元|人民币|人民幣|yuan", JPY: "JP¥|¥|￥|円|日元|日圓|yen",
  INR: "₹|Rs|rupees|rupee", KRW: "₩|￦|원|won", SEK: "kr|kronor", DKK: "kroner", PLN: "zł|zloty", CZK: "Kč", HUF: "Ft", RUB: "₽|руб|рубль|рубля|рублей",
  TRY: "₺|TL", ILS: "₪|NIS", UAH: "₴", PHP: "₱", VND: "₫", THB: "฿|baht", NGN: "₦", IDR: "Rp", MYR: "RM", KZT: "₸", GEL: "₾",
  PKR: "PKR", AED: "Dhs", CRC: "₡", ZAR: "rand",
}; // prettier-ignore

let made: ReadonlyMap<string, string> | null = null;

/** Codes by lowercase name. Created when the first amount names a currency other than plain dollars. */
function codesByName(): ReadonlyMap<string, string> {
  const pairs = Object.entries(names).flatMap(([code, list]) => list.split("|").map((name) => [name, code] as const));
  const codes = Object.keys(dollars).map((code) => [code, code] as const);
  return new Map([...codes, ...pairs].map(([name, code]) => [name.toLowerCase(), code]));
}

/**
 * Splits an amount of money into the amount without its currency and the currency's value in US dollars, which is also
 * the default currency; lakhs and crores imply rupees. Null if several currencies are named, or one without a rate.
 */
export function inCurrency(text: string): { amount: string; dollars: number; isNamed: boolean } | null {
  if (text.length > maxLength) return null;
  if (plainDollars.test(text)) return { amount: text, dollars: 1, isNamed: text.includes("$") };
  const byName = (made ??= codesByName());
  const found = new Set<string>();
  const amount = text.replace(words, (word) => {
    const numerals = eastAsian.exec(word)?.[0];
    if (numerals !== undefined) {
      const name = word.slice(numerals.length);
      const named = name === "" ? usualOf(numerals) : byName.get(name.toLowerCase());
      // Used in both Taiwan and China.
      if (named === undefined || (name === "元" && traditional.test(numerals))) return word;
      found.add(named);
      return `${numerals} `;
    }
    const code = byName.get(word.toLowerCase());
    const sign = word.at(-1)!;
    const ofSign = code ?? byName.get(sign);
    if (ofSign === undefined) return word;
    found.add(ofSign);
    // Signs known to the amount parser are kept, because they may include a unit: T€ is a thousand.
    if (code === undefined) return knownSign.test(sign) ? word : `${word.slice(0, -1)} `;
    return ofUnit.test(word) ? word : " ";
  });
  if (found.size === 0 && indianUnit.test(text)) found.add("INR");
  // Without a currency, it may be yen, yuan, or Taiwan dollars, or rubles, hryvnias, or tenge.
  if (found.size === 0 && (anyNumeral.test(text) || cyrillic.test(text))) return null;
  const [code = "USD", ...others] = found;
  const rate = dollars[code]!;
  return others.length > 0 || rate === 0 || otherSign.test(amount)
    ? null
    : { amount, dollars: rate, isNamed: found.size > 0 };
}

/** Numerals such as 億 before a currency: 億円. */
const eastAsian = /^[千百十万萬億亿兆천백십만억조]+/u;
const anyNumeral = /[万萬億亿兆만억조]/;
const traditional = /[萬億]/;
const cyrillic = /\p{Script=Cyrillic}/u;

/** Currency implied by numerals that are used in only one country. */
function usualOf(numerals: string): string | undefined {
  if (numerals.includes("亿")) return "CNY";
  return /[억조만]/.test(numerals) ? "KRW" : undefined;
}

/** Longer text is not an amount. */
const maxLength = 200;
const plainDollars = /^[\d\s.,'’$<>+~–-]*[kmb]?[\d\s.,'’$<>+~–-]*[kmb]?\+?$/i;
/** A word, or a currency sign with preceding letters: "zł", "US$", "m€". */
const words = /\p{L}*\p{Sc}|\p{L}+/gu;
const indianUnit = /(?<!\p{L})(lakhs?|lacs?|crores?|cr)(?!\p{L})/iu;
const knownSign = /[$€£¥]/;
const ofUnit = /^([$€£¥]|[TKM](EUR|USD))$/i;
const otherSign = /(?![$€£¥])\p{Sc}/u;
