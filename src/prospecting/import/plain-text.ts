import { legalWords } from "../keys.ts";
import { prospectTextLimits } from "../model.ts";
import { endOf, isOf, kinds } from "./ascii.ts";

// Shapes of pieces of a text that can be stored, or made a key of, as they stand. Each says the same as the rule that it
// saves the time of, and false where that would have to look.

const [blank, dot, slash, at] = [32, 46, 47, 64];

/** Whether nothing of a text needs cleaning or escapes: printable ASCII without quotes, backslashes and idle blanks. */
export function isPlainText(text: string, start: number, end: number): boolean {
  let before = blank;
  for (let place = start; place < end; place++) {
    const code = text.charCodeAt(place);
    if (!isOf(kinds.text, code) || (code === blank && before === blank)) return false;
    before = code;
  }
  return before !== blank;
}

/** Of a plain text: whether it is the name of a company as it stands, made of letters, digits and blanks, but for case. */
export function isPlainName(text: string, start: number, end: number): boolean {
  let word = start;
  for (let place = start; place < end; place++) {
    const code = text.charCodeAt(place);
    if (code === blank) word = place + 1;
    else if (!isOf(kinds.letter | kinds.digit, code)) return false;
  }
  return isOf(kinds.digit, text.charCodeAt(word)) || !legalWords.has(text.slice(word, end).toLowerCase());
}

/** An address that needs neither cleaning nor escapes: `[\w.+%'-]+@([a-z0-9-]+\.)+[a-z0-9-]+`. */
export function isPlainEmail(text: string, start: number, end: number): boolean {
  let place = endOf(kinds.mailbox, text, start, end);
  if (place === start || place === end || text.charCodeAt(place) !== at) return false;
  if (end - start > prospectTextLimits.email) return false;
  for (let labels = 1; ; labels++) {
    const label = place + 1;
    place = endOf(kinds.host, text, label, end);
    if (place === label) return false;
    if (place === end) return labels > 1;
    if (text.charCodeAt(place) !== dot) return false;
  }
}

/** A host name as `domainOf` gives it back. */
export function isPlainDomain(text: string, start: number, end: number): boolean {
  if (end - start > prospectTextLimits.domain || text.startsWith("www.", start)) return false;
  for (let label = start, labels = 1; ; labels++) {
    const place = endOf(kinds.lowerHost, text, label, end);
    if (place === label || text.startsWith("xn--", label)) return false;
    if (place === end) return labels > 1 && end - label > 1 && endOf(kinds.letter, text, label, end) === end;
    if (text.charCodeAt(place) !== dot) return false;
    label = place + 1;
  }
}

/**
 * Where the host begins of a profile that `canonicalProfileUrl` would change only in scheme, case and closing slash: two
 * segments behind a host without a subdomain that it would leave out. -1: not such a one, or it takes a closer look.
 */
export function hostOfPlainProfile(text: string, start: number, end: number): number {
  const host = text.startsWith("https://", start) ? start + 8 : text.startsWith("http://", start) ? start + 7 : -1;
  if (host === -1) return -1;
  let label = host;
  for (let labels = 1; ; labels++) {
    const place = endOf(kinds.host, text, label, end);
    // `www`, `m` and countries are of three letters at most.
    if (place - label < (labels === 1 ? 4 : 1) || (text.charCodeAt(label) | 32) === letterX) return -1;
    if (place === end) return -1;
    if (text.charCodeAt(place) === slash) {
      if (labels < 2 || place - label < 2 || endOf(kinds.letter, text, label, place) !== place) return -1;
      return hasTwoSegments(text, place + 1, end) ? host : -1;
    }
    if (text.charCodeAt(place) !== dot) return -1;
    label = place + 1;
  }
}

/** A label that begins so may be punycode. */
const letterX = 120;

function hasTwoSegments(text: string, start: number, end: number): boolean {
  const first = endOf(kinds.path, text, start, end);
  if (first === start || first === end || text.charCodeAt(first) !== slash) return false;
  const second = endOf(kinds.path, text, first + 1, end);
  if (second === first + 1) return false;
  return second === end || (second === end - 1 && text.charCodeAt(second) === slash);
}
