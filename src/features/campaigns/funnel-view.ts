import { isoTime } from "../../platform/base/clock.ts";
import type { NetworkAccount } from "../network/account-model.ts";
import { wilsonInterval } from "./confidence.ts";
import { dayMs, stages, type Stage } from "./funnel-marks.ts";
import type { FunnelView, Rates, SeriesView, StageCounts, StepView } from "./funnel-model.ts";
import { enrollmentStates, type Campaign } from "./model.ts";
import { branchSides, compile, type BranchSides, type Instruction, type StepRange } from "./program.ts";
import type { FunnelCount, FunnelDay } from "./store.ts";
import { compareVariants, percent, type VariantCounts } from "./variant-results.ts";
import { ruleOf } from "./variants.ts";

/** Of all rates that are shown without a setting of their own. */
export const usualConfidence = 95;

type Rows = readonly FunnelCount[];

/** The counters of a campaign, in its present steps, as stages, places, steps, tests, and accounts. */
export function funnelParts(
  campaign: Pick<Campaign, "steps" | "firstStep" | "winners">,
  rows: Rows,
  accounts: readonly Pick<NetworkAccount, "id" | "name">[],
): Pick<FunnelView, "stages" | "rates" | "places" | "leads" | "steps" | "tests" | "accounts"> {
  const program = compile(campaign.steps, campaign.firstStep);
  const sides = branchSides(campaign.steps, campaign.firstStep);
  const places = placesOf(rows, program.length);
  const total = stagesOf(rows);
  return {
    stages: total,
    rates: ratesOf(total),
    places,
    leads: places.reduce((sum, { leads }) => sum + leads, 0),
    steps: program.flatMap((instruction, step) => [stepOf(instruction, step, sides.get(step), rows)]),
    tests: program.flatMap((instruction, step) => testOf(instruction, step, campaign.winners[step] ?? null, rows)),
    accounts: accountsOf(rows, accounts),
  };
}

export function stagesOf(rows: Rows): StageCounts {
  return {
    enrolled: sumOf(rows, "enrolled"),
    contacted: sumOf(rows, "contacted"),
    connected: sumOf(rows, "connected"),
    replied: sumOf(rows, "replied"),
    interested: sumOf(rows, "interested"),
  };
}

export function ratesOf({ contacted, connected, replied, interested }: StageCounts): Rates {
  const rate = (hits: number) => {
    const { low, high } = wilsonInterval({ hits, trials: contacted }, usualConfidence / 100);
    const share = contacted === 0 ? 0 : Math.min(1, hits / contacted);
    return { rate: percent(share), low: percent(low), high: percent(high) };
  };
  return { connected: rate(connected), replied: rate(replied), interested: rate(interested) };
}

export function daysOf(rows: readonly FunnelDay[]): SeriesView["days"] {
  const none = { enrolled: 0, contacted: 0, connected: 0, replied: 0, interested: 0 };
  const days = new Map<number, Record<Stage, number>>();
  for (const { day, stage, enrollments } of rows) {
    const counts = days.get(day) ?? { ...none };
    counts[stage] += enrollments;
    days.set(day, counts);
  }
  return [...days].toSorted(([a], [b]) => a - b).map(([day, counts]) => ({ date: dateOf(day), ...counts }));
}

/** `day`: since 1970, in UTC. */
export function dateOf(day: number): string {
  return isoTime(day * dayMs).slice(0, 10);
}

function placesOf(rows: Rows, last: number): FunnelView["places"] {
  const leads = new Map<string, FunnelView["places"][number]>();
  for (const { mark, step: at, enrollments } of rows) {
    const state = enrollmentStates.find((each) => each === mark);
    if (state === undefined) continue;
    const step = state === "completed" || at >= last ? null : at;
    const place = `${state} ${step}`;
    leads.set(place, { state, step, leads: (leads.get(place)?.leads ?? 0) + enrollments });
  }
  return [...leads.values()].toSorted((a, b) => (a.step ?? last) - (b.step ?? last) || a.state.localeCompare(b.state));
}

export function stepOf(instruction: Instruction, step: number, sides: BranchSides | undefined, rows: Rows): StepView {
  const here = rows.filter((row) => row.step === step);
  const [sent, skipped] = [sumOf(here, "invited", "messaged", "done"), sumOf(here, "skipped")];
  const view: StepView = {
    step,
    type: instruction.kind,
    active: sumOf(here, "active"),
    stopped: sumOf(here, "stopped"),
    failed: sumOf(here, "failed"),
    left: sent + skipped + sumOf(here, "waited", "yes", "no"),
    ...{ sent, skipped, connected: sumOf(here, "connected"), replied: sumOf(here, "replied") },
    interested: sumOf(here, "interested"),
  };
  if (instruction.kind === "action") return { ...view, actionType: instruction.action.actionType };
  if (instruction.kind === "wait") return view;
  const outcomesOf = (exit: "yes" | "no", { from, end }: StepRange) => {
    const inside = rows.filter((row) => row.step >= from && row.step < end);
    return {
      taken: sumOf(here, exit),
      connected: sumOf(inside, "connected"),
      replied: sumOf(inside, "replied"),
      interested: sumOf(inside, "interested"),
    };
  };
  const { condition } = instruction;
  return { ...view, condition, yes: outcomesOf("yes", sides!.yes), no: outcomesOf("no", sides!.no) };
}

function testOf(instruction: Instruction, step: number, winner: string | null, rows: Rows): FunnelView["tests"] {
  if (instruction.kind !== "action" || instruction.action.variants === undefined) return [];
  const { actionType, variants, autoWinner } = instruction.action;
  const { outcome, minSent, confidence } = ruleOf(instruction.action);
  const counts = variantCounts(variants, step, rows);
  return [
    {
      ...{ step, actionType, outcome, confidence, winner, minSent: autoWinner === undefined ? null : minSent },
      variants: compareVariants(counts, outcome, confidence),
    },
  ];
}

/** The variants of a step, and those that it no longer has. */
export function variantCounts(
  variants: readonly { name: string; weight: number }[],
  step: number,
  rows: Rows,
): VariantCounts[] {
  const here = rows.filter((row) => row.step === step && row.variant !== "");
  const names = new Set([...variants.map(({ name }) => name), ...here.map(({ variant }) => variant)]);
  return [...names].map((name) => {
    const own = here.filter(({ variant }) => variant === name);
    return {
      name,
      weight: variants.find((variant) => variant.name === name)?.weight ?? null,
      sent: sumOf(own, "invited", "messaged", "done"),
      connected: sumOf(own, "connected"),
      replied: sumOf(own, "replied"),
      interested: sumOf(own, "interested"),
    };
  });
}

export function accountsOf(
  rows: Rows,
  accounts: readonly Pick<NetworkAccount, "id" | "name">[],
): FunnelView["accounts"] {
  const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
  return [...byAccount]
    .map(([accountId, own]) => ({
      accountId,
      name: accounts.find(({ id }) => id === accountId)?.name ?? null,
      ...stagesOf(own),
    }))
    .filter((counts) => stages.some((stage) => counts[stage] > 0))
    .toSorted((a, b) => b.enrolled - a.enrolled || a.accountId.localeCompare(b.accountId));
}

function sumOf(rows: Rows, ...marks: readonly string[]): number {
  return rows.reduce((sum, { mark, enrollments }) => sum + (marks.includes(mark) ? enrollments : 0), 0);
}
