import { VoiceError } from "./voice-error.ts";

/** A piece of this length takes about 12 s to say: short enough to start soon, long enough for a melody. */
const longestPiece = 180;
/** The first piece ends at a pause before this, if there is one: it is heard in half the time. */
const longestStart = 90;
const shortestStart = 25;
/** The longest English word has 45 letters; longer ones come from a held key. */
const longestWord = 45;

/** Letters that do not decompose into a base letter and an accent. */
const plainLetters: Record<string, string> = {
  ß: "ss", æ: "ae", Æ: "Ae", œ: "oe", Œ: "Oe", ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D", ð: "d", þ: "th", ı: "i",
}; // prettier-ignore

const abbreviations: [RegExp, string][] = [
  [/\be\.\s?g\./gi, "for example"],
  [/\bi\.\s?e\./gi, "that is"],
  [/\betc\./gi, "et cetera"],
  [/\bvs?\.(?=\s)/gi, "versus"],
  [/\bapprox\./gi, "approximately"],
  [/\bw\//gi, "with "],
  [/\bInc\./g, "Incorporated"],
  [/\bLtd\./g, "Limited"],
  [/\bCo\.(?=\s)/g, "Company"],
];

const currencies: Record<string, string> = { $: "dollars", "€": "euros", "£": "pounds", "¥": "yen" };

/** Abbreviations, whose period does not end a sentence. */
const titles = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|No|[A-Z])\.$/;

/**
 * English text as pieces that Flite can speak: mostly sentences, none longer than `longestPiece`. Accents are removed,
 * symbols and abbreviations are spelled out, and unspeakable characters are dropped.
 * @throws VoiceError nothing_to_speak when fewer than two letters are left.
 */
export function speakableText(text: string): string[] {
  const plain = onlySpeakable(spelledOut(folded(text)));
  if ((plain.match(/[a-z]/gi) ?? []).length < 2)
    throw new VoiceError(
      "nothing_to_speak",
      "The text has nothing that the built-in voice can say: write English words, in letters from a to z.",
    );
  return sentencesOf(plain)
    .flatMap((sentence, index) => (index === 0 ? quickStart(sentence) : [sentence]))
    .flatMap((sentence) => (sentence.length > longestPiece ? shortened(sentence) : [sentence]))
    .filter((piece) => /[a-z0-9]/i.test(piece));
}

function folded(text: string): string {
  return text
    .replace(/[€£¥]/g, (symbol) => ` ${symbol}`)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{ASCII}€£¥]/gu, (letter) => plainLetters[letter] ?? typography(letter));
}

function typography(character: string): string {
  if (/[\u2018\u2019\u02bc]/.test(character)) return "'";
  if (/[\u201c-\u201e\u00ab\u00bb]/.test(character)) return '"';
  if (/[\u2010-\u2012]/.test(character)) return "-";
  if (/[\u2013-\u2015\u2022\u00b7]/.test(character)) return ", ";
  if (character === "\u00b0") return " degrees ";
  return " ";
}

function spelledOut(text: string): string {
  let spelled = text
    .replace(/\bhttps?:\/\/(www\.)?/gi, "")
    .replace(/\b[\w.+-]+@[\w-]+(\.[\w-]+)+/g, (address) => spelledAddress(address.replace("@", " at ")))
    .replace(/\b[\w-]+(\.[\w-]+)*\.(com|org|net|io|ai|co|dev|eu|de|uk|app)\b(\/[\w./-]*)?/gi, spelledAddress)
    .replace(/([$€£¥])\s?(\d[\d,]*(?:\.\d+)?)\s?([kKmM]\b)?/g, (_, symbol: string, amount: string, unit?: string) => {
      const scale = unit === undefined ? "" : unit.toLowerCase() === "k" ? " thousand" : " million";
      return ` ${amount}${scale} ${currencies[symbol]} `;
    })
    .replace(/(\d)\s?([€£¥])/g, (_, digit: string, symbol: string) => `${digit} ${currencies[symbol]} `);
  for (const [short, long] of abbreviations) spelled = spelled.replace(short, long);
  return spelled
    .replace(/%/g, " percent ")
    .replace(/&/g, " and ")
    .replace(/\+/g, " plus ")
    .replace(/=/g, " equals ")
    .replace(/#(?=\d)/g, " number ")
    .replace(/@/g, " at ");
}

function spelledAddress(address: string): string {
  return address.replace(/\./g, " dot ").replace(/\//g, " slash ").replace(/_/g, " underscore ");
}

function onlySpeakable(text: string): string {
  return text
    .replace(/[ \t]*[\r\n]+\s*/g, (_, at: number) => (/[.!?,;:]$/.test(text.slice(0, at)) ? " " : ". "))
    .replace(/[^a-z0-9 .,;:!?'"()-]/gi, " ")
    .replace(/([.,;:!?'"()-])\1+/g, "$1")
    .replace(/[a-z0-9']+/gi, (word) => word.match(new RegExp(`.{1,${longestWord}}`, "g"))!.join(" "))
    .replace(/\s+/g, " ")
    .trim();
}

function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const part of text.split(/(?<=[.!?]["')]?)\s+/)) {
    const last = sentences.at(-1);
    if (last !== undefined && titles.test(last)) sentences[sentences.length - 1] = `${last} ${part}`;
    else sentences.push(part);
  }
  return sentences;
}

function quickStart(sentence: string): string[] {
  const pause = lastPause(sentence.slice(0, longestStart));
  if (sentence.length <= longestStart || pause < shortestStart) return [sentence];
  return [sentence.slice(0, pause + 1), sentence.slice(pause + 1).trim()];
}

function lastPause(text: string): number {
  return Math.max(...[", ", "; ", ": ", " - "].map((mark) => text.lastIndexOf(mark)));
}

/** Splits where a speaker would pause, otherwise between words. */
function shortened(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > longestPiece) {
    const room = rest.slice(0, longestPiece);
    const pause = lastPause(room);
    const cut = pause > longestPiece / 3 ? pause + 1 : room.lastIndexOf(" ");
    pieces.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...pieces, rest];
}
