import { useRef } from "preact/hooks";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";

type Holiday = AccountView["holidays"][number];

type HolidayEditorProps = {
  holidays: readonly Holiday[];
  onChange: (holidays: Holiday[]) => void;
  /** By the path that the server reports: "holidays.0.to". */
  errors: Record<string, string>;
};

const maxHolidays = 100;
const firstDayOf = (index: number) => `[data-path="holidays.${index}.from"]`;

/** Edits the days on which an account sends nothing. */
export function HolidayEditor({ holidays, onChange, errors }: HolidayEditorProps) {
  const place = useRef<HTMLFieldSetElement>(null);
  const set = (index: number, changed: Partial<Holiday>) =>
    onChange(holidays.map((holiday, at) => (at === index ? { ...holiday, ...changed } : holiday)));

  function add() {
    onChange([...holidays, { from: "", to: "", name: "" }]);
    focusIn(firstDayOf(holidays.length));
  }

  /** The button that had the focus is gone: without another one, the keyboard would start again at the top of the page. */
  function remove(index: number) {
    onChange(holidays.toSpliced(index, 1));
    focusIn(holidays.length > 1 ? firstDayOf(Math.min(index, holidays.length - 2)) : ".add-holiday");
  }

  function focusIn(selector: string) {
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(selector)?.focus());
  }

  return (
    <fieldset class="plain-set form" ref={place}>
      <legend>Holidays</legend>
      <p class="hint">Nothing is sent on these days. What was planned for them moves to the next working day.</p>
      {holidays.map(({ from, to, name }, index) => (
        <div key={index} class="holiday" role="group" aria-label={name || `Holiday ${index + 1}`}>
          <Field label="First day" error={errors[`holidays.${index}.from`]}>
            {(control) => (
              <input
                {...control}
                type="date"
                required
                data-path={`holidays.${index}.from`}
                value={from}
                onInput={(event) => {
                  const { value } = event.currentTarget;
                  set(index, { from: value, ...((to === "" || to < value) && { to: value }) });
                }}
              />
            )}
          </Field>
          <Field label="Last day" error={errors[`holidays.${index}.to`]}>
            {(control) => (
              <input
                {...control}
                type="date"
                required
                min={from}
                data-path={`holidays.${index}.to`}
                value={to}
                onInput={(event) => set(index, { to: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Name" isOptional>
            {(control) => (
              <input
                {...control}
                type="text"
                maxLength={100}
                autocomplete="off"
                value={name}
                onInput={(event) => set(index, { name: event.currentTarget.value })}
              />
            )}
          </Field>
          <Button
            kind="quiet"
            icon="close"
            aria-label={`Remove ${name || `holiday ${index + 1}`}`}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      {holidays.length < maxHolidays && (
        <div>
          <Button icon="plus" class="add-holiday" onClick={add}>
            Add holiday
          </Button>
        </div>
      )}
    </fieldset>
  );
}
