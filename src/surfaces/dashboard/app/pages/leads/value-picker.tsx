import { useId, useRef, useState } from "preact/hooks";
import type { LeadValues } from "../../../../../features/leads/value-model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { oneAtATime } from "../../one-at-a-time.ts";
import { useResource } from "../../resource.ts";

type ValuePickerProps = {
  label: string;
  /** Field of `GET /leads/values`, and the name of a custom field. */
  field: string;
  name?: string;
  /** Any part of a value can be chosen, too. */
  isPart: boolean;
  chosen: readonly string[];
  onChoose: (value: string) => void;
};

type Option = { value: string; label: string; hint: string };

const shownValues = 8;

/** A text field that suggests the values that leads have, the most frequent first. */
export function ValuePicker({ label, field, name, isPart, chosen, onChoose }: ValuePickerProps) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const [inTurn] = useState(oneAtATime);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const query = { field, name, contains: text.trim(), limit: shownValues };
  const found = useResource(
    inTurn(async (signal) => ({
      ...(await api.get<LeadValues>("/leads/values", { query, signal })),
      of: query.contains,
    })),
    [field, name, text.trim()],
  );
  const options = optionsOf(text.trim(), valuesFor(text.trim(), found.data), isPart).filter(
    ({ value }) => !chosen.includes(value),
  );
  const current = options[Math.min(active, options.length - 1)];

  function choose(option: Option) {
    onChoose(option.value);
    setText("");
    setActive(0);
    input.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && options.length > 0) {
      event.preventDefault();
      setActive((Math.min(active, options.length - 1) + step + options.length) % options.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (current !== undefined) choose(current);
    }
  }

  return (
    <div class="value-picker">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={current && `${id}-${options.indexOf(current)}`}
        autocomplete="off"
        spellcheck={false}
        autofocus
        maxLength={300}
        placeholder={isPart ? "Contains…" : "Search…"}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={`${label}: suggestions`} class="value-options">
        {options.map((option, n) => (
          <li
            key={option.label}
            id={`${id}-${n}`}
            role="option"
            aria-selected={option === current}
            // Not a click, before which the field would lose the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              choose(option);
            }}
            onPointerMove={() => setActive(n)}
          >
            <span class="value-name">{option.label}</span>
            <span class="faint small number">{option.hint}</span>
          </li>
        ))}
      </ul>
      {options.length === 0 && !found.isLoading && (
        <p class="faint small">{text.trim() === "" ? "No values yet" : "No lead has such a value"}</p>
      )}
    </div>
  );
}

/** Until the values for this text are there, those for the text before that match: nobody chooses another by accident. */
function valuesFor(text: string, found: (LeadValues & { of: string }) | undefined): LeadValues["values"] {
  if (found === undefined || found.of === text) return found?.values ?? [];
  return found.values.filter(({ value }) => value.toLowerCase().includes(text.toLowerCase()));
}

function optionsOf(text: string, values: LeadValues["values"], isPart: boolean): Option[] {
  const known = values.map(({ value, leads }) => ({ value, label: value, hint: count(leads) }));
  const isKnown = known.some(({ value }) => value.toLowerCase() === text.toLowerCase());
  if (text === "" || !isPart || isKnown) return known;
  return [{ value: text, label: `Contains “${text}”`, hint: "" }, ...known];
}
