import { useState } from "preact/hooks";
import type { AuditEntryView } from "../../../../../platform/auth/audit/model.ts";
import type { UserView } from "../../../../../platform/auth/user-model.ts";
import { api, downloadUrl, getAll } from "../../api.ts";
import { useCursorPages } from "../../cursor-pages.ts";
import { instantOfDay } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { here, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Facts, type Fact } from "../../ui/facts.tsx";
import { Field } from "../../ui/form.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { DateTime, RelativeTime } from "../../ui/time.tsx";
import { AuditCheckDialog } from "./audit-check.tsx";
import { actorLabel, auditGroups, auditLabel } from "./audit-labels.ts";

type AuditPage = { entries: AuditEntryView[]; nextCursor: string | null };
type NameOfUser = (id: string) => string;

/** The audit log, newest first: who did what, when, and from where. */
export function AuditLog() {
  const [open, setOpen] = useState<AuditEntryView | null>(null);
  const [isChecked, setIsChecked] = useState(false);
  const { query } = here.value;
  const filter = { action: query.get("action"), userId: query.get("user"), ...dateRange(query) };
  const inputs = Object.values(filter);
  const { cursor, paging } = useCursorPages("audit", inputs);
  const log = useResource(
    (signal) => api.get<AuditPage>("/audit", { query: { ...filter, cursor, limit: 50 }, signal }),
    [...inputs, cursor],
    { pollMs: 30_000 },
  );
  const isAdmin = session.value?.isAdmin === true;
  const users = useUsers(isAdmin && can("users:read"));
  const nameOfUser: NameOfUser = (id) => {
    const user = users.find((one) => one.id === id);
    return user === undefined ? "A user" : (user.name ?? user.email);
  };
  const isNarrowed = inputs.some((value) => value !== null);
  const columns: readonly Column<AuditEntryView>[] = [
    {
      id: "what",
      header: "Event",
      cell: (entry) => (
        <button type="button" class="link" onClick={() => setOpen(entry)}>
          {auditLabel(entry.action)}
        </button>
      ),
    },
    {
      id: "who",
      header: "User",
      cell: (entry) => (
        <span class="two-lines">
          <span>{actorLabel(entry, nameOfUser)}</span>
          <span>{entry.keyName && `key “${entry.keyName}”`}</span>
        </span>
      ),
    },
    {
      id: "where",
      header: "IP address",
      hideBelow: "medium",
      cell: ({ address, userAgent }) => (
        <span class="two-lines">
          <span>{address}</span>
          <span class="clip" title={userAgent ?? ""}>
            {userAgent}
          </span>
        </span>
      ),
    },
    {
      id: "when",
      header: "Time",
      cell: ({ at }) => (
        <span class="two-lines">
          <RelativeTime at={at} />
          <span>
            <DateTime at={at} />
          </span>
        </span>
      ),
    },
  ];

  return (
    <>
      <div class="part-head">
        <p class="faint">
          {isAdmin
            ? "Changes to keys, users, personal data, and the server. Entries cannot be changed or deleted."
            : "Changes to your keys, sessions, and data. Entries cannot be changed or deleted."}
        </p>
        <div class="buttons">
          <a class="button plain" href={downloadUrl("/audit/export", filter)} download="audit.ndjson">
            Export
          </a>
          {isAdmin && <Button onClick={() => setIsChecked(true)}>Verify</Button>}
        </div>
      </div>
      <AuditFilters query={query} users={users} />
      <DataTable
        label="Audit log"
        isStacked
        columns={columns}
        rows={log.data?.entries}
        rowKey={({ id }) => String(id)}
        error={log.error}
        retry={log.reload}
        isLoading={log.isLoading}
        paging={paging(log.data?.nextCursor)}
        empty={
          <EmptyState icon="prospects" title={isNarrowed ? "No matching entries" : "No entries yet"}>
            {isNarrowed && (
              <Button onClick={() => setQuery({ action: null, user: null, from: null, to: null })}>Show all</Button>
            )}
          </EmptyState>
        }
      />
      {open !== null && <EntryDialog entry={open} nameOfUser={nameOfUser} onClose={() => setOpen(null)} />}
      {isChecked && <AuditCheckDialog onClose={() => setIsChecked(false)} />}
    </>
  );
}

/** From the start of the first day to the end of the last, in the user's time zone. */
function dateRange(query: URLSearchParams): { from: string | null; to: string | null } {
  const [from, to] = [query.get("from"), query.get("to")];
  return { from: from && instantOfDay(from), to: to && instantOfDay(to, 1) };
}

/** The users of the installation, for admins. */
function useUsers(isOpen: boolean): readonly UserView[] {
  const users = useResource(
    async (signal) => {
      if (!isOpen) return [];
      return getAll<UserView>("/users", "users", { query: { limit: 100 }, signal });
    },
    [isOpen],
  );
  const own = session.value?.user;
  return users.data ?? (own === undefined ? [] : [own]);
}

function AuditFilters({ query, users }: { query: URLSearchParams; users: readonly UserView[] }) {
  return (
    <search class="filter-row" aria-label="Audit log">
      <Field label="Event">
        {(control) => (
          <select
            {...control}
            value={query.get("action") ?? ""}
            onChange={(event) => setQuery({ action: event.currentTarget.value })}
          >
            <option value="">All events</option>
            {auditGroups.map(({ label, actions }) => (
              <optgroup key={label} label={label}>
                {Object.entries(actions).map(([action, name]) => (
                  <option key={action} value={action}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
      {users.length > 1 && (
        <Field label="User">
          {(control) => (
            <select
              {...control}
              value={query.get("user") ?? ""}
              onChange={(event) => setQuery({ user: event.currentTarget.value })}
            >
              <option value="">All users</option>
              {users.map(({ id, name, email }) => (
                <option key={id} value={id}>
                  {name ?? email}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {(["from", "to"] as const).map((end) => (
        <Field key={end} label={end === "from" ? "From" : "To"}>
          {(control) => (
            <input
              {...control}
              type="date"
              value={query.get(end) ?? ""}
              onChange={(event) => setQuery({ [end]: event.currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </search>
  );
}

type EntryDialogProps = { entry: AuditEntryView; nameOfUser: NameOfUser; onClose: () => void };

function EntryDialog({ entry, nameOfUser, onClose }: EntryDialogProps) {
  const { id, at, action, userId, keyName, address, userAgent, requestId, targetType, targetId, details } = entry;
  const facts: Fact[] = [
    ["Time", <DateTime key="when" at={at} />],
    ["User", actorLabel(entry, nameOfUser)],
    ["Key", keyName],
    ["Affected user", userId && nameOfUser(userId)],
    ["Target", targetType && `${targetType} ${targetId}`],
    ...Object.entries(details).map(([name, value]): Fact => [
      labelOf(name),
      Array.isArray(value) ? value.join(", ") : String(value),
    ]),
    ["IP address", address],
    ["User agent", userAgent],
    ["Request ID", requestId],
    ["Entry", `${id}`],
  ];
  return (
    <Dialog title={auditLabel(action)} onClose={onClose} isWide>
      <Facts facts={facts} />
    </Dialog>
  );
}

/** "keptOff" becomes "Kept off". */
function labelOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
