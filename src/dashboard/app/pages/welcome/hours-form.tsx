import { useState } from "preact/hooks";
import type { AccountView, WeekView } from "../../../../network/account-model.ts";
import { api } from "../../api.ts";
import { session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";

type Day = keyof WeekView;
const days: readonly { day: Day; label: string }[] = [
  { day: "monday", label: "Mon" },
  { day: "tuesday", label: "Tue" },
  { day: "wednesday", label: "Wed" },
  { day: "thursday", label: "Thu" },
  { day: "friday", label: "Fri" },
  { day: "saturday", label: "Sat" },
  { day: "sunday", label: "Sun" },
];

type HoursFormProps = { account: AccountView; onSaved: () => void; onSkip: () => void };

/** One span for all working days; finer hours are for the settings. */
export function HoursForm({ account, onSaved, onSkip }: HoursFormProps) {
  const spans = Object.values(account.workingHours).flat();
  const first = spans[0] ?? { from: "09:00", to: "18:00" };
  const [chosen, setChosen] = useState(
    () => new Set(days.map(({ day }) => day).filter((day) => account.workingHours[day].length > 0)),
  );
  const initial = {
    from: first.from,
    // A field for times knows no 24:00.
    to: first.to === "24:00" ? "23:59" : first.to,
    timeZone: session.value?.user.timeZone ?? account.timeZone,
  };
  const form = useForm(initial, async ({ from, to, timeZone }) => {
    const span = { from, to: to === "23:59" ? "24:00" : to };
    const workingHours = Object.fromEntries(days.map(({ day }) => [day, chosen.has(day) ? [span] : []]));
    await api.patch(`/network/accounts/${account.id}`, { workingHours, timeZone: timeZone.trim() });
    onSaved();
  });

  function toggle(day: Day) {
    const next = new Set(chosen);
    if (!next.delete(day)) next.add(day);
    setChosen(next);
  }

  return (
    <form class="welcome-step form" onSubmit={form.onSubmit}>
      <h2>When may it act for you?</h2>
      <p class="faint">
        Nothing is sent outside these hours. Within them it works like a person: with breaks, and minutes between two
        actions.
      </p>
      <FormError form={form} />
      <fieldset class="days">
        <legend>Working days</legend>
        {days.map(({ day, label }) => (
          <label key={day} class="day">
            <input type="checkbox" checked={chosen.has(day)} onChange={() => toggle(day)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <TextField form={form} name="from" label="From" type="time" required />
        <TextField form={form} name="to" label="To" type="time" required />
      </div>
      <TextField form={form} name="timeZone" label="Time zone of the account" required />
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          Go on
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          Later
        </Button>
      </div>
    </form>
  );
}
