import { parse, TomlError } from "smol-toml";

/** Lines that may contain a secret, which messages must not show. */
const secretLine = /secret|password|passphrase|token|key|:\/\/[^/\s]*@/i;
const longestLine = 120;

/**
 * Parses a TOML document, which is always a table (TOML 1.0, "Table"). Throws SyntaxError with the line, the column, and
 * the line itself unless it may contain a secret.
 */
export function parseToml(source: string): Record<string, unknown> {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    const [first = ""] = error.message.split("\n");
    const text = source.split(/\r?\n/)[line - 1] ?? "";
    // The parser reports the line break that ends a line with an open string as a control character.
    const isUnclosed = first.endsWith("in strings") && column > text.length;
    const reason = isUnclosed ? "the string is not closed" : first.replace(/^Invalid TOML document: /, "");
    const isShown = text.length <= longestLine && !secretLine.test(text);
    const excerpt = isShown ? `\n  ${text}\n  ${text.slice(0, column - 1).replace(/[^\t]/g, " ")}^` : "";
    throw new SyntaxError(`Line ${line}, column ${column}: ${reason}.${excerpt}`, { cause: error });
  }
}

/** Strings and comments, which may contain what looks like a key. */
const literal = /"""(?:\\[\s\S]|[^\\])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;

/**
 * The line, from 1, where a valid document sets `key` in a table (default: the top one), or begins the table that `key`
 * is. Null if it is not found, such as in an inline table.
 */
export function lineOfKey(source: string, key: string, table = ""): number | null {
  const lines = source.replaceAll(literal, withoutContent).split("\n");
  let current = "";
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[{1,2}([^[\],=]+)\]{1,2}\s*$/.exec(line)?.[1];
    if (header !== undefined) current = dotted(header);
    const name = header === undefined ? dotted(/^([^=[\]{}]+)=/.exec(line)?.[1] ?? "") : "";
    const path = [current, name].filter(Boolean).join(".");
    const wanted = table === "" ? key : `${table}.${key}`;
    if (path === wanted || path.startsWith(`${wanted}.`)) return index + 1;
  }
  return null;
}

/** Where a valid document sets `key`: the line, and the column of the key or its value, from 1. Null as for `lineOfKey`. */
export function placeOf(part: "key" | "value", key: string, source: string): { line: number; column: number } | null {
  const line = lineOfKey(source, key);
  if (line === null) return null;
  const text = source.split("\n")[line - 1] ?? "";
  const before = (part === "key" ? /^\s*/ : /^[^=]*=\s*/).exec(text)?.[0] ?? "";
  return { line, column: before.length + 1 };
}

/** Keeps line breaks, and strings of one line, since a key may be quoted. */
function withoutContent(text: string): string {
  if (text.startsWith("#")) return "";
  return text.startsWith('"""') || text.startsWith("'''") ? text.replaceAll(/[^\n]/g, "") : text;
}

/** The parts of a key without spaces and quotes. */
function dotted(key: string): string {
  return key
    .split(".")
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .join(".");
}
