import { droppedWords } from "../../../platform/identity/names.ts";
import { prospectTextLimits } from "../model.ts";
import { endOf, isOf, kinds, startsWith } from "./ascii.ts";

// Fast checks for text that can be stored, or used in a key, unchanged. Each agrees with the rule that it replaces and
// returns false if that rule is needed.

const [blank, dot, slash, at] = [32, 46, 47, 64];

/** Whether text needs no cleaning or escaping: printable ASCII without quotes, backslashes, or redundant spaces. */
export function isPlainText(bytes: Uint8Array, start: number, end: number): boolean {
  let before = blank;
  for (let place = start; place < end; place++) {
    const code = bytes[place]!;
    if (!isOf(kinds.text, code) || (code === blank && before === blank)) return false;
    before = code;
  }
  return before !== blank;
}

/** Whether plain text is a company name that needs no normalization except for case: letters, digits, and spaces. */
export function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  let word = start;
  for (let place = start; place < end; place++) {
    const code = bytes[place]!;
    if (code === blank) {
      if (isDroppedWord(bytes, word, place, longestInside)) return false;
      word = place + 1;
    } else if (!isOf(kinds.letter | kinds.digit, code)) return false;
  }
  return isOf(kinds.digit, bytes[word]!) || !isDroppedWord(bytes, word, end, longestDropped);
}

const longestDropped = Math.max(...[...droppedWords].map(({ length }) => length));
/** "the" and "and". Longer words are dropped only at the end. */
const longestInside = 3;

function isDroppedWord(bytes: Uint8Array, start: number, end: number, longest: number): boolean {
  if (end - start > longest) return false;
  return droppedWords.has(String.fromCharCode(...bytes.subarray(start, end)).toLowerCase());
}

/** An address that needs neither cleaning nor escaping: `[\w.+%'-]+@([a-z0-9-]+\.)+[a-z0-9-]+`. */
export function isPlainEmail(bytes: Uint8Array, start: number, end: number): boolean {
  let place = endOf(kinds.mailbox, bytes, start, end);
  if (place === start || place === end || bytes[place]! !== at) return false;
  if (end - start > prospectTextLimits.email) return false;
  for (let labels = 1; ; labels++) {
    const label = place + 1;
    place = endOf(kinds.host, bytes, label, end);
    if (place === label) return false;
    if (place === end) return labels > 1;
    if (bytes[place]! !== dot) return false;
  }
}

/** A host name in the form returned by `domainOf`. */
export function isPlainDomain(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > prospectTextLimits.domain || startsWith(www, bytes, start, end)) return false;
  for (let label = start, labels = 1; ; labels++) {
    const place = endOf(kinds.lowerHost, bytes, label, end);
    if (place === label || startsWith(punycode, bytes, label, end)) return false;
    if (place === end) return labels > 1 && end - label > 1 && endOf(kinds.letter, bytes, label, end) === end;
    if (bytes[place]! !== dot) return false;
    label = place + 1;
  }
}

/**
 * Start of the host of a profile URL that `canonicalProfileUrl` would change only in scheme, case, and trailing slash:
 * two path segments after a host without a subdomain that would be dropped. -1 if it is not, or needs the full rules.
 */
export function hostOfPlainProfile(bytes: Uint8Array, start: number, end: number): number {
  const host = hostBehind(https, bytes, start, end) ?? hostBehind(http, bytes, start, end) ?? -1;
  if (host === -1) return -1;
  let label = host;
  for (let labels = 1; ; labels++) {
    const place = endOf(kinds.host, bytes, label, end);
    // `www`, `m`, and country subdomains have at most three letters.
    if (place - label < (labels === 1 ? 4 : 1) || (bytes[label]! | 32) === letterX) return -1;
    if (place === end) return -1;
    if (bytes[place] === slash) {
      if (labels < 2 || place - label < 2 || endOf(kinds.letter, bytes, label, place) !== place) return -1;
      return hasTwoSegments(bytes, place + 1, end) ? host : -1;
    }
    if (bytes[place]! !== dot) return -1;
    label = place + 1;
  }
}

function hostBehind(scheme: Uint8Array, bytes: Uint8Array, start: number, end: number): number | null {
  return startsWith(scheme, bytes, start, end) ? start + scheme.length : null;
}

const encoder = new TextEncoder();
const [https, http, www, punycode] = [
  encoder.encode("https://"), encoder.encode("http://"), encoder.encode("www."), encoder.encode("xn--"),
]; // prettier-ignore
/** A label that starts with this letter may be punycode. */
const letterX = 120;

function hasTwoSegments(bytes: Uint8Array, start: number, end: number): boolean {
  const first = endOf(kinds.path, bytes, start, end);
  if (first === start || first === end || bytes[first]! !== slash) return false;
  const second = endOf(kinds.path, bytes, first + 1, end);
  if (second === first + 1) return false;
  return second === end || (second === end - 1 && bytes[second] === slash);
}
