/** Kinds of ASCII characters; what is not ASCII is of none. */
export const kinds = {
  /** Printable, but for a quote or a backslash: needs no escape in JSON. Blanks too. */
  text: 1,
  /** The same without blanks. */
  url: 2,
  /** What stands before the @ in nearly every address. */
  mailbox: 4,
  host: 8,
  /** A host in lower case. */
  lowerHost: 16,
  /** A segment of the path of a profile. */
  path: 32,
  letter: 64,
  digit: 128,
} as const;

const byCode = new Uint8Array(128);
const patterns: [RegExp, number][] = [
  [/[ !#-[\]-~]/, kinds.text],
  [/[!#-[\]-~]/, kinds.url],
  [/[\w.+%'-]/, kinds.mailbox],
  [/[a-z0-9-]/i, kinds.host],
  [/[a-z0-9-]/, kinds.lowerHost],
  [/[a-z0-9_-]/i, kinds.path],
  [/[a-z]/i, kinds.letter],
  [/[0-9]/, kinds.digit],
];
for (let code = 0; code < 128; code++)
  for (const [pattern, kind] of patterns) if (pattern.test(String.fromCharCode(code))) byCode[code]! |= kind;

export function isOf(kind: number, code: number): boolean {
  return code < 128 && (byCode[code]! & kind) !== 0;
}

export function lower(code: number): number {
  return code >= 65 && code <= 90 ? code | 32 : code;
}

/** Where characters of a kind end. */
export function endOf(kind: number, bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const code = bytes[at]!;
    if (code >= 128 || (byCode[code]! & kind) === 0) break;
  }
  return at;
}

/** Whether a piece goes on with this text, which is ASCII. */
export function startsWith(start: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < start.length) return false;
  for (let at = 0; at < start.length; at++) if (bytes[from + at] !== start[at]) return false;
  return true;
}
