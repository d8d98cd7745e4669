const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** A duration as readable text, rounded in its largest unit: "about 6 hours". */
export function durationText(ms: number): string {
  if (ms < 60_000) return "less than a minute";
  const minutes = Math.round(ms / 60_000) * 60_000;
  const [unit, length] = units.find(([, size]) => minutes >= size) ?? ["minute", 60_000];
  const count = Math.round(minutes / length);
  return `about ${count} ${unit}${count === 1 ? "" : "s"}`;
}
