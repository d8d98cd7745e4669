/** Normalizes text to one line: removes control characters, replaces line breaks and tabs with a space, and trims. */
export function singleLine(sent: string): string {
  const text = sent.toWellFormed(); // an unpaired surrogate would be lost when stored
  return hasControl.test(text) ? text.replace(lineBreaks, " ").replace(controls, "").trim() : text.trim();
}

/** Normalizes multiline text: removes control characters except tabs and line feeds, uses `\n` line endings, and trims. */
export function multiLine(sent: string): string {
  const text = sent.toWellFormed();
  return hasControl.test(text) ? text.replace(/\r\n?/g, "\n").replace(controls, "").trim() : text.trim();
}

/** Whether a text shows nothing: it consists of spaces, line breaks, and characters without a shape, such as zero-width ones. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

// The blank of braille is the only other character that looks like a space.
const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u;

/** Real data is never nested deeper than this, and traversing it would exhaust the stack. */
export const maxJsonDepth = 64;

/**
 * Like JSON.parse, but removes the character U+0000, which PostgreSQL cannot store. Throws SyntaxError for invalid JSON
 * and for values nested deeper than `maxJsonDepth`.
 */
export function parseJson(text: string): unknown {
  if (depthOf(text) > maxJsonDepth) throw new SyntaxError(`nested deeper than ${maxJsonDepth} levels`);
  const value: unknown = JSON.parse(text);
  return text.includes("\\u0000") ? replaceNul(value, "") : value;
}

/** The value with another text for each U+0000 in its strings and names. */
export function replaceNul(value: unknown, replacement: string): unknown {
  if (typeof value === "string") return value.replaceAll("\0", replacement);
  if (Array.isArray(value)) return value.map((each) => replaceNul(each, replacement));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map((entry) => replaceNul(entry, replacement) as [string, unknown]));
}

/** The maximum nesting of brackets outside strings. Stops counting once it is too deep. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && deepest <= maxJsonDepth; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, ++depth);
    else if (code === closeBrace || code === closeBracket) depth--;
  }
  return deepest;
}

/** The index of the quote that ends the string starting at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Array.from('"\\{}[]', (char) =>
  char.charCodeAt(0),
);

/**
 * Caches the results of a function for the last few thousand texts, because most titles, sizes, and companies of a
 * directory occur many times. Callers must not modify the results.
 */
export function memoize<T>(of: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const cached = results.get(text);
    if (cached !== undefined) return cached;
    if (results.size >= maxTexts) results.clear();
    const own = ownText(text);
    const result = of(own);
    results.set(own, result);
    return result;
  };
}

/** About 10 MB of titles. */
const maxTexts = 20_000;

/** Returns a copy, because a substring keeps the whole original string in memory. */
export function ownText(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length === text.length + 2 ? quoted.slice(1, -1) : (JSON.parse(quoted) as string);
}

/* oxlint-disable no-control-regex -- this file removes them */
const hasControl = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/* oxlint-enable no-control-regex */
