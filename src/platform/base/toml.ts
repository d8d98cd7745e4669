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
    const reason = first.replace(/^Invalid TOML document: /, "");
    const text = source.split(/\r?\n/)[line - 1] ?? "";
    const isShown = text.length <= longestLine && !secretLine.test(text);
    const excerpt = isShown ? `\n  ${text}\n  ${text.slice(0, column - 1).replace(/[^\t]/g, " ")}^` : "";
    throw new SyntaxError(`Line ${line}, column ${column}: ${reason}.${excerpt}`, { cause: error });
  }
}
