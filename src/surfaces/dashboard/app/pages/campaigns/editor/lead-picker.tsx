import { useId, useRef, useState } from "preact/hooks";
import type { LeadView } from "../../../../../../features/leads/model.ts";
import { api } from "../../../api.ts";
import { oneAtATime } from "../../../one-at-a-time.ts";
import { useResource } from "../../../resource.ts";
import { can } from "../../../session.ts";
import { Field } from "../../../ui/form.tsx";

type LeadPickerProps = { lead: LeadView | null; onLead: (lead: LeadView | null) => void };
type Option = { lead: LeadView | null; name: string; detail: string };

const shownLeads = 8;
const withoutLead: Option = { lead: null, name: "No lead (fallbacks)", detail: "" };

/** Chooses whose values texts are shown with, by a search in all leads. */
export function LeadPicker({ lead, onLead }: LeadPickerProps) {
  /** Null while nobody searches. */
  const [text, setText] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const [inTurn] = useState(oneAtATime);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isOpen = text !== null;
  const q = text?.trim() || undefined;
  const found = useResource(
    inTurn(async (signal) => {
      const query = { q, limit: shownLeads };
      return { ...(isOpen ? await api.get<{ leads: LeadView[] }>("/leads", { query, signal }) : { leads: [] }), of: q };
    }),
    [isOpen, q],
  );
  // Those for an earlier text could be chosen by accident.
  const { data } = found;
  const leads = data !== undefined && data.of === q ? data.leads : null;
  if (!can("leads:read")) return null;
  const options = [...(leads ?? []).map(optionOf), ...(q === undefined ? [withoutLead] : [])];
  const current = Math.min(active, options.length - 1);

  function close() {
    setText(null);
    setActive(0);
  }

  function choose(option: Option | undefined) {
    if (option === undefined) return;
    onLead(option.lead);
    close();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      if (isOpen) setActive((current + step + options.length) % Math.max(1, options.length));
      else setText("");
    } else if (event.key === "Enter" && isOpen) choose(options[current]);
    else if (event.key === "Escape" && isOpen) {
      // Closes the list, not the panel around it.
      event.stopPropagation();
      close();
    } else return;
    event.preventDefault();
  }

  return (
    <div class="lead-picker">
      <Field label="Preview with">
        {(control) => (
          <input
            {...control}
            ref={input}
            type="text"
            role="combobox"
            aria-expanded={isOpen && options.length > 0}
            aria-controls={`${id}-leads`}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && options.length > 0 ? `${id}-${current}` : undefined}
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            placeholder={isOpen ? "Search leads…" : undefined}
            value={text ?? (lead === null ? withoutLead.name : nameAndCompany(lead))}
            onClick={() => setText((before) => before ?? "")}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
            onBlur={close}
          />
        )}
      </Field>
      <ul
        id={`${id}-leads`}
        role="listbox"
        aria-label="Leads"
        class="lead-options"
        hidden={!isOpen || options.length === 0}
      >
        {options.map((option, n) => (
          <li
            key={option.lead?.id ?? ""}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === current}
            // Not a click, before which the field would lose the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              choose(option);
            }}
            onPointerMove={() => setActive(n)}
          >
            <span dir="auto">{option.name}</span>
            {option.detail !== "" && <span class="faint small">{option.detail}</span>}
          </li>
        ))}
      </ul>
      {isOpen && options.length === 0 && leads !== null && <p class="faint small">No lead matches.</p>}
    </div>
  );
}

export function nameOf({ firstName, lastName, email, company }: LeadView): string {
  return [firstName, lastName].filter(Boolean).join(" ") || email || company || "this lead";
}

function nameAndCompany(lead: LeadView): string {
  const { name, detail } = optionOf(lead);
  return detail === "" ? name : `${name}, ${detail}`;
}

function optionOf(lead: LeadView): Option {
  const name = nameOf(lead);
  return { lead, name, detail: lead.company !== null && lead.company !== name ? lead.company : "" };
}
