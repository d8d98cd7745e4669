/** Real data is never nested deeper than this, and traversing it would exhaust the stack. */
export const maxJsonDepth = 64;

/** Like JSON.parse. Throws SyntaxError for invalid JSON and for values nested deeper than `maxJsonDepth`. */
export function parseJson(text: string): unknown {
  if (depthOf(text) > maxJsonDepth) throw new SyntaxError(`nested deeper than ${maxJsonDepth} levels`);
  return JSON.parse(text);
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
