import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loaded } from "../../ui/states.tsx";
import { showError } from "../../ui/toast.tsx";
import { Facets } from "./facets.tsx";
import { currentSearch, setSearch, sourceLabels, type Search } from "./filters.ts";
import { ImportProspectsDialog } from "./import-prospects.tsx";
import { ProspectTable, type Found } from "./prospect-table.tsx";
import { SavedSearches } from "./saved-searches.tsx";

const pageSize = 25;

/** Searches for people to add to the leads. The button that spends credits shows the cost. */
export function ProspectsPage() {
  const search = currentSearch();
  const [isImporting, setIsImporting] = useState(false);
  const [imports, setImports] = useState(0);
  const key = JSON.stringify(search) + imports;
  // A vendor without a key of the operator would only refuse.
  const sources = useResource(
    (signal) => api.get<{ sources: { name: string }[] }>("/prospecting/sources", { signal }),
    [],
  );
  const offered = sources.data?.sources.map(({ name }) => name) ?? ["directory"];
  return (
    <PageFrame
      title="Prospects"
      lead="Find people in your directory or at a vendor. Counting matches in your directory is free."
      actions={
        <>
          <SavedSearches search={search} />
          {can("leads:write") && <Button onClick={() => setIsImporting(true)}>Import prospects</Button>}
        </>
      }
    >
      <div class="search-page">
        <aside aria-label="Filters">
          <Field label="Source">
            {(control) => (
              <select
                {...control}
                value={search.source}
                onChange={(event) => setSearch({ ...search, source: event.currentTarget.value as Search["source"] })}
              >
                {Object.entries(sourceLabels)
                  .filter(([name]) => offered.includes(name) || name === search.source)
                  .map(([name, words]) => (
                    <option key={name} value={name}>
                      {words}
                    </option>
                  ))}
              </select>
            )}
          </Field>
          <Facets key={imports} filters={search.filters} onChange={(filters) => setSearch({ ...search, filters })} />
        </aside>
        <Results key={key} search={search} onImport={() => setIsImporting(true)} />
      </div>
      {isImporting && (
        <ImportProspectsDialog onClose={() => setIsImporting(false)} onDone={() => setImports((n) => n + 1)} />
      )}
    </PageFrame>
  );
}

/** First the number of matches and the cost of a page; then the pages that were paid for. */
function Results({ search, onImport }: { search: Search; onImport: () => void }) {
  const [offset, setOffset] = useState(0);
  const [pages, setPages] = useState<ReadonlyMap<number, Found>>(new Map());
  const [isBusy, setIsBusy] = useState(false);
  const estimate = useResource(
    (signal) =>
      api.post<Found>("/prospecting/search", { ...search, limit: pageSize, offset, dryRun: true }, { signal }),
    [offset],
  );
  const shown = pages.get(offset);

  async function show() {
    setIsBusy(true);
    try {
      const found = await api.post<Found>("/prospecting/search", { ...search, limit: pageSize, offset });
      setPages(new Map(pages).set(offset, found));
      if (estimate.data !== undefined)
        estimate.replace({ ...estimate.data, total: found.total, remainingCredits: found.remainingCredits });
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  // Estimates for vendors do not include the total, but earlier pages do.
  const total = estimate.data?.total ?? [...pages.values()].at(-1)?.total ?? null;
  // Free results are loaded without a button. Vendors are queried only on click.
  const isFree = estimate.data?.creditsRequired === 0 && estimate.data.total !== null && estimate.data.total > offset;
  useEffect(() => {
    if (isFree && shown === undefined && !estimate.isLoading) void show();
  }, [isFree, offset, estimate.isLoading]);

  if (estimate.error !== null && estimate.data === undefined)
    return <ErrorState error={estimate.error} retry={estimate.reload} />;
  return (
    <div>
      <Loaded resource={estimate} lines={3}>
        {(known) =>
          total === 0 ? (
            <Nothing
              isNarrowed={Object.keys(search.filters).length > 0 || search.source !== "directory"}
              search={search}
              onImport={onImport}
            />
          ) : (
            <>
              <p class="estimate" role="status">
                {total === null ? (
                  `${sourceLabels[search.source]} returns the number of matches with the first page.`
                ) : (
                  <strong>{counted(total, "matching prospect")}.</strong>
                )}{" "}
                You have {counted(known.remainingCredits, "credit")}.
              </p>
              {shown === undefined ? (
                <div class="card estimate-card">
                  <p>
                    Prospects {offset + 1} to {Math.min(offset + pageSize, total ?? Number.POSITIVE_INFINITY)} cost up
                    to {counted(known.creditsRequired, "credit")}, one for each prospect shown.
                  </p>
                  <div class="buttons">
                    <Button
                      kind="primary"
                      isBusy={isBusy || estimate.isLoading}
                      disabled={known.creditsRequired > known.remainingCredits}
                      onClick={() => void show()}
                    >
                      Show for {counted(known.creditsRequired, "credit")}
                    </Button>
                    {offset > 0 && <Button onClick={() => setOffset(offset - pageSize)}>Back</Button>}
                  </div>
                  {known.creditsRequired > known.remainingCredits && (
                    <p class="notice warn">You do not have enough credits. An admin can grant more in Settings.</p>
                  )}
                </div>
              ) : (
                <ProspectTable
                  found={shown}
                  paging={{
                    offset,
                    ...(total !== null && { total }),
                    hasPrevious: offset > 0,
                    hasNext: total !== null && offset + pageSize < total,
                    toPrevious: () => setOffset(offset - pageSize),
                    toNext: () => setOffset(offset + pageSize),
                  }}
                />
              )}
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Nothing({ isNarrowed, search, onImport }: { isNarrowed: boolean; search: Search; onImport: () => void }) {
  if (isNarrowed)
    return (
      <EmptyState icon="prospects" title="No matching prospects">
        <p>Remove a filter, or select another source.</p>
        <Button onClick={() => setSearch({ ...search, filters: {} })}>Clear all filters</Button>
      </EmptyState>
    );
  return (
    <EmptyState icon="prospects" title="Your directory is empty">
      <p>
        Import people and companies from a CSV, Excel, or NDJSON file to search them here. Results from vendors are
        stored, too.
      </p>
      {can("leads:write") && (
        <Button kind="primary" onClick={onImport}>
          Import prospects
        </Button>
      )}
    </EmptyState>
  );
}
