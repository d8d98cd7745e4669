import { useEffect, useRef, useState } from "preact/hooks";
import { leadStatusLabels } from "../../ui/badge.tsx";
import { Link, setQuery } from "../../router.tsx";
import type { FilterName } from "./lead-query.ts";

/** Short delay, so that pasted text is one change. The list limits requests while typing. */
const settleMs = 20;

/** Filters of the list. They are stored in the URL, so that it can be bookmarked and shared. */
export function LeadFilters({ filters }: { filters: Partial<Record<FilterName, string>> }) {
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <search class="filters" aria-label="Filters">
      <FilterText name="q" label="Search" placeholder="Name, email, company, title…" value={filters.q ?? ""} isMain />
      <label class="filter">
        <span class="visually-hidden">Status</span>
        <select
          value={filters.status ?? ""}
          onChange={(event) => setQuery({ status: event.currentTarget.value, offset: null })}
        >
          <option value="">Any status</option>
          <option value="active">Active</option>
          <option value="inactive">Inactive</option>
          {Object.entries(leadStatusLabels).map(([status, { label }]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="filter">
        <span class="visually-hidden">Owner</span>
        <select
          value={filters.assignedTo ?? ""}
          onChange={(event) => setQuery({ assignedTo: event.currentTarget.value, offset: null })}
        >
          <option value="">Any owner</option>
          <option value="me">Mine</option>
          <option value="none">No owner</option>
        </select>
      </label>
      <FilterText name="tag" label="Tag" placeholder="Tag" value={filters.tag ?? ""} />
      <FilterText name="company" label="Company" placeholder="Company" value={filters.company ?? ""} />
      <FilterText name="source" label="Source" placeholder="Source" value={filters.source ?? ""} />
      {isNarrowed && (
        <Link to="/leads" class="button quiet">
          Clear
        </Link>
      )}
    </search>
  );
}

type FilterTextProps = { name: FilterName; label: string; placeholder: string; value: string; isMain?: boolean };

function FilterText({ name, label, placeholder, value, isMain = false }: FilterTextProps) {
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
    setQuery({ [name]: sent.current, offset: null });
  }

  return (
    <label class={`filter ${isMain ? "main" : ""}`}>
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        value={text}
        placeholder={placeholder}
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

/** Limit of the API. */
const maxFilterLength = 300;
