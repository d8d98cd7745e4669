import type { RevenueRange } from "../model.ts";
import { amountRange, type AmountRange } from "./amounts.ts";
import { inCurrency } from "./currencies.ts";
import { spoiledRange } from "./spoiled-range.ts";

/** Employee ranges used by the professional network and People Data Labs. */
export const companySizes = [
  { label: "1-10", min: 1, max: 10 },
  { label: "11-50", min: 11, max: 50 },
  { label: "51-200", min: 51, max: 200 },
  { label: "201-500", min: 201, max: 500 },
  { label: "501-1000", min: 501, max: 1000 },
  { label: "1001-5000", min: 1001, max: 5000 },
  { label: "5001-10000", min: 5001, max: 10_000 },
  { label: "10001+", min: 10_001, max: Number.POSITIVE_INFINITY },
] as const;

/**
 * Stored form of a company size: a range keeps its numbers, whatever the notation, and a plain number becomes the
 * standard range that contains it. Null if the text is not a number.
 *
 * @example companySizeText("1000+") === "1000+"
 * @example companySizeText("10,001+ employees") === "10001+"
 * @example companySizeText("1,200") === "1001-5000"
 */
export function companySizeText(text: string): string | null {
  const label = companySize(text);
  const range = label === null || spoiledRange(text) !== null ? null : amountRange(text, { anyNoun: true });
  if (range === null || range.min === range.max || range.min < 1 || !Number.isInteger(range.min)) return label;
  if (range.max === Number.POSITIVE_INFINITY) return `${range.min}+`;
  return Number.isInteger(range.max) ? `${range.min}-${range.max}` : label;
}

/**
 * The standard range for a number of employees or a range in any notation (the one that contains its midpoint), even if
 * a spreadsheet has converted the range to a date. Null if the text is not a number.
 *
 * @example companySize("1,200 employees") === "1001-5000"
 */
export function companySize(text: string): string | null {
  const range = spoiledRange(text) ?? amountRange(text, { anyNoun: true });
  if (range === null || range.max < 1) return null;
  const low = Math.max(lowEnd(range), 1);
  const middle = range.max === Number.POSITIVE_INFINITY ? low : (low + range.max) / 2;
  return companySizes.find(({ max }) => middle <= max)?.label ?? null;
}

/** The standard ranges that overlap with the given one. */
export function companySizesTouching(text: string): string[] {
  const range = amountRange(text, { anyNoun: true });
  if (range === null) return [];
  const from = lowEnd(range);
  return companySizes.filter(({ min, max }) => from <= max && range.max >= min).map(({ label }) => label);
}

/** "1000+" starts after 501-1000, as intended by its authors. */
function lowEnd({ min, max }: AmountRange): number {
  return max === Number.POSITIVE_INFINITY && min % 10 === 0 ? min + 1 : min;
}

/** Boundaries of the revenue steps in US dollars, three per power of ten. */
const revenueSteps = [0, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 2e10, 5e10, 1e11] as const;

/**
 * The revenue steps that cover an amount or range, as one range. Amounts in other currencies are converted by
 * `inCurrency`. Null if the text is not an amount.
 */
export function revenueRange(text: string): RevenueRange | null {
  return stepsOfAmounts(text, 1);
}

/** Like `revenueRange`, but amounts without a unit are in thousands. */
export function revenueRangeOfThousands(text: string): RevenueRange | null {
  return stepsOfAmounts(text, 1000);
}

/** Like `revenueRange`, but only for amounts that name their currency, including dollars. */
export function revenueRangeOfNamed(text: string): RevenueRange | null {
  return inCurrency(text)?.isNamed === true ? stepsOfAmounts(text, 1) : null;
}

function stepsOfAmounts(text: string, scale: number): RevenueRange | null {
  const money = inCurrency(text);
  const range = money && amountRange(money.amount, { scale });
  if (range === null) return null;
  const { min, max } = range;
  return revenueRangeOf(min * money!.dollars, max === Number.POSITIVE_INFINITY ? null : max * money!.dollars);
}

/** The steps from the one of `min` to the one of `max`; null if the range is empty. */
export function revenueRangeOf(min: number, max: number | null): RevenueRange | null {
  const touched = stepsTouching(min, max);
  const [first] = touched;
  const last = touched.at(-1);
  if (first === undefined || last === undefined) return null;
  return { min: revenueSteps[first]!, max: max === null ? null : (revenueSteps[last + 1] ?? null) };
}

/** Lower boundaries of the steps covered by a stored range. */
export function stepsOfRevenue({ min, max }: RevenueRange): number[] {
  return stepsTouching(min, max).map((step) => revenueSteps[step]!);
}

/** Steps that contain amounts from `min` to `max`. The upper boundary is exclusive. */
function stepsTouching(min: number, max: number | null): number[] {
  const steps: number[] = [];
  revenueSteps.forEach((from, step) => {
    const to = revenueSteps[step + 1] ?? Number.POSITIVE_INFINITY;
    const isBelow = max === null || from < max || from === min;
    if (min < to && isBelow) steps.push(step);
  });
  return steps;
}

/** The revenue step with this lower boundary. */
export function revenueStep(from: number): RevenueRange {
  return { min: from, max: revenueSteps[revenueSteps.findIndex((step) => step === from) + 1] ?? null };
}

/** Label of a revenue step, such as "10M-20M". */
export function revenueStepLabel(from: number): string {
  const { max } = revenueStep(from);
  return max === null ? `${short(from)}+` : `${short(from)}-${short(max)}`;
}

function short(amount: number): string {
  if (amount >= 1e9) return `${amount / 1e9}B`;
  return amount >= 1e6 ? `${amount / 1e6}M` : String(amount);
}
