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
