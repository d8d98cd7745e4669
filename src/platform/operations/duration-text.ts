const units = [
  { name: "day", ms: 86_400_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "minute", ms: 60_000 },
] as const;

/** A duration as readable text in its largest unit: "25 hours". At least a minute. */
export function durationText(ms: number): string {
  const { name, ms: unitMs } = units.find((unit) => ms >= 2 * unit.ms) ?? units[2];
  const count = Math.max(1, Math.round(ms / unitMs));
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
