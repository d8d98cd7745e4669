import type { JobDay } from "../../../../../platform/jobs/model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";

const states = ["completed", "running", "pending", "failed"] as const;
const stateLabels = { completed: "Completed", running: "Running", pending: "Pending", failed: "Failed" };
const days = 30;

/** Jobs of the last 30 days by the day of their execution and their status. */
export function JobsChart() {
  const history = useResource(
    (signal) =>
      api.get<{ days: JobDay[] }>("/users/jobs/history", { query: { days, by: "executed" }, signal, priority: "low" }),
    [],
    { pollMs: 30_000, events: ["action.", "enrichment.", "leads.imported", "voice."] },
  );
  return (
    <div class="card wide">
      <Section title="Jobs by day">
        <Loaded resource={history} lines={5}>
          {({ days }) => <Chart days={days} />}
        </Loaded>
      </Section>
    </div>
  );
}

const width = 600;
const height = 150;
const gap = 3;

/**
 * Bars are SVG instead of canvas, so that they follow the colors of the theme. A table contains the same data for
 * screen readers.
 */
function Chart({ days }: { days: readonly JobDay[] }) {
  const totals = days.map((day) => states.reduce((sum, state) => sum + day[state], 0));
  const most = niceCeiling(Math.max(...totals, 1));
  const step = width / days.length;
  return (
    <figure class="chart">
      <ul class="legend" aria-hidden="true">
        {states.map((state) => (
          <li key={state}>
            <span class={`swatch ${state}`} />
            {stateLabels[state]}{" "}
            <span class="number faint">{count(days.reduce((sum, day) => sum + day[state], 0))}</span>
          </li>
        ))}
      </ul>
      <div class="chart-area" aria-hidden="true">
        <span class="chart-top number faint">
          <span>{count(most)}</span>
          <span>0</span>
        </span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
          {[0.5, 1].map((share) => (
            <line key={share} class="grid" x1="0" x2={width} y1={height * (1 - share)} y2={height * (1 - share)} />
          ))}
          {days.map((day, index) => {
            let top = height;
            return (
              <g key={day.date}>
                <title>{titleOf(day)}</title>
                <rect class="hit" x={index * step} y="0" width={step} height={height} />
                {states.map((state) => {
                  const size = (day[state] / most) * height;
                  top -= size;
                  return (
                    <rect
                      key={state}
                      class={`bar ${state}`}
                      x={index * step + gap / 2}
                      y={top}
                      width={step - gap}
                      height={size}
                    />
                  );
                })}
              </g>
            );
          })}
        </svg>
        <div class="chart-days faint small number">
          <span>{shortDate(days[0]?.date)}</span>
          <span>{shortDate(days[Math.floor(days.length / 2)]?.date)}</span>
          <span>Today</span>
        </div>
      </div>
      <div class="visually-hidden">
        <table>
          <caption>Jobs of the last {days.length} days by day and status</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {states.map((state) => (
                <th key={state} scope="col">
                  {stateLabels[state]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days
              .filter((_, index) => (totals[index] ?? 0) > 0)
              .map((day) => (
                <tr key={day.date}>
                  <th scope="row">{day.date}</th>
                  {states.map((state) => (
                    <td key={state}>{day[state]}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function titleOf(day: JobDay): string {
  const parts = states.filter((state) => day[state] > 0).map((state) => `${count(day[state])} ${state}`);
  return `${shortDate(day.date)}: ${parts.join(", ") || "no jobs"}`;
}

/** The server returns days in the user's time zone. */
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function shortDate(day: string | undefined): string {
  return day === undefined ? "" : dayFormat.format(new Date(`${day}T00:00:00Z`));
}

/** The next of 1, 2, 5, 10, 20, 50… so that the scale is readable. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
