import { useState } from "preact/hooks";
import type { SeriesView } from "../../../../../../features/campaigns/funnel-model.ts";
import { count } from "../../../format.ts";
import { Field } from "../../../ui/form.tsx";
import { Section } from "../../../ui/page.tsx";
import { stageLabels, stageNames, type Stage } from "./stages.ts";

type Day = SeriesView["days"][number];
const dayMs = 86_400_000;
/** More columns could not be told apart. */
const maxDays = 120;
const width = 600;
const height = 150;
const gap = 2;
const maxColumn = 24;

/** One stage by day. `from`: the first day, if one is chosen. Days are in UTC, as on the server. */
export function DaysChart({ days, from, until }: { days: readonly Day[]; from: string | null; until: string }) {
  const [stage, setStage] = useState<Stage>("contacted");
  const shown = everyDay(days, from, until);
  const most = niceCeiling(Math.max(...shown.map((day) => day[stage]), 1));
  const step = width / shown.length;
  const column = Math.min(Math.max(step - gap, 1), maxColumn);
  const isEmpty = shown.every((day) => day[stage] === 0);
  return (
    <Section
      title="By day"
      actions={
        <Field label="Stage">
          {(control) => (
            <select {...control} value={stage} onChange={({ currentTarget }) => setStage(currentTarget.value as Stage)}>
              {stageNames.map((name) => (
                <option key={name} value={name}>
                  {stageLabels[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
      }
    >
      <figure class="chart days-chart">
        <div class="chart-area" aria-hidden="true">
          <span class="chart-top number faint">{count(most)}</span>
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
            {[0, 0.5, 1].map((share) => (
              <line key={share} class="grid" x1="0" x2={width} y1={height * share} y2={height * share} />
            ))}
            {shown.map((day, n) => {
              const size = (day[stage] / most) * height;
              return (
                <g key={day.date}>
                  <title>{`${shortDate(day.date)}: ${count(day[stage])}`}</title>
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
            {isEmpty && <span>{`Nobody ${stageLabels[stage].toLowerCase()} in this period`}</span>}
            <span>{shortDate(shown.at(-1)!.date)}</span>
          </div>
        </div>
        <div class="visually-hidden">
          <table>
            <caption>Leads by day (UTC) and stage</caption>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {stageNames.map((name) => (
                  <th key={name} scope="col">
                    {stageLabels[name]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day) => (
                <tr key={day.date}>
                  <th scope="row">{day.date}</th>
                  {stageNames.map((name) => (
                    <td key={name}>{day[name]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </figure>
    </Section>
  );
}

/** All days up to today, with those on which nothing happened, at most the latest 120. */
export function everyDay(days: readonly Day[], from: string | null, until: string): Day[] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const last = Date.parse(until);
  // A week at least, so that the first day is not one wide column.
  const first = Math.max(
    Math.min(Date.parse(from ?? days[0]?.date ?? until), last - 6 * dayMs),
    last - (maxDays - 1) * dayMs,
  );
  const shown: Day[] = [];
  for (let at = first; at <= last; at += dayMs) {
    const date = new Date(at).toISOString().slice(0, 10);
    shown.push(byDate.get(date) ?? { date, enrolled: 0, contacted: 0, connected: 0, replied: 0, interested: 0 });
  }
  return shown;
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
