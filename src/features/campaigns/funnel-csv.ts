import { csvCell } from "../../lib/table-file/csv-cell.ts";
import { stages } from "./funnel-marks.ts";
import type { ComparisonView, FunnelView, SeriesBy, SeriesView } from "./funnel-model.ts";

type Row = Readonly<Record<string, string | number | null | undefined>>;

const funnelColumns = [
  ...["dimension", "step", "name", ...stages, "sent", "left", "active", "completed", "stopped", "failed"],
  ...["rate", "low", "high"],
];

/** One row for the campaign, and one for each step, side of a branch, variant, and account. CSV as in RFC 4180, UTF-8. */
export function funnelCsv({ stages: total, places, steps, tests, accounts }: FunnelView): string {
  const inState = (state: string) => places.reduce((sum, place) => sum + (place.state === state ? place.leads : 0), 0);
  const states = Object.fromEntries(
    ["active", "completed", "stopped", "failed"].map((state) => [state, inState(state)]),
  );
  const sides = steps.flatMap(({ step, condition, yes, no }) =>
    [
      { side: "yes", counts: yes },
      { side: "no", counts: no },
    ].flatMap(({ side, counts }): Row[] => {
      if (counts === undefined) return [];
      const { taken, ...reached } = counts;
      return [{ dimension: "branch", step, name: `${condition}: ${side}`, left: taken, ...reached }];
    }),
  );
  const rows: Row[] = [
    { dimension: "campaign", ...total, ...states },
    ...steps.map(({ type, actionType, condition, yes: _yes, no: _no, ...counts }) => {
      return {
        dimension: "step",
        name: actionType ?? (condition === undefined ? type : `${type} ${condition}`),
        ...counts,
      };
    }),
    ...sides,
    ...tests.flatMap(({ step, variants }) =>
      variants.map((variant) => ({ dimension: "variant", step, ...variant, behind: null })),
    ),
    ...accounts.map(({ accountId, name, ...counts }) => ({ dimension: "account", name: name ?? accountId, ...counts })),
  ];
  return csvOf(funnelColumns, rows);
}

const seriesColumns: Record<SeriesBy, readonly string[]> = {
  step: ["step", "name", "sent", "skipped", "left", "contacted", "connected", "replied", "interested"],
  branch: ["step", "side", "name", "taken", "connected", "replied", "interested"],
  variant: ["step", "variant", "sent", "connected", "replied", "interested"],
  account: ["accountId", "name", ...stages],
};

/** One row a day or, by a dimension, one for each of its values and day. */
export function seriesCsv({ days, by, series = [] }: SeriesView): string {
  if (by === undefined) return csvOf(["date", ...stages], days);
  const rows = series.flatMap(({ days: own, ...key }) => own.map((day) => ({ ...key, ...day })));
  return csvOf(["date", ...seriesColumns[by]], rows);
}

export function comparisonCsv({ campaigns }: ComparisonView): string {
  const rates = ["connected", "replied", "interested"] as const;
  const columns = rates.flatMap((stage) => [`${stage}Rate`, `${stage}Low`, `${stage}High`]);
  const rows = campaigns.map(({ rates: measured, ...campaign }) => {
    const flat = rates.flatMap((stage): [string, number][] => {
      const { rate, low, high } = measured[stage];
      return [[`${stage}Rate`, rate], [`${stage}Low`, low], [`${stage}High`, high]]; // prettier-ignore
    });
    return { ...campaign, ...Object.fromEntries(flat) };
  });
  return csvOf(["campaignId", "name", "state", "startedAt", ...stages, ...columns], rows);
}

function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((column) => csvCell(String(row[column] ?? ""))));
  return [columns, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}
