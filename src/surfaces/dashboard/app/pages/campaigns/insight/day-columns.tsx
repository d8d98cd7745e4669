import { count } from "../../../format.ts";
import { measureLabels, type Measure } from "./dimensions.ts";

/** Days without a measure have none of it. */
type Day = { date: string } & Partial<Record<Measure, number>>;

const width = 600;
const height = 150;
const gap = 2;
const maxColumn = 24;

type DayColumnsProps = {
  caption: string;
  /** Those on which something happened, and maybe others. */
  days: readonly Day[];
  /** The days to show, oldest first, at least one. */
  dates: readonly string[];
  measure: Measure;
  /** Columns of the table that screen readers read. */
  measures: readonly Measure[];
  /** The top of the scale. */
  most: number;
};

/** One measure by day as columns. */
export function DayColumns({ caption, days, dates, measure, measures, most }: DayColumnsProps) {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const shown = dates.map((date) => ({ date, value: byDate.get(date)?.[measure] ?? 0 }));
  const step = width / shown.length;
  const column = Math.min(Math.max(step - gap, 1), maxColumn);
  const isEmpty = shown.every(({ value }) => value === 0);
  return (
    <figure class="chart days-chart">
      <div class="chart-area" aria-hidden="true">
        <span class="chart-top number faint">{count(most)}</span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
          {[0, 0.5, 1].map((share) => (
            <line key={share} class="grid" x1="0" x2={width} y1={height * share} y2={height * share} />
          ))}
          {shown.map(({ date, value }, n) => {
            const size = (value / most) * height;
            return (
              <g key={date}>
                <title>{`${shortDate(date)}: ${count(value)}`}</title>
                <rect class="hit" x={n * step} y="0" width={step} height={height} />
                <rect
                  class="bar level-0"
                  x={n * step + (step - column) / 2}
                  y={height - size}
                  width={column}
                  height={size}
                />
              </g>
            );
          })}
        </svg>
        <div class="chart-days faint small number">
          <span>{shortDate(shown[0]!.date)}</span>
          {isEmpty && <span>{`${measureLabels[measure]}: none in this period`}</span>}
          <span>{shortDate(shown.at(-1)!.date)}</span>
        </div>
      </div>
      <div class="visually-hidden">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {measures.map((name) => (
                <th key={name} scope="col">
                  {measureLabels[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.date}>
                <th scope="row">{day.date}</th>
                {measures.map((name) => (
                  <td key={name}>{day[name] ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** The top of a scale for a measure of these days. */
export function highest(days: readonly Day[], measure: Measure): number {
  return niceCeiling(Math.max(...days.map((day) => day[measure] ?? 0), 1));
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function shortDate(date: string): string {
  return dayFormat.format(new Date(`${date}T00:00:00Z`));
}

/** The next of 1, 2, 5, 10, 20, 50… so that the scale is readable. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
