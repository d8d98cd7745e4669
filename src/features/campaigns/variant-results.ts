import type { ActionType } from "../network/action-kinds.ts";
import { differenceInterval, differencePValue, wilsonInterval, type Share } from "./confidence.ts";

/** What tells which text is better. */
export const outcomes = ["connected", "replied", "interested"] as const;
export type Outcome = (typeof outcomes)[number];

/** How a text did. `sent`: how many people it reached. */
export type VariantCounts = Record<Outcome, number> & { name: string; weight: number | null; sent: number };

export type VariantResult = VariantCounts & {
  /** In percent of those it reached, with the interval of the confidence. */
  rate: number;
  low: number;
  high: number;
  /** Compared with the variant that does best; null for that one. */
  behind: { points: number; low: number; high: number; pValue: number } | null;
};

/** Requests are made to connect, everything else to get a reply. */
export function defaultOutcome(type: ActionType): Outcome {
  return type === "sendConnectionRequest" ? "connected" : "replied";
}

/** `confidence`: in percent. The best variant first. */
export function compareVariants(
  variants: readonly VariantCounts[],
  outcome: Outcome,
  confidence: number,
): VariantResult[] {
  const share = (variant: VariantCounts): Share => ({ hits: variant[outcome], trials: variant.sent });
  const rate = ({ hits, trials }: Share): number => (trials === 0 ? 0 : hits / trials);
  const ordered = variants.toSorted((a, b) => rate(share(b)) - rate(share(a)) || b.sent - a.sent);
  const [best] = ordered;
  return ordered.map((variant) => {
    const own = share(variant);
    const { low, high } = wilsonInterval(own, confidence / 100);
    const result = { ...variant, rate: percent(rate(own)), low: percent(low), high: percent(high) };
    if (best === undefined || variant === best) return { ...result, behind: null };
    const lead = share(best);
    const interval = differenceInterval(lead, own, confidence / 100);
    const behind = {
      points: percent(rate(lead) - rate(own)),
      low: percent(interval.low),
      high: percent(interval.high),
      pValue: Math.round(differencePValue(lead, own) * 10_000) / 10_000,
    };
    return { ...result, behind };
  });
}

/** `minSent`: how many people each variant must have reached. `confidence`: in percent. */
export type WinnerRule = { outcome: Outcome; minSent: number; confidence: number };
export const defaultRule = { minSent: 100, confidence: 95 } as const;

/**
 * The variant that is better than each other one that further leads may get; null if that is not certain yet. Every one
 * must have reached `minSent` people. With several comparisons, each must be the more certain (Bonferroni).
 */
export function winnerOf(
  variants: readonly VariantCounts[],
  { outcome, minSent, confidence }: WinnerRule,
): string | null {
  const running = variants.filter(({ weight }) => weight !== null && weight > 0);
  if (running.length < 2 || running.some(({ sent }) => sent < minSent)) return null;
  const [best, ...others] = compareVariants(running, outcome, confidence);
  const mayErr = (1 - confidence / 100) / others.length;
  const isCertain = others.every(
    (other) =>
      differencePValue({ hits: best![outcome], trials: best!.sent }, { hits: other[outcome], trials: other.sent }) <
      mayErr,
  );
  return isCertain ? best!.name : null;
}

/** A share in percent, with two decimals. */
export function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}
