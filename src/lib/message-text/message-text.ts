export type VariableProblem =
  /** There is no variable of this name. */
  | { kind: "unknown"; name: string }
  /** The person has no value for it, and the text no fallback. */
  | { kind: "missing"; name: string }
  /** Double braces that belong to no variable. */
  | { kind: "unmatched" };

const variable = /\{\{([^{}]*)\}\}/g;

/**
 * Replaces variables such as `{{firstName|there}}`: by the value, or else the fallback. `valueOf` returns "" for a variable
 * without a value, and null for one that does not exist. In the text, those with a problem are replaced by nothing.
 */
export function fillVariables(
  text: string,
  valueOf: (name: string) => string | null,
): { text: string; problems: VariableProblem[] } {
  const problems: VariableProblem[] = [];
  const filled = text.replace(variable, (_whole, inner: string) => {
    const [first = "", ...rest] = inner.split("|");
    const name = first.trim();
    const value = valueOf(name);
    if (value === null) problems.push({ kind: "unknown", name });
    if (value) return value;
    if (value !== null && rest.length === 0) problems.push({ kind: "missing", name });
    return value === null ? "" : rest.join("|").trim();
  });
  if (problems.length === 0 && /\{\{|\}\}/.test(filled)) problems.push({ kind: "unmatched" });
  return { text: filled, problems };
}

/**
 * Length as networks count it: UTF-16 code units, as the text fields of browsers do. An emoji counts two or more, and so
 * does a character that is composed of several. Spaces at the start and the end are not sent.
 */
export function messageLength(text: string): number {
  return text.trim().length;
}
