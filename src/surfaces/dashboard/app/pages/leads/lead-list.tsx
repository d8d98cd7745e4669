import { useState } from "preact/hooks";
import type { MemberView } from "../../../../../features/workspaces/members/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { oneAtATime } from "../../one-at-a-time.ts";
import { nameOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { Initials } from "../../ui/initials.tsx";
import { leadStatusLabels, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { LeadFilters } from "./lead-filters.tsx";
import { defaultSort, filtersIn, listQuery, offsetIn, pageSize, type LeadPage } from "./lead-query.ts";
import { NewLeadDialog } from "./new-lead.tsx";
import { TagList } from "./tag-list.tsx";

const columns: readonly Column<LeadView>[] = [
  {
    id: "name",
    header: "Name",
    sort: "lastName",
    cell: (lead) => (
      <span class="two-lines">
        <Link to={`/leads/${lead.id}`}>{nameOf(lead)}</Link>
        <span>{lead.title}</span>
      </span>
    ),
  },
  { id: "company", header: "Company", sort: "company", cell: ({ company }) => company },
  {
    id: "status",
    header: "Status",
    sort: "status",
    cell: ({ status, doNotContact }) => (
      <span class="badges">
        <StateBadge words={leadStatusLabels} state={status} />
        {doNotContact && <span class="badge bad">Do not contact</span>}
      </span>
    ),
  },
  {
    id: "email",
    header: "Email",
    sort: "email",
    hideBelow: "medium",
    cell: ({ email }) => (
      <span class="clip" title={email ?? ""}>
        {email}
      </span>
    ),
  },
  { id: "tags", header: "Tags", hideBelow: "large", cell: ({ tags }) => <TagList tags={tags} atMost={3} /> },
  {
    id: "updatedAt",
    header: "Updated",
    sort: "updatedAt",
    hideBelow: "small",
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];

/** Shown where leads have owners: people who work alone need none. */
function ownerColumn(members: readonly MemberView[]): Column<LeadView> {
  return {
    id: "owner",
    header: "Owner",
    hideBelow: "small",
    cell: ({ assignedTo }) => assignedTo !== null && <Initials name={nameOfMember(members, assignedTo)} />,
  };
}

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
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isNew, setIsNew] = useState(false);
  const { data } = leads;
  const hasOwners = data?.leads.some(({ assignedTo }) => assignedTo !== null) ?? false;
  const members = useMembers(hasOwners);
  const filters = filtersIn(query);
  const isNarrowed = Object.keys(filters).length > 0;
  const offset = offsetIn(query);
  const total = data?.total ?? 0;
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
          <ExportMenu filters={filters} />
          {can("leads:write") && (
            <>
              <Button icon="plus" onClick={() => setIsNew(true)}>
                New lead
              </Button>
              <Link to="/leads/import" class="button primary">
                Import
              </Link>
            </>
          )}
        </>
      }
    >
      <LeadFilters filters={filters} />
      {chosen.size > 0 && (
        <BulkBar
          chosen={chosen}
          choose={setChosen}
          filters={filters}
          total={total}
          shown={data?.leads ?? []}
          onDone={leads.reload}
        />
      )}
      <DataTable
        label="Leads"
        columns={hasOwners ? columns.toSpliced(3, 0, ownerColumn(members)) : columns}
        rows={data?.leads}
        rowKey={({ id }) => id}
        rowName={nameOf}
        error={leads.error}
        retry={leads.reload}
        isLoading={leads.isLoading}
        sort={query.get("sort") ?? defaultSort}
        onSort={(sort) => setQuery({ sort: sort === defaultSort ? null : sort, offset: null })}
        {...(bulkPermissions.some(can) && { selection: { chosen, set: setChosen } })}
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
