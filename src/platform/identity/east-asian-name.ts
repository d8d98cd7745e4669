import { familyNames } from "./family-names.ts";

type Names = { firstName: string; lastName: string };

/**
 * Splits a name in Chinese characters, kana, or Hangul, where the family name comes first: "山田 太郎", "王小明", "김민수".
 * Without a space, it is split only after a family name that is certain; otherwise all of it is the first name, because
 * half of a wrong name is worse than a complete one. Null for any other text.
 */
export function splitEastAsianName(name: string): Names | null {
  if (!eastAsian.test(name) || !letter.test(name)) return null;
  // Foreign names keep their order: ジョン・スミス, 约翰·史密斯.
  const foreign = name.split(/\s*[・·•･‧]\s*/).filter((part) => part !== "");
  if (foreign.length > 1) return { firstName: foreign.slice(0, -1).join(" "), lastName: foreign.at(-1)! };
  const plain = withoutHonorific(name);
  const [family = "", ...given] = plain.split(" ");
  if (given.length > 0) return { firstName: given.join(" "), lastName: family };
  const length = lengthOfFamilyName(plain);
  return { firstName: plain.slice(length), lastName: plain.slice(0, length) };
}

/** Whether one word is a full name and not just a given name: "山田太郎", "高橋まなみ", "김민수". */
export function isWholeEastAsianName(text: string): boolean {
  return wholeName.test(text);
}

// Compiled once, because every imported name is tested.
const eastAsian = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー・·•･‧ ]+$/u;
const letter = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
/** Given names have at most two characters, and a few Japanese ones three. */
const wholeName = /^(?:\p{sc=Han}{3,8}|\p{sc=Hangul}{3,8}|(?=.{4,10}$)\p{sc=Han}+[\p{sc=Hiragana}\p{sc=Katakana}ー][\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]*)$/u; // prettier-ignore
const honorific = /(?: ?(?:様|さま|さん|님)| (?:殿|氏|씨|先生|女士|小姐))$/;
const hangul = /^\p{sc=Hangul}+$/u;
const han = /^\p{sc=Han}+$/u;
/** 林まゆ, 中島みゆき */
const kanaGiven = /^(\p{sc=Han}{1,2})(?:\p{sc=Hiragana}{2,}|[\p{sc=Katakana}ー]{2,})$/u;

function withoutHonorific(name: string): string {
  const bare = name.replace(honorific, "");
  return bare.length > 1 ? bare : name;
}

/** Number of characters of the family name; 0 if it is not certain. */
function lengthOfFamilyName(name: string): number {
  if (hangul.test(name)) return ofKorean(name);
  const japanese = ofJapanese(name);
  if (japanese === name.length) return 0;
  if (!han.test(name)) return japanese || (kanaGiven.exec(name)?.[1]?.length ?? 0);
  if (name.length === 2) return 1;
  const chinese = ofChinese(name);
  // 石川 is a Japanese family name, 石 a Chinese one.
  if (japanese > 0 && name.length === 3 && chinese === 1) return 0;
  return japanese || chinese;
}

function ofKorean(name: string): number {
  const { korean, koreanOfTwo, koreanEither } = familyNames();
  const start = name.slice(0, 2);
  if (name.length === 4 && (koreanOfTwo.has(start) || koreanEither.has(start))) return 2;
  if (name.length === 3 && koreanOfTwo.has(start)) return 2;
  if (name.length > 3 || name.length < 2 || koreanEither.has(start)) return 0;
  return korean.has(name[0]!) ? 1 : 0;
}

/** The length of the name if nothing is left for a given name. */
function ofJapanese(name: string): number {
  const { japanese } = familyNames();
  for (const length of [4, 3, 2]) if (name.length >= length && japanese.has(name.slice(0, length))) return length;
  return 0;
}

function ofChinese(name: string): number {
  const { chinese, chineseOfTwo } = familyNames();
  if (name.length < 5 && chineseOfTwo.has(name.slice(0, 2))) return 2;
  return name.length === 3 && chinese.has(name[0]!) ? 1 : 0;
}
