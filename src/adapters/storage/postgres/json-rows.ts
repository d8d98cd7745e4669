/** Rows as one parameter. PostgreSQL cannot turn the escape of a lone surrogate into text, so those are replaced. */
export function wellFormedJson(rows: unknown): string {
  return wellFormed(JSON.stringify(rows));
}

/** JSON writes only lone surrogates as such an escape, in names as in values. */
export function wellFormed(json: string): string {
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (escape) => (escape === "\\\\" ? escape : "\\ufffd"));
}
