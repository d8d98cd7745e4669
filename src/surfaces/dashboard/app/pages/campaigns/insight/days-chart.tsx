import { useState } from "preact/hooks";
import type { FunnelView, SeriesBy, SeriesView } from "../../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../../features/campaigns/model.ts";
import { setQuery } from "../../../router.tsx";
import { Field } from "../../../ui/form.tsx";
import { Section } from "../../../ui/page.tsx";
import { DayColumns, highest } from "./day-columns.tsx";
import { dimensionLabels, groupName, measureLabels, measuresOf, type Measure } from "./dimensions.ts";

type Day = SeriesView["days"][number];
const dayMs = 86_400_000;
/** More columns could not be told apart. */
const maxDays = 120;

type DaysChartProps = {
  campaign: CampaignView;
  view: SeriesView;
  senders: FunnelView["accounts"];
  /** By which the days can be grouped. */
  dimensions: readonly SeriesBy[];
  /** The first day, if one is chosen. Days are in UTC, as on the server. */
  from: string | null;
  until: string;
};

/** One measure by day: in total, or for each step, side of a branch, variant, or account, all on one scale. */
export function DaysChart({ campaign, view, senders, dimensions, from, until }: DaysChartProps) {
  const [chosen, setChosen] = useState<Measure | null>(null);
  const by = view.by ?? null;
  const measures = measuresOf(by);
  const measure = measures.find((name) => name === chosen) ?? measures[0]!;
  const days = everyDay(view.days, from, until);
  const dates = days.map(({ date }) => date);
  const groups = (view.series ?? []).map((group) => ({ name: groupName(campaign, group, senders), days: group.days }));
  const most = highest(by === null ? days : groups.flatMap((group) => group.days), measure);
  return (
    <Section
      title="By day"
      actions={
        <div class="chart-choices">
          {dimensions.length > 0 && (
            <Field label="Group by">
              {(control) => (
                <select
                  {...control}
                  value={by ?? ""}
                  onChange={({ currentTarget }) => setQuery({ by: currentTarget.value || null })}
                >
                  <option value="">None</option>
                  {dimensions.map((name) => (
                    <option key={name} value={name}>
                      {dimensionLabels[name]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Field label="Count">
            {(control) => (
              <select
                {...control}
                value={measure}
                onChange={({ currentTarget }) => setChosen(currentTarget.value as Measure)}
              >
                {measures.map((name) => (
                  <option key={name} value={name}>
                    {measureLabels[name]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      }
    >
      {by === null ? (
        <DayColumns caption="Leads by day (UTC)" {...{ days, dates, measure, measures, most }} />
      ) : groups.length === 0 ? (
        <p class="faint">Nothing happened in this period.</p>
      ) : (
        <div class="day-groups">
          {groups.map((group) => (
            <section key={group.name} class="card" aria-label={group.name}>
              <h3>{group.name}</h3>
              <DayColumns
                caption={`${group.name}, by day (UTC)`}
                days={group.days}
                {...{ dates, measure, measures, most }}
              />
            </section>
          ))}
        </div>
      )}
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
