import { useId, useState } from "preact/hooks";
import type { LeadValues } from "../../../../../features/leads/value-model.ts";
import { api } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { setQuery } from "../../router.tsx";
import { columnLabel, columnLabels, customPrefix } from "./lead-columns.tsx";
import { usePopover } from "./popover.ts";

/** Chooses the columns of the list, of profile and custom fields. They are stored in the URL. */
export function ColumnChooser({ shown, isChosen }: { shown: readonly string[]; isChosen: boolean }) {
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
        <span>Columns</span>
      </button>
      <div id={id} class="popover filter-panel right" hidden={!isOpen}>
        {isOpen && <Choices shown={shown} isChosen={isChosen} />}
      </div>
    </div>
  );
}

function Choices({ shown, isChosen }: { shown: readonly string[]; isChosen: boolean }) {
  const custom = useResource(
    (signal) => api.get<LeadValues>("/leads/values", { query: { field: "customField", limit: 100 }, signal }),
    [],
  );
  const fields = (custom.data?.values ?? []).map(({ value }) => customPrefix + value);
  const known = [...Object.keys(columnLabels), ...fields];
  const all = [...known, ...shown.filter((name) => !known.includes(name))];
  const set = (names: readonly string[]) => setQuery({ columns: JSON.stringify(names) });
  return (
    <>
      <fieldset class="choices">
        <legend class="visually-hidden">Columns</legend>
        {all.map((name, n) => (
          <label key={name} class="inline-check">
            <input
              type="checkbox"
              autofocus={n === 0}
              checked={shown.includes(name)}
              // The name leads to the lead, so it stays.
              disabled={name === "name"}
              onChange={(event) =>
                set(event.currentTarget.checked ? [...shown, name] : shown.filter((each) => each !== name))
              }
            />
            {columnLabel(name)}
          </label>
        ))}
      </fieldset>
      {isChosen && (
        <button type="button" class="link" onClick={() => setQuery({ columns: null })}>
          Reset
        </button>
      )}
    </>
  );
}

/** The columns in the query; null if none are chosen. */
export function columnsIn(query: URLSearchParams): string[] | null {
  try {
    const names: unknown = JSON.parse(query.get("columns") ?? "null");
    return Array.isArray(names) && names.every((name) => typeof name === "string") && names.length > 0 ? names : null;
  } catch {
    return null;
  }
}
