import { useState } from "preact/hooks";
import type { FacetName, RevenueRange, SearchFilters } from "../../../../../features/prospecting/model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { facetName } from "./facet-names.ts";
import {
  chosenOf,
  facetLabels,
  listFacets,
  withChosen,
  withoutTechnologies,
  withRevenue,
  type ListFacet,
} from "./filters.ts";

type FacetValue = { value: string; count: number } & Partial<RevenueRange>;
type FacetList = { facets: { facet: FacetName; values: FacetValue[] }[] };
type FacetsProps = { filters: SearchFilters; onChange: (filters: SearchFilters) => void };

const shownValues = 8;

/** Filters of the search. Each value shows the number of matches. */
export function Facets({ filters, onChange }: FacetsProps) {
  const facets = useResource(
    (signal) => api.post<FacetList>("/prospecting/facets", { filters, limit: shownValues }, { signal }),
    [JSON.stringify(filters)],
  );
  return (
    <div class="facets">
      {facets.error && <ErrorState error={facets.error} retry={facets.reload} />}
      {listFacets.map((facet) => (
        <Facet
          key={facet}
          facet={facet}
          filters={filters}
          onChange={onChange}
          values={facets.data?.facets.find((one) => one.facet === facet)?.values}
        />
      ))}
      <Revenue
        key={JSON.stringify(filters.company?.revenue)}
        filters={filters}
        onChange={onChange}
        ranges={facets.data?.facets.find(({ facet }) => facet === "revenue")?.values ?? []}
      />
      <Excluded filters={filters} onChange={onChange} />
    </div>
  );
}

/** Open initially if the screen is wide enough. */
const firstFacets: readonly ListFacet[] = ["title", "industry"];
function isWide(): boolean {
  return document.documentElement.clientWidth > 900;
}

function Facet({
  facet,
  filters,
  onChange,
  values,
}: FacetsProps & { facet: ListFacet; values: { value: string; count: number }[] | undefined }) {
  const [text, setText] = useState("");
  const chosen = chosenOf(filters, facet);
  // The values of a facet are counted without its own filter; otherwise, only the selected values would remain.
  const isOwnList = text.trim() !== "" || chosen.length > 0;
  const others = withChosen(filters, facet, []);
  const own = useResource(
    async (signal) => {
      if (!isOwnList) return null;
      const body = { facet, q: text.trim(), filters: others, limit: shownValues };
      return (await api.post<FacetList>("/prospecting/facets", body, { signal })).facets[0]?.values ?? [];
    },
    [facet, text.trim(), isOwnList, JSON.stringify(others)],
  );
  const found = (isOwnList ? own.data : values) ?? values ?? [];
  const isChosen = (value: string) => chosen.includes(value);
  const shown = [
    ...chosen.map((value) => found.find((one) => one.value === value) ?? { value, count: null }),
    ...found.filter(({ value }) => !isChosen(value)),
  ];
  const turn = (value: string, isOn: boolean) =>
    onChange(withChosen(filters, facet, isOn ? [...chosen, value] : chosen.filter((one) => one !== value)));
  return (
    <details class="facet" open={chosen.length > 0 || (firstFacets.includes(facet) && isWide())}>
      <summary>
        {facetLabels[facet]}
        {chosen.length > 0 && <span class="tab-count">{chosen.length}</span>}
      </summary>
      <input
        type="search"
        aria-label={`Search ${facetLabels[facet]}`}
        placeholder="Search…"
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Titles match by words, so a title can match even if it is not a value in the directory.
          if (event.key !== "Enter" || text.trim() === "") return;
          event.preventDefault();
          if (!isChosen(text.trim())) turn(text.trim(), true);
          setText("");
        }}
      />
      <ul aria-label={facetLabels[facet]}>
        {shown.map(({ value, count: n }) => (
          <li key={value}>
            <label class="inline-check">
              <input
                type="checkbox"
                checked={isChosen(value)}
                onChange={(event) => turn(value, event.currentTarget.checked)}
              />
              <span class="facet-value">{facetName(facet, value)}</span>
              {n !== null && <span class="number faint small">{count(n)}</span>}
            </label>
          </li>
        ))}
        {values !== undefined && shown.length === 0 && (
          <li class="faint small">No values found. Press Enter to use your text.</li>
        )}
      </ul>
    </details>
  );
}

function Revenue({ filters, onChange, ranges }: FacetsProps & { ranges: readonly FacetValue[] }) {
  const { min = null, max = null } = filters.company?.revenue ?? {};
  const [ends, setEnds] = useState({ min: inMillions(min), max: inMillions(max) });
  const dollars = (text: string) => (text.trim() === "" || !(Number(text) >= 0) ? null : Number(text) * 1_000_000);
  const set = () => onChange(withRevenue(filters, { min: dollars(ends.min), max: dollars(ends.max) }));
  const field = (name: "min" | "max", label: string) => (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={0}
          step="any"
          value={ends[name]}
          onInput={(event) => setEnds({ ...ends, [name]: event.currentTarget.value })}
          onChange={set}
        />
      )}
    </Field>
  );
  return (
    <details class="facet" open={min !== null || max !== null}>
      <summary>{facetLabels.revenue}</summary>
      <div class="revenue">
        {field("min", "Min. ($ million)")}
        {field("max", "Max. ($ million)")}
      </div>
      <ul aria-label="Revenue ranges">
        {ranges.map((range) => (
          <li key={range.value}>
            <button
              type="button"
              class="facet-range"
              aria-pressed={range.min === min && range.max === max}
              onClick={() => onChange(withRevenue(filters, { min: range.min ?? null, max: range.max ?? null }))}
            >
              <span class="facet-value">${range.value.replace("-", "–$")}</span>
              <span class="number faint small">{count(range.count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function inMillions(amount: number | null): string {
  return amount === null ? "" : String(amount / 1_000_000);
}

/** Excludes companies that are known to use a technology. */
function Excluded({ filters, onChange }: FacetsProps) {
  const [text, setText] = useState("");
  const excluded = filters.technology?.notUsing ?? [];
  function add(event: Event) {
    event.preventDefault();
    const value = text.trim();
    if (value !== "" && !excluded.includes(value)) onChange(withoutTechnologies(filters, [...excluded, value]));
    setText("");
  }
  return (
    <details class="facet" open={excluded.length > 0}>
      <summary>Not using</summary>
      <form class="add-value" onSubmit={add}>
        <input
          type="text"
          aria-label="Technology to exclude"
          placeholder="HubSpot"
          maxLength={100}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" icon="plus" aria-label="Add" />
      </form>
      <ul>
        {excluded.map((value) => (
          <li key={value} class="excluded">
            <span class="facet-value">{value}</span>
            <Button
              kind="quiet"
              icon="close"
              aria-label={`Remove ${value}`}
              onClick={() =>
                onChange(
                  withoutTechnologies(
                    filters,
                    excluded.filter((one) => one !== value),
                  ),
                )
              }
            />
          </li>
        ))}
      </ul>
    </details>
  );
}
