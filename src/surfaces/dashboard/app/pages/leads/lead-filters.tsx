import { useEffect, useRef, useState } from "preact/hooks";
import { leadStatusWords } from "../../ui/badge.tsx";
import { Link, setQuery } from "../../router.tsx";
import type { FilterName } from "./lead-query.ts";

/** Parts what is pasted or typed at once from what is typed letter by letter; the list asks for one thing at a time. */
const settleMs = 20;

/** The filters above the list. What they say is in the page's address, so that it can be kept and shared. */
export function LeadFilters({ filters }: { filters: Partial<Record<FilterName, string>> }) {
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <search class="filters" aria-label="Filters of the list">
      <FilterText name="q" label="Search" placeholder="Name, e-mail, company, title…" value={filters.q ?? ""} isMain />
      <label class="filter">
        <span class="visually-hidden">Status</span>
        <select
          value={filters.status ?? ""}
          onChange={(event) => setQuery({ status: event.currentTarget.value, offset: null })}
        >
          <option value="">Any status</option>
          <option value="active">Active</option>
          <option value="inactive">Inactive</option>
          {Object.entries(leadStatusWords).map(([status, { label }]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
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

  // The address changed by other means, such as the way back.
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

/** The API takes no more. */
const maxFilterLength = 300;
