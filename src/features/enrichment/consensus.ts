/** Confidence by number of sources, from experience: two agreeing sources make a value likely. */
const baseConfidence = { several: 0.7, one: 0.55 };

/** Confidence in a value that `count` of `total` sources agree on, while the others contradict it. */
export function agreementConfidence(count: number, total: number): number {
  return (count > 1 ? baseConfidence.several : baseConfidence.one) * (count / total);
}

/** The most frequent value (the first one in a tie) and its confidence; null without values. Values are compared by `normalize`. */
export function majorityValue(
  values: readonly (string | null | undefined)[],
  normalize = (value: string) => value.toLowerCase(),
): { value: string; confidence: number } | null {
  const given = values.filter((value) => typeof value === "string");
  const groups = [...Map.groupBy(given, normalize).values()].toSorted((a, b) => b.length - a.length);
  const largest = groups[0];
  return largest === undefined
    ? null
    : { value: largest[0]!, confidence: agreementConfidence(largest.length, given.length) };
}
