import { useEffect, useRef, useState } from "preact/hooks";
import type { SuppressionView } from "../../../../../features/suppression/model.ts";
import { api, downloadUrl } from "../../api.ts";
import { counted } from "../../format.ts";
import { useCursorPages } from "../../cursor-pages.ts";
import { useResource } from "../../resource.ts";
import { here, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Field } from "../../ui/form.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { AddSuppressionsDialog } from "./add-suppressions.tsx";
import { CheckPersonDialog } from "./check-person.tsx";
import { SuppressionDialog } from "./suppression-entry.tsx";
import { kindLabels, sourceLabels } from "./suppression-labels.ts";

type SuppressionPage = { suppressions: SuppressionView[]; total: number; nextCursor: string | null };

/** The do-not-contact list. */
export function SuppressionList() {
  const [openDialog, setOpenDialog] = useState<"add" | "check" | SuppressionView | null>(null);
  const { query } = here.value;
  const filter = { q: query.get("q"), kind: query.get("kind"), scope: query.get("scope") };
  const inputs = Object.values(filter);
  const { cursor, paging } = useCursorPages("suppression", inputs);
  const list = useResource(
    (signal) => api.get<SuppressionPage>("/suppressions", { query: { ...filter, cursor, limit: 50 }, signal }),
    [...inputs, cursor],
    { pollMs: 30_000, events: ["suppression."] },
  );
  const isNarrowed = inputs.some((value) => value !== null);

  const columns: readonly Column<SuppressionView>[] = [
    {
      id: "value",
      header: "Value",
      cell: (entry) => (
        <span class="two-lines">
          <button type="button" class="link" onClick={() => setOpenDialog(entry)}>
            {entry.value ?? "Hashed entry"}
          </button>
          <span>{entry.value === null ? entry.hash.slice(0, 30) : entry.reason}</span>
        </span>
      ),
    },
    { id: "kind", header: "Type", hideBelow: "small", cell: ({ kind }) => kindLabels[kind] },
    {
      id: "scope",
      header: "Applies to",
      cell: ({ scope }) => (
        <Badge tone={scope === "team" ? "info" : "neutral"}>
          {scope === "team" ? "All workspaces" : "This workspace"}
        </Badge>
      ),
    },
    { id: "source", header: "Source", hideBelow: "medium", cell: ({ source }) => sourceLabels[source] },
    { id: "at", header: "Added", hideBelow: "small", cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  ];

  return (
    <>
      <div class="part-head">
        <p class="faint">
          {list.data === undefined
            ? "People and companies on this list are never contacted."
            : counted(list.data.total, "entry", "entries")}
        </p>
        <div class="buttons">
          <a
            class="button plain"
            href={downloadUrl("/suppressions/export", { scope: filter.scope, kind: filter.kind })}
            download
          >
            Export
          </a>
          <Button onClick={() => setOpenDialog("check")}>Check a person</Button>
          {can("leads:write") && (
            <Button kind="primary" icon="plus" onClick={() => setOpenDialog("add")}>
              Add
            </Button>
          )}
        </div>
      </div>
      <div class="filter-row" role="search" aria-label="Do-not-contact list">
        <SearchField value={filter.q ?? ""} onChange={(q) => setQuery({ q })} />
        <FilterField
          label="Type"
          value={filter.kind ?? ""}
          choices={Object.entries(kindLabels)}
          onChange={(kind) => setQuery({ kind })}
        />
        <FilterField
          label="Applies to"
          value={filter.scope ?? ""}
          choices={[
            ["user", "This workspace"],
            ["team", "All workspaces"],
          ]}
          onChange={(scope) => setQuery({ scope })}
        />
      </div>
      <DataTable
        label="Do-not-contact list"
        isStacked
        columns={columns}
        rows={list.data?.suppressions}
        rowKey={({ id }) => id}
        error={list.error}
        retry={list.reload}
        isLoading={list.isLoading}
        paging={paging(list.data?.nextCursor)}
        empty={
          isNarrowed ? (
            <EmptyState icon="prospects" title="No matching entries">
              <Button onClick={() => setQuery({ q: null, kind: null, scope: null })}>Show all</Button>
            </EmptyState>
          ) : (
            <EmptyState icon="settings" title="The list is empty">
              <p>
                Add people and companies that must not be contacted. They cannot be added, imported, or sent anything.
              </p>
            </EmptyState>
          )
        }
      />
      {openDialog === "add" && (
        <AddSuppressionsDialog
          canApplyToTeam={session.value?.isAdmin === true}
          onClose={() => setOpenDialog(null)}
          onAdded={list.reload}
        />
      )}
      {openDialog === "check" && <CheckPersonDialog onClose={() => setOpenDialog(null)} />}
      {openDialog !== null && typeof openDialog === "object" && (
        <SuppressionDialog entry={openDialog} onClose={() => setOpenDialog(null)} onChanged={list.reload} />
      )}
    </>
  );
}

const typingMs = 250;

function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(typing.current), []);
  return (
    <Field label="Search">
      {(control) => (
        <input
          {...control}
          type="search"
          defaultValue={value}
          placeholder="Search values"
          maxLength={500}
          onInput={(event) => {
            const text = event.currentTarget.value;
            clearTimeout(typing.current);
            typing.current = setTimeout(() => onChange(text), typingMs);
          }}
        />
      )}
    </Field>
  );
}

function FilterField({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: string;
  choices: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">All</option>
          {choices.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
