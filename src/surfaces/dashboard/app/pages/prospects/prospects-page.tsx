import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { may } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loaded } from "../../ui/states.tsx";
import { tellError } from "../../ui/toast.tsx";
import { Facets } from "./facets.tsx";
import { currentSearch, setSearch, sourceWords, type Search } from "./filters.ts";
import { ImportProspectsDialog } from "./import-prospects.tsx";
import { ProspectTable, type Found } from "./prospect-table.tsx";
import { SavedSearches } from "./saved-searches.tsx";

const pageSize = 25;

/** Search for people who may become leads. What it costs stands on the button that spends it. */
export function ProspectsPage() {
  const search = currentSearch();
  const [isImporting, setIsImporting] = useState(false);
  const [imports, setImports] = useState(0);
  const key = JSON.stringify(search) + imports;
  return (
    <PageFrame
      title="Prospects"
      lead="People who fit, in your own directory or at a vendor. Counting is free."
      actions={
        <>
          <SavedSearches search={search} />
          {may("leads:write") && <Button onClick={() => setIsImporting(true)}>Import prospects</Button>}
        </>
      }
    >
      <div class="search-page">
        <aside aria-label="Filters">
          <Field label="Where">
            {(control) => (
              <select
                {...control}
                value={search.source}
                onChange={(event) => setSearch({ ...search, source: event.currentTarget.value as Search["source"] })}
              >
                {Object.entries(sourceWords).map(([name, words]) => (
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

/** First how many fit and what a page costs; then, page by page, what was paid for. */
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
      tellError(error);
    } finally {
      setIsBusy(false);
    }
  }
  // Of a vendor an estimate does not tell it, but a page before does.
  const total = estimate.data?.total ?? [...pages.values()].at(-1)?.total ?? null;
  // What costs nothing needs no button; a vendor is asked only by one.
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
                  `${sourceWords[search.source]} tells how many fit once you ask it for a page.`
                ) : (
                  <strong>{counted(total, "prospect fits", "prospects fit")}.</strong>
                )}{" "}
                You have {counted(known.remainingCredits, "credit")}.
              </p>
              {shown === undefined ? (
                <div class="card estimate-card">
                  <p>
                    Prospects {offset + 1} to {Math.min(offset + pageSize, total ?? Number.POSITIVE_INFINITY)} cost at
                    most {counted(known.creditsRequired, "credit")}: one for each that is shown.
                  </p>
                  <div class="buttons">
                    <Button
                      kind="primary"
                      isBusy={isBusy || estimate.isLoading}
                      disabled={known.creditsRequired > known.remainingCredits}
                      onClick={() => void show()}
                    >
                      Show them for {counted(known.creditsRequired, "credit")}
                    </Button>
                    {offset > 0 && <Button onClick={() => setOffset(offset - pageSize)}>Back</Button>}
                  </div>
                  {known.creditsRequired > known.remainingCredits && (
                    <p class="notice warn">You have too few credits. An admin can grant more, in the settings.</p>
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
      <EmptyState icon="prospects" title="Nobody fits">
        <p>Take a filter away, or look in another place.</p>
        <Button onClick={() => setSearch({ ...search, filters: {} })}>Take all filters away</Button>
      </EmptyState>
    );
  return (
    <EmptyState icon="prospects" title="Your directory is empty">
      <p>Import people and companies, as CSV or NDJSON, and search them here. What a vendor finds is stored too.</p>
      {may("leads:write") && (
        <Button kind="primary" onClick={onImport}>
          Import prospects
        </Button>
      )}
    </EmptyState>
  );
}
