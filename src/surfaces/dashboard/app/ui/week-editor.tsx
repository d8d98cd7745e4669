import type { WeekView } from "../../../../features/network/account-model.ts";
import { Button } from "./button.tsx";

type Day = keyof WeekView;
type Span = WeekView[Day][number];

export const dayNames: Record<Day, string> = {
  monday: "Monday",
  tuesday: "Tuesday",
  wednesday: "Wednesday",
  thursday: "Thursday",
  friday: "Friday",
  saturday: "Saturday",
  sunday: "Sunday",
};
const days = Object.keys(dayNames) as Day[];
/** Limit of the API. */
const maxSpans = 6;
const officeHours: Span = { from: "09:00", to: "18:00" };

type WeekEditorProps = {
  week: WeekView;
  onChange: (week: WeekView) => void;
  /** Error messages by the path that the server reports: "workingHours.monday". */
  errors: Record<string, string>;
};

/** Edits the working hours of a week. Days without a time range are off. */
export function WeekEditor({ week, onChange, errors }: WeekEditorProps) {
  const set = (day: Day, spans: Span[]) => onChange({ ...week, [day]: spans });
  return (
    <fieldset class="week">
      <legend>Working hours</legend>
      {days.map((day) => (
        <div key={day} class="week-day" data-path={dayPath(day)}>
          <label class="inline-check">
            <input
              type="checkbox"
              checked={week[day].length > 0}
              onChange={(event) => set(day, event.currentTarget.checked ? [officeHours] : [])}
            />
            {dayNames[day]}
          </label>
          <div class="week-spans">
            {week[day].length === 0 && <span class="faint">Off</span>}
            {week[day].map((span, index) => (
              <SpanFields
                key={index}
                day={day}
                index={index}
                span={span}
                onChange={(changed) => set(day, week[day].with(index, changed))}
                {...(index > 0 && { onRemove: () => set(day, week[day].toSpliced(index, 1)) })}
              />
            ))}
          </div>
          {week[day].length > 0 && week[day].length < maxSpans && (
            <Button
              kind="quiet"
              icon="plus"
              aria-label={`Add hours on ${dayNames[day]}`}
              onClick={() => set(day, [...week[day], nextSpan(week[day])])}
            />
          )}
          <DayError error={errors[dayPath(day)]} />
        </div>
      ))}
    </fieldset>
  );
}

/** Path of the hours of a day in server errors. */
export function dayPath(day: Day): string {
  return `workingHours.${day}`;
}

export function DayError({ error }: { error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <p class="field-error" role="alert">
      {error}
    </p>
  );
}

function SpanFields({
  day,
  index,
  span,
  onChange,
  onRemove,
}: {
  day: Day;
  index: number;
  span: Span;
  onChange: (span: Span) => void;
  onRemove?: () => void;
}) {
  const name = `${dayNames[day]}${index === 0 ? "" : `, range ${index + 1}`}`;
  // A time input cannot hold 24:00; 00:00 as the end means the same.
  const end = span.to === "24:00" ? "00:00" : span.to;
  return (
    <span class="week-span">
      <input
        type="time"
        aria-label={`${name}, from`}
        data-path={`workingHours.${day}.${index}.from`}
        value={span.from}
        required
        onInput={(event) => onChange({ ...span, from: event.currentTarget.value })}
      />
      <span aria-hidden="true">–</span>
      <input
        type="time"
        aria-label={`${name}, to`}
        data-path={`workingHours.${day}.${index}.to`}
        value={end}
        required
        onInput={(event) => {
          const to = event.currentTarget.value;
          onChange({ ...span, to: to === "00:00" ? "24:00" : to });
        }}
      />
      {onRemove && <Button kind="quiet" icon="close" aria-label={`Remove ${name}`} onClick={onRemove} />}
    </span>
  );
}

/** The range after the last one, limited to the day. */
function nextSpan(spans: readonly Span[]): Span {
  const last = spans.at(-1)?.to ?? "18:00";
  return last < "23:00" ? { from: last, to: "23:00" } : { from: last, to: "24:00" };
}

/** "Mon–Fri 09:00–18:00". Groups days with the same hours. */
export function formatWeek(week: WeekView): string {
  const groups: { days: Day[]; hours: string }[] = [];
  for (const day of days) {
    const hours = week[day].map(({ from, to }) => `${from}–${to}`).join(", ");
    const last = groups.at(-1);
    if (last !== undefined && last.hours === hours) last.days.push(day);
    else groups.push({ days: [day], hours });
  }
  const words = groups
    .filter(({ hours }) => hours !== "")
    .map(({ days, hours }) => {
      const [first, last] = [days[0], days.at(-1)].map((day) => (day === undefined ? "" : dayNames[day].slice(0, 3)));
      return `${first === last ? first : `${first}–${last}`} ${hours}`;
    });
  return words.length === 0 ? "Never" : words.join("; ");
}
