/** What a thing is worth by those who tell it (facts of the field: two make it likely). */
const sureness = { several: 0.7, one: 0.55 };

/** How sure a thing is that so many of `total` tell; the others tell something else. */
export function witnessed(count: number, total: number): number {
  return (count > 1 ? sureness.several : sureness.one) * (count / total);
}

/** What most tell, among equals the first, and how sure that is; null when nobody tells anything. `spelled` makes those equal that mean the same. */
export function mostTold(
  values: readonly (string | null | undefined)[],
  spelled = (value: string) => value.toLowerCase(),
): { value: string; confidence: number } | null {
  const told = values.filter((value) => typeof value === "string");
  const alike = [...Map.groupBy(told, spelled).values()].toSorted((a, b) => b.length - a.length);
  const most = alike[0];
  return most === undefined ? null : { value: most[0]!, confidence: witnessed(most.length, told.length) };
}
