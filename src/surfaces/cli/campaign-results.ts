import type {
  ComparisonView,
  FunnelView,
  Rate,
  SeriesView,
  StageCounts,
} from "../../features/campaigns/funnel-model.ts";
import { oneLine } from "./campaign-text.ts";
import { formatCount } from "./progress.ts";
import { renderTable } from "./table.ts";

const stages = ["enrolled", "contacted", "connected", "replied", "interested"] as const;
const stageHeadings = stages.map((stage) => stage.toUpperCase());

export function funnelText({ stages: total, rates, leads, places, steps, tests, accounts }: FunnelView): string {
  const rateOf = (stage: string) => (stage in rates ? rateText(rates[stage as keyof typeof rates]) : "");
  const parts = [
    renderTable(
      ["STAGE", "LEADS", "OF CONTACTED (95%)"],
      stages.map((stage) => [stage, formatCount(total[stage]), rateOf(stage)]),
    ),
    `${formatCount(leads)} leads: ${places.map(placeText).join(", ") || "none"}.`,
    renderTable(
      ["STEP", "WHAT", "ACTIVE", "LEFT", "SENT", "SKIPPED", "CONNECTED", "REPLIED", "INTERESTED"],
      steps.flatMap(({ step, type, actionType, condition, yes, no, ...counts }) => {
        const { active, left, sent, skipped, connected, replied, interested } = counts;
        const own = [active, left, sent, skipped, connected, replied, interested].map(formatCount);
        const sides = Object.entries({ yes, no }).flatMap(([side, outcomes]) =>
          outcomes === undefined
            ? []
            : [["", `  ${side}`, "", formatCount(outcomes.taken), "", "", ...outcomesOf(outcomes)]],
        );
        return [[`${step}`, actionType ?? (condition === undefined ? type : `if ${condition}`), ...own], ...sides];
      }),
    ),
    ...tests.map(({ step, outcome, winner, variants }) => {
      const rows = variants.map(({ name, weight, sent, connected, replied, interested, behind, ...rate }) => [
        `${oneLine(name)}${name === winner ? " (winner)" : ""}`,
        weight === null ? "removed" : `${weight}`,
        formatCount(sent),
        ...outcomesOf({ connected, replied, interested }),
        rateText(rate),
        behind === null ? "" : `${behind.points} (p = ${behind.pValue})`,
      ]);
      const headings = ["WEIGHT", "SENT", "CONNECTED", "REPLIED", "INTERESTED", outcome.toUpperCase(), "POINTS BEHIND"];
      return renderTable([`VARIANT OF STEP ${step}`, ...headings], rows);
    }),
    ...(accounts.length === 0
      ? []
      : [
          renderTable(
            ["ACCOUNT", ...stageHeadings],
            accounts.map(({ accountId, name, ...counts }) => [oneLine(name ?? accountId), ...countsOf(counts)]),
          ),
        ]),
  ];
  return parts.join("\n\n");
}

export function daysText({ days }: SeriesView): string {
  if (days.length === 0) return "Nothing happened in this period.";
  return renderTable(
    ["DAY (UTC)", ...stageHeadings],
    days.map(({ date, ...counts }) => [date, ...countsOf(counts)]),
  );
}

/** One row a day of each series. */
export function seriesText({ series = [] }: SeriesView): string {
  if (series.length === 0) return "Nothing happened in this period.";
  const counts = Object.keys(series[0]!.days[0] ?? {}).filter((name) => name !== "date");
  const rows = series.flatMap(({ step, side, name, days }) =>
    days.map((day) => [
      step === null ? "" : `${step}`,
      oneLine(side === null ? name : `${name}: ${side}`),
      day.date,
      ...counts.map((count) => formatCount(Number(Object.entries(day).find(([key]) => key === count)?.[1] ?? 0))),
    ]),
  );
  return renderTable(["STEP", "OF", "DAY (UTC)", ...counts.map((count) => count.toUpperCase())], rows);
}

export function comparisonText({ campaigns }: ComparisonView): string {
  if (campaigns.length === 0) return "No campaigns.";
  const rows = campaigns.map(({ name, state, rates, campaignId, ...counts }) => [
    oneLine(name),
    state,
    ...countsOf(counts),
    rateText(rates.connected),
    rateText(rates.replied),
    campaignId,
  ]);
  return renderTable(["CAMPAIGN", "STATE", ...stageHeadings, "CONNECTED %", "REPLIED %", "ID"], rows);
}

const countsOf = (counts: StageCounts): string[] => stages.map((stage) => formatCount(counts[stage]));

function outcomesOf({ connected, replied, interested }: Pick<StageCounts, "connected" | "replied" | "interested">) {
  return [connected, replied, interested].map(formatCount);
}

function placeText({ state, step, leads }: FunnelView["places"][number]): string {
  return `${formatCount(leads)} ${state}${step === null || state === "completed" ? "" : ` at step ${step}`}`;
}

function rateText({ rate, low, high }: Rate): string {
  return `${rate}% (${low} to ${high})`;
}
