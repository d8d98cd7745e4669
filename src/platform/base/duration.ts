const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** A duration as a person says it: "about 6 hours", rounded to the largest unit that it reaches. */
export function durationText(ms: number): string {
  if (ms < 60_000) return "less than a minute";
  const minutes = Math.round(ms / 60_000) * 60_000;
  const [unit, length] = units.find(([, size]) => minutes >= size) ?? ["minute", 60_000];
  const count = Math.round(minutes / length);
  return `about ${count} ${unit}${count === 1 ? "" : "s"}`;
}
