import type { Machine } from "./machine.ts";

/** One number that a case found. A goal makes it a pass or a fail; without one it is there to explain the others. */
export type Measure = {
  name: string;
  value: number;
  unit: "ratio" | "/s" | "ms" | "µs" | "MB" | "count";
  goal?: { atLeast: number } | { atMost: number };
};

export type BenchOptions = {
  /** Where a case leaves what took long to make, for its next run; null: nowhere. */
  keep: string | null;
  /** How long a case that measures over time lasts; null: as long as it thinks right. */
  seconds: number | null;
};
/** A case starts what it measures and leaves nothing behind but what it was told to keep. */
export type BenchCase = {
  about: string;
  run: (options: BenchOptions) => Promise<Measure[]>;
  /** It takes so long that it runs only when it is named. */
  isLong?: true;
};
export type CaseReport = { name: string; about: string; seconds: number; measures: Measure[] };

export function isMet({ value, goal }: Measure): boolean {
  if (goal === undefined) return true;
  return "atLeast" in goal ? value >= goal.atLeast : value <= goal.atMost;
}

export function printMachine(machine: Machine): void {
  const { cpu, cores, memoryGiB, system, load, bun, fsyncMs, inMemory, server } = machine;
  console.log(`${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Bun ${bun}, fsync ${shown(fsyncMs)} ms`);
  if (load > cores / 4) console.log(`The machine is busy (load ${shown(load)}): ratios hold, times come out too long.`);
  if (inMemory) console.log("The disk is in memory: durable writes cost nothing here, so do not trust their numbers.");
  console.log(
    server === "executable" ? "Server: dist/outreachd" : "Server: from source (no dist/outreachd: bun run build)",
  );
}

export function printCase({ name, about, seconds, measures }: CaseReport): void {
  console.log(`\n${name}: ${about} (${Math.round(seconds)} s)`);
  const width = Math.max(...measures.map((measure) => measure.name.length));
  for (const measure of measures) {
    const line = `  ${measure.name.padEnd(width)}  ${shown(measure.value).padStart(10)} ${measure.unit.padEnd(5)}`;
    console.log(`${line}  ${verdict(measure)}`.trimEnd());
  }
}

function verdict(measure: Measure): string {
  if (measure.goal === undefined) return "";
  const goal = "atLeast" in measure.goal ? `≥ ${measure.goal.atLeast}` : `≤ ${measure.goal.atMost}`;
  return `${isMet(measure) ? "ok    " : "MISSED"} (goal ${goal})`;
}

function shown(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
