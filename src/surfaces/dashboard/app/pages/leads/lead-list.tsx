import { useEffect, useState } from "preact/hooks";
import type { LeadView } from "../../../../../features/leads/model.ts";
import type { SavedLeadViewView } from "../../../../../features/leads/views/model.ts";
import { api, getAll } from "../../api.ts";
import { counted } from "../../format.ts";
import { oneAtATime } from "../../one-at-a-time.ts";
import { nameOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { useMembers } from "../../team.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Selection } from "../../ui/data-table.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { BulkJobProgress, runningBulkJob } from "./bulk-job.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { ColumnChooser, columnsIn } from "./column-chooser.tsx";
import { defaultColumns, leadColumns } from "./lead-columns.tsx";
import { LeadFilters } from "./lead-filters.tsx";
import { defaultSort, filtersIn, listQuery, offsetIn, pageSize, type LeadPage } from "./lead-query.ts";
import { rememberList } from "./list-place.ts";
import { NewLeadDialog } from "./new-lead.tsx";
import { ViewTabs } from "./view-tabs.tsx";

/** Each of these permissions enables a bulk action. */
const bulkPermissions = ["leads:write", "leads:delete", "network:schedule"] as const;

export function LeadsPage() {
  const { query } = here.value;
  const wanted = listQuery(query);
  const [inTurn] = useState(oneAtATime);
  const load = inTurn((signal) => api.get<LeadPage>("/leads", { query: wanted, signal }));
  const leads = useResource(load, [query.toString()], {
    pollMs: 15_000,
    events: ["lead.", "leads."],
  });
  const [isNew, setIsNew] = useState(false);
  const { data } = leads;
  const hasOwners = data?.leads.some(({ assignedTo }) => assignedTo !== null) ?? false;
  const members = useMembers(hasOwners);
  const filters = filtersIn(query);
  const isNarrowed = Object.keys(filters).length > 0;
  const offset = offsetIn(query);
  const total = data?.total ?? 0;
  const isEmpty = data?.leads.length === 0 && !isNarrowed && offset === 0;
  const { chosen, choose, isAll, chooseAll } = useChoice(JSON.stringify(filters));
  const views = useResource(
    async (signal) => ({ all: await getAll<SavedLeadViewView>("/leads/views", "views", { signal }) }),
    [],
  );
  const view = views.data?.all.find(({ id }) => id === query.get("view")) ?? null;
  const ofView = view !== null && view.columns.length > 0 ? view.columns : null;
  const chosenNames = columnsIn(query) ?? ofView;
  const names = chosenNames ?? defaultColumns(hasOwners);
  const job = runningBulkJob.value;
  useEffect(() => rememberList(query), [query]);

  const shown = data?.leads ?? [];
  const selection: Selection = {
    chosen: isAll ? new Set(shown.map(({ id }) => id)) : chosen,
    set: choose,
  };
  const move = (to: number) => {
    setQuery({ offset: to > 0 ? String(to) : null });
    scrollTo(0, 0);
  };

  return (
    <PageFrame
      title="Leads"
      lead={data && (isNarrowed ? `${counted(total, "lead")} found` : counted(total, "lead"))}
      actions={
        <>
          <Link to="/leads/duplicates" class="button plain">
            Duplicates
          </Link>
          <ExportMenu filters={filters} />
          {can("leads:write") && (
            <>
              <Button icon="plus" onClick={() => setIsNew(true)}>
                New lead
              </Button>
              {/* The list has this button while it is empty. */}
              <Link to="/leads/import" class={`button ${isEmpty ? "plain" : "primary"}`}>
                Import
              </Link>
            </>
          )}
        </>
      }
    >
      <ViewTabs views={views.data?.all ?? []} active={view} onChange={views.reload} />
      <div class="list-controls">
        <LeadFilters filters={filters} cleared={view === null ? "/leads" : `/leads?view=${view.id}`} />
        <ColumnChooser shown={names} isChosen={columnsIn(query) !== null} />
      </div>
      {job !== null && <BulkJobProgress key={job} id={job} onEnded={leads.reload} />}
      {job === null && (isAll || chosen.size > 0) && (
        <BulkBar {...{ chosen, choose, isAll, chooseAll, filters, total, shown }} onDone={leads.reload} />
      )}
      <DataTable
        label="Leads"
        isStacked
        columns={leadColumns(names, members, chosenNames !== null)}
        rows={data?.leads}
        rowKey={({ id }: LeadView) => id}
        rowName={nameOf}
        error={leads.error}
        retry={leads.reload}
        isLoading={leads.isLoading}
        sort={query.get("sort") ?? defaultSort}
        onSort={(sort) => setQuery({ sort: sort === defaultSort ? null : sort, offset: null })}
        {...(bulkPermissions.some(can) && { selection })}
        paging={{
          offset,
          total,
          hasPrevious: offset > 0,
          hasNext: offset + pageSize < total,
          toPrevious: () => move(offset - pageSize),
          toNext: () => move(offset + pageSize),
        }}
        empty={isNarrowed || offset > 0 ? <NothingFound /> : <NoLeads />}
      />
      {isNew && <NewLeadDialog onClose={() => setIsNew(false)} />}
    </PageFrame>
  );
}

/** The selected leads: some by their IDs, or all that match the filters, as long as these stay. */
function useChoice(filters: string) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [allOf, setAllOf] = useState<string | null>(null);
  return {
    chosen,
    isAll: allOf === filters,
    choose(next: ReadonlySet<string>) {
      setAllOf(null);
      setChosen(next);
    },
    chooseAll: () => setAllOf(filters),
  };
}

function NothingFound() {
  return (
    <EmptyState icon="prospects" title="No matching leads">
      <p>No lead matches all filters.</p>
      <Link to="/leads" class="button plain">
        Show all leads
      </Link>
    </EmptyState>
  );
}

function NoLeads() {
  return (
    <EmptyState icon="leads" title="No leads yet">
      <p>Import people from a CSV or NDJSON file. Columns are detected, and every row is reported.</p>
      <Link to="/leads/import" class="button primary">
        Import leads
      </Link>
    </EmptyState>
  );
}
