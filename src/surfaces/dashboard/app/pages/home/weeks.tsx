import type { WeeklyStatistics, WeekView } from "../../../../../features/statistics/model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";

const series = [
  { name: "sent", label: "Sent" },
  { name: "accepted", label: "Accepted" },
  { name: "replied", label: "Replied" },
] as const;
type SeriesName = (typeof series)[number]["name"];

/** What was sent, accepted, and replied: this week, against the last, with the weeks before as bars. */
export function Weeks() {
  const statistics = useResource((signal) => api.get<WeeklyStatistics>("/statistics/weekly", { signal }), [], {
    pollMs: 60_000,
    events: ["action.completed", "connection.", "message."],
  });
  return (
    <div class="card wide weeks">
      <Section title="This week">
        <Loaded resource={statistics} lines={4}>
          {({ weeks }) => (
            <>
              <div class="week-tiles">
                {series.map(({ name, label }) => (
                  <Tile key={name} label={label} name={name} weeks={weeks} />
                ))}
              </div>
              <WeekTable weeks={weeks} />
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

function Tile({ label, name, weeks }: { label: string; name: SeriesName; weeks: readonly WeekView[] }) {
  const now = weeks.at(-1)?.[name] ?? 0;
  const before = weeks.at(-2)?.[name] ?? 0;
  return (
    <figure class="week-tile" aria-label={`${label}: ${count(now)} this week, ${count(before)} last week`}>
      <figcaption class="faint">{label}</figcaption>
      <p class="week-number number">{count(now)}</p>
      <p class={`small ${toneOf(now, before)}`}>{trendOf(now, before)}</p>
      <Bars weeks={weeks} name={name} />
    </figure>
  );
}

const barWidth = 10;
const barGap = 4;
const height = 100;

/** Decorative: the table has the same numbers. The picture stretches to the room that the card has. */
function Bars({ weeks, name }: { weeks: readonly WeekView[]; name: SeriesName }) {
  const most = Math.max(...weeks.map((week) => week[name]), 1);
  const step = barWidth + barGap;
  return (
    <div class="week-chart" aria-hidden="true">
      <svg viewBox={`0 0 ${weeks.length * step - barGap} ${height}`} preserveAspectRatio="none">
        {weeks.map((week, index) => {
          const value = week[name];
          // A week without anything keeps a line, so that the weeks can be counted.
          const size = value === 0 ? 1 : Math.max(2, (value / most) * height);
          return (
            <g key={week.week}>
              <title>{`Week of ${mondayOf(week.week)}: ${count(value)}`}</title>
              <rect class="week-hit" x={index * step} y="0" width={barWidth} height={height} />
              <rect
                class={`week-bar ${name} ${index === weeks.length - 1 ? "now" : ""}`}
                x={index * step}
                y={height - size}
                width={barWidth}
                height={size}
              />
            </g>
          );
        })}
      </svg>
      <p class="week-ends faint number">
        <span>{mondayOf(weeks[0]?.week)}</span>
        <span>Now</span>
      </p>
    </div>
  );
}

function WeekTable({ weeks }: { weeks: readonly WeekView[] }) {
  return (
    <details class="week-table">
      <summary>Show as a table</summary>
      <div class="table-frame" tabIndex={0} role="region" aria-label="Weeks">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Week of</th>
              {["Requests", "Messages", "Accepted", "Replied"].map((header) => (
                <th key={header} scope="col" class="right number">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.toReversed().map(({ week, invites, messages, accepted, replied }) => (
              <tr key={week}>
                <th scope="row">{mondayOf(week)}</th>
                {[invites, messages, accepted, replied].map((value, index) => (
                  <td key={index} class="right number">
                    {count(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The server returns Mondays in the user's time zone. */
const mondayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function mondayOf(week: string | undefined): string {
  return week === undefined ? "" : mondayFormat.format(new Date(`${week}T00:00:00Z`));
}

/** Against the whole week before, while the current one is still running. */
function trendOf(now: number, before: number): string {
  if (now === before) return before === 0 ? "None last week either" : `As many as last week`;
  return now > before ? `${count(now - before)} more than last week` : `${count(before)} last week`;
}

function toneOf(now: number, before: number): string {
  return now > before ? "good-text" : "faint";
}
