import { useState } from "preact/hooks";
import type { AccountView, WeekView } from "../../../../../features/network/account-model.ts";
import { api } from "../../api.ts";
import { session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, useForm } from "../../ui/form.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { DayError, dayNames, dayPath, WeekEditor } from "../../ui/week-editor.tsx";

type Day = keyof WeekView;
const days = Object.keys(dayNames) as Day[];

type HoursFormProps = { account: AccountView; onSaved: () => void; onSkip: () => void };

/** The same hours for all working days, or separate hours for each day. */
export function HoursForm({ account, onSaved, onSkip }: HoursFormProps) {
  const [isByDay, setIsByDay] = useState(() => !isSameEveryDay(account.workingHours));
  const initial = {
    workingHours: JSON.stringify(account.workingHours),
    timeZone: session.value?.user.timeZone ?? account.timeZone,
  };
  const form = useForm(initial, async ({ workingHours, timeZone }) => {
    await api.patch(`/network/accounts/${account.id}`, {
      workingHours: JSON.parse(workingHours) as WeekView,
      timeZone: timeZone.trim(),
    });
    onSaved();
  });
  const hours = {
    week: JSON.parse(form.values.workingHours) as WeekView,
    onChange: (week: WeekView) => form.set("workingHours", JSON.stringify(week)),
    errors: form.errors,
  };

  return (
    <form class="welcome-step form" onSubmit={form.onSubmit}>
      <h2>When should outreachd send?</h2>
      <p class="faint">
        Nothing is sent outside these hours. Within them, actions are spaced like a person’s, with breaks and minutes in
        between.
      </p>
      <FormError form={form} />
      {isByDay ? (
        <WeekEditor {...hours} />
      ) : (
        <>
          <SameHours {...hours} />
          <p>
            <button type="button" class="link" onClick={() => setIsByDay(true)}>
              Set hours for each day
            </button>
          </p>
        </>
      )}
      <TimeZoneField form={form} hint="Time zone of the working hours." />
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          Continue
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          Skip
        </Button>
      </div>
    </form>
  );
}

type HoursProps = { week: WeekView; onChange: (week: WeekView) => void; errors: Record<string, string> };

/** Working days, with the same hours on each. */
function SameHours({ week, onChange, errors }: HoursProps) {
  // Kept separately, because a week without working days loses the hours.
  const [span, setSpan] = useState(() => Object.values(week).flat()[0] ?? { from: "09:00", to: "18:00" });
  const weekOf = (chosen: readonly Day[], { from, to } = span): WeekView => {
    const hours = (day: Day) => (chosen.includes(day) ? [{ from, to }] : []);
    return Object.fromEntries(days.map((day) => [day, hours(day)])) as WeekView;
  };
  const chosen = days.filter((day) => week[day].length > 0);
  const change = (changed: Partial<typeof span>) => {
    setSpan({ ...span, ...changed });
    onChange(weekOf(chosen, { ...span, ...changed }));
  };
  return (
    <>
      <fieldset class="days">
        <legend>Working days</legend>
        {days.map((day) => (
          <label key={day} class="day" data-path={dayPath(day)}>
            <input
              type="checkbox"
              aria-label={dayNames[day]}
              checked={chosen.includes(day)}
              onChange={(event) =>
                onChange(weekOf(event.currentTarget.checked ? [...chosen, day] : chosen.filter((one) => one !== day)))
              }
            />
            <span>{dayNames[day].slice(0, 3)}</span>
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <label class="field">
          <span>From</span>
          <input
            type="time"
            value={span.from}
            required
            onInput={(event) => change({ from: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>To</span>
          <input
            type="time"
            // A time input cannot hold 24:00; 00:00 as the end means the same.
            value={span.to === "24:00" ? "00:00" : span.to}
            required
            onInput={(event) => change({ to: endOf(event.currentTarget.value) })}
          />
        </label>
      </div>
      <DayError error={days.map((day) => errors[dayPath(day)]).find((error) => error !== undefined)} />
    </>
  );
}

function endOf(time: string): string {
  return time === "00:00" ? "24:00" : time;
}

function isSameEveryDay(week: WeekView): boolean {
  const kinds = new Set(days.map((day) => JSON.stringify(week[day])).filter((spans) => spans !== "[]"));
  return kinds.size <= 1 && Object.values(week).every((spans) => spans.length <= 1);
}
