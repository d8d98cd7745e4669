/** Rows as one parameter. PostgreSQL cannot turn the escape of a lone surrogate into text, so those are replaced. */
export function wellFormedJson(rows: unknown): string {
  const json = JSON.stringify(rows);
  return hasLoneSurrogates(json) ? JSON.stringify(rows, replaceLoneSurrogates) : json;
}

/** JSON writes only those as an escape. */
function hasLoneSurrogates(json: string): boolean {
  return json.includes("\\ud");
}

function replaceLoneSurrogates(_name: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}
