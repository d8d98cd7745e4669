import { normalQuantile } from "../network/governor/draw.ts";

/** Part of a whole: `hits` of `trials` people, such as replies to a text that was sent to so many. */
export type Share = { hits: number; trials: number };
export type Interval = { low: number; high: number };

/**
 * Where the true share lies with this confidence, from 0 to 1 (Wilson's score interval). Unlike the textbook formula, it is
 * also right for few trials and for shares near 0. Without trials, anything is possible.
 */
export function wilsonInterval({ hits, trials }: Share, confidence: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 };
  const z = zOf(confidence);
  const p = shareOf({ hits, trials });
  const scale = 1 + z ** 2 / trials;
  const center = (p + z ** 2 / (2 * trials)) / scale;
  const margin = (z / scale) * Math.sqrt((p * (1 - p)) / trials + z ** 2 / (4 * trials ** 2));
  return { low: Math.max(0, center - margin), high: Math.min(1, center + margin) };
}

/**
 * Where the true difference between two shares lies (Newcombe's hybrid score interval, "Interval estimation for the difference
 * between independent proportions", 1998, method 10).
 */
export function differenceInterval(a: Share, b: Share, confidence: number): Interval {
  const [p, q] = [shareOf(a), shareOf(b)];
  const [ofA, ofB] = [wilsonInterval(a, confidence), wilsonInterval(b, confidence)];
  return {
    low: p - q - Math.hypot(p - ofA.low, ofB.high - q),
    high: p - q + Math.hypot(ofA.high - p, q - ofB.low),
  };
}

/**
 * How likely a difference at least as large is if both shares are really the same (z-test of two proportions, two-sided).
 * 1 if there is nothing to compare.
 */
export function differencePValue(a: Share, b: Share): number {
  if (a.trials <= 0 || b.trials <= 0) return 1;
  const pooled = (a.hits + b.hits) / (a.trials + b.trials);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.trials + 1 / b.trials));
  if (!(error > 0)) return 1;
  return twoSided(Math.abs(shareOf(a) - shareOf(b)) / error);
}

/** Hits cannot exceed trials, but counters of trials may lack those of older versions. */
function shareOf({ hits, trials }: Share): number {
  return trials <= 0 ? 0 : Math.min(1, Math.max(0, hits / trials));
}

function zOf(confidence: number): number {
  return normalQuantile(1 - (1 - confidence) / 2);
}

/** The probability of a standard normal value beyond ±z (Abramowitz and Stegun, 7.1.26; error below 2e-7). */
function twoSided(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
  return series.reduceRight((sum, factor) => (sum + factor) * t, 0) * Math.exp(-(x ** 2));
}
