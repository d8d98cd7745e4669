import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CampaignView } from "../../../../../features/campaigns/model.ts";
import { api } from "../../api.ts";
import { date } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { nameOfMember, useMembers } from "../../team.ts";
import { Icon } from "../../ui/icons.tsx";
import { activeFields, offeredFields, valuesOf, type FilterField } from "./filter-fields.ts";
import { FilterPanel } from "./filter-panel.tsx";
import { setFilter, type Filters } from "./lead-query.ts";
import { usePopover } from "./popover.ts";

/** Short delay, so that pasted text is one change. The list limits requests while typing. */
const settleMs = 20;
/** Limit of the API. */
const maxFilterLength = 300;

/** Filters of the list. `cleared`: path of the list without them. They are stored in the URL, so that it can be bookmarked and shared. */
export function LeadFilters({ filters, cleared }: { filters: Filters; cleared: string }) {
  const active = activeFields(filters);
  /** A field that was chosen from the menu and has no value yet. */
  const [added, setAdded] = useState<FilterField | null>(null);
  const isNew = added !== null && !active.some(({ name }) => name === added.name);
  const search = filters["q"];
  return (
    <search class="filters" aria-label="Filters">
      <SearchField value={typeof search === "string" ? search : ""} />
      <AddFilter offered={offeredFields.filter(({ name }) => !(name in filters))} onAdd={(field) => setAdded(field)} />
      {/* In a line of their own: what is above stays where it is when a filter is added or removed. */}
      {(active.length > 0 || isNew) && (
        <div class="filter-chips">
          {/* One list, so that a chip whose first value is set stays open and focused. */}
          {(isNew ? [...active, added] : active).map((field) => (
            <FilterChip
              key={field.name}
              field={field}
              filters={filters}
              isOpenAtFirst={added?.name === field.name}
              onClose={() => setAdded(null)}
            />
          ))}
          {active.length > 0 && (
            <Link to={cleared} class="button quiet">
              Clear
            </Link>
          )}
        </div>
      )}
    </search>
  );
}

function AddFilter({ offered, onAdd }: { offered: readonly FilterField[]; onAdd: (field: FilterField) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const place = usePopover(() => setIsOpen(false), isOpen);
  return (
    <div class="popover-place" ref={place}>
      <button
        type="button"
        class="button plain"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="plus" />
        <span>Filter</span>
      </button>
      <div id={id} class="popover filter-menu" hidden={!isOpen}>
        {isOpen &&
          offered.map((field, n) => (
            <button
              key={field.name}
              type="button"
              autofocus={n === 0}
              onClick={() => {
                setIsOpen(false);
                onAdd(field);
              }}
            >
              {field.label}
            </button>
          ))}
      </div>
    </div>
  );
}

type ChipProps = { field: FilterField; filters: Filters; isOpenAtFirst: boolean; onClose: () => void };

function FilterChip({ field, filters, isOpenAtFirst, onClose }: ChipProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const id = useId();
  const close = () => {
    setIsOpen(false);
    onClose();
  };
  const place = usePopover(close, isOpen);
  const values = useShownValues(field, valuesOf(field, filters));
  return (
    <div class={`popover-place filter-chip ${values.length === 0 ? "is-empty" : ""}`} ref={place}>
      <button
        type="button"
        class="chip-label"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => (isOpen ? close() : setIsOpen(true))}
      >
        <span class="faint">{field.label}</span>
        {values.length > 0 && <span class="chip-value">{values.join(isAnyOf(field, filters) ? " or " : ", ")}</span>}
      </button>
      <button
        type="button"
        class="remove"
        aria-label={`Remove filter ${field.label}`}
        onClick={() => {
          setFilter(field.name, "");
          close();
        }}
      >
        <Icon name="close" />
      </button>
      <div id={id} class="popover filter-panel" hidden={!isOpen}>
        {isOpen && <FilterPanel field={field} filters={filters} onDone={close} />}
      </div>
    </div>
  );
}

/** Whether one of the values is enough. */
function isAnyOf(field: FilterField, filters: Filters): boolean {
  if (field.name === "tags") return filters["tagMatch"] === "any";
  return field.kind === "choices" || (field.kind === "values" && field.isPart);
}

/** The values of a filter as people know them: names instead of IDs. */
function useShownValues(field: FilterField, values: string[]): string[] {
  const members = useMembers(field.kind === "owner");
  const campaign = useResource<CampaignView | null>(
    async (signal) =>
      field.kind === "campaign" && values[0]
        ? await api.get<CampaignView>(`/campaigns/${encodeURIComponent(values[0])}`, { signal })
        : null,
    [field.kind, values[0]],
  );
  switch (field.kind) {
    case "choices":
      return values.map((value) => field.choices[value] ?? value);
    case "owner":
      return values.map((value) =>
        value === "me" ? "Me" : value === "none" ? "No owner" : nameOfMember(members, value),
      );
    case "campaign":
      return values.map((value) => campaign.data?.name ?? value);
    case "date":
      return values.map((value) => (Number.isNaN(Date.parse(value)) ? value : date(value)));
    default:
      return values;
  }
}

function SearchField({ value }: { value: string }) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // The URL changed in another way, such as the Back button.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function send(typed: string) {
    clearTimeout(timer.current);
    sent.current = typed.trim().slice(0, maxFilterLength);
    setFilter("q", sent.current);
  }

  return (
    <label class="filter main">
      <span class="visually-hidden">Search</span>
      <input
        type="search"
        value={text}
        placeholder="Name, email, company, title…"
        maxLength={maxFilterLength}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => send(typed), settleMs);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") send(text);
        }}
      />
    </label>
  );
}
