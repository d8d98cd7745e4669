/** Option of an object schema: common wrong names for its fields, and what to suggest instead. */
export const suggestions = "x-suggestions";

/**
 * The candidate most similar to `word`, or null if none is similar. At most a third of the letters, and at most 3, may
 * differ, so that a short name does not match any other short name.
 */
export function closest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/**
 * Like `closest`, for names of several words (includeSocialProfiles): also matches the only name that contains `word`, or
 * the only one with a similar word.
 */
export function closestName(word: string, names: readonly string[]): string | null {
  const near = closest(word, names);
  if (near !== null) return near;
  const lower = word.toLowerCase();
  const wordsOf = (name: string): string[] => name.split(/(?=[A-Z])/).map((part) => part.toLowerCase());
  const byWord = names.filter((name) => lower.length > 2 && name.toLowerCase().includes(lower));
  const candidates = byWord.length > 0 ? byWord : names.filter((name) => closest(lower, wordsOf(name)) !== null);
  return candidates.length === 1 ? candidates[0]! : null;
}

/** Levenshtein distance: the number of letters to insert, remove, or replace. */
export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
