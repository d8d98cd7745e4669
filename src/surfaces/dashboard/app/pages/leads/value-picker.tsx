import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
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
  /** Label of the active option; null for the first. */
  const [active, setActive] = useState<string | null>(null);
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
  const current = options.find(({ label: shown }) => shown === active) ?? options[0];
  const currentLabel = current?.label ?? null;
  // Values that arrive later may come before it. The key that was about to choose it must not choose another one.
  useLayoutEffect(() => setActive(currentLabel), [active, currentLabel]);

  function choose(option: Option) {
    onChoose(option.value);
    setText("");
    setActive(null);
    input.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && current !== undefined) {
      event.preventDefault();
      setActive(options[(options.indexOf(current) + step + options.length) % options.length]!.label);
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
          setActive(null);
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
            onPointerMove={() => setActive(option.label)}
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
