/** Classes of ASCII characters. Other characters belong to none. */
export const kinds = {
  /** Printable except quotes and backslashes, including spaces: needs no escaping in JSON. */
  text: 1,
  /** The same without spaces. */
  url: 2,
  /** Characters before the @ in nearly all email addresses. */
  mailbox: 4,
  host: 8,
  /** Lowercase host name. */
  lowerHost: 16,
  /** Path segment of a profile URL. */
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

/** Index after the last consecutive character of a class. */
export function endOf(kind: number, bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const code = bytes[at]!;
    if (code >= 128 || (byCode[code]! & kind) === 0) break;
  }
  return at;
}

/** Whether the bytes continue with this ASCII text. */
export function startsWith(start: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < start.length) return false;
  for (let at = 0; at < start.length; at++) if (bytes[from + at] !== start[at]) return false;
  return true;
}
