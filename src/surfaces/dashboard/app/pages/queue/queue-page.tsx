import { useEffect, useState } from "preact/hooks";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api, type Query } from "../../api.ts";
import { useEntryState } from "../../entry-state.ts";
import { counted, dateTime, withoutRequests } from "../../format.ts";
import { actionLabels, useAccounts } from "../../network.ts";
import { handleOf, targetOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { shortTime } from "../../short-time.ts";
import { actionStateLabels, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError, showProblem, showUndo } from "../../ui/toast.tsx";
import { Calendar } from "./calendar.tsx";
import { EditActionDialog } from "./edit-action.tsx";
import { filterInUrl, QueueFilters, type QueueFilter } from "./queue-filters.tsx";
import { countAhead, reasonInFull } from "./reason.ts";
import { ResolveDialog } from "./resolve-action.tsx";

type ActionPage = { actions: ActionView[]; nextCursor: string | null };
/** Where a page begins, and how many actions of each account are on those before it. */
type PageStart = { cursor: string | null; before: Readonly<Record<string, number>> };
type QueuePlace = { list: string; starts: readonly PageStart[] };
const firstPage: PageStart = { cursor: null, before: {} };

const tabs = [
  { name: "next", label: "Next", query: { order: "soonest" }, empty: "No actions scheduled" },
  {
    name: "approval",
    label: "Needs approval",
    query: { state: "awaitingApproval" },
    empty: "No actions need approval",
  },
  {
    name: "waiting",
    label: "Waiting",
    query: { state: "awaiting" },
    empty: "No actions are waiting for a person or a worker",
  },
  {
    name: "unknown",
    label: "Outcome unknown",
    query: { state: "unknown" },
    empty: "No actions with an unknown outcome",
  },
  {
    name: "completed",
    label: "Completed",
    query: { order: "latest", state: "completed" },
    empty: "No completed actions yet",
  },
  { name: "failed", label: "Failed", query: { state: "failed" }, empty: "No failed actions" },
  { name: "other", label: "Skipped", query: { state: "skipped" }, empty: "No skipped actions" },
  { name: "canceled", label: "Canceled", query: { state: "canceled" }, empty: "No canceled actions" },
] as const satisfies readonly { name: string; label: string; query: Query; empty: string }[];
type TabName = (typeof tabs)[number]["name"];

type OpenDialog = { kind: "edit" | "cancel" | "resolve"; action: ActionView };

/** Actions by state, each with its scheduled time and the reason why it waits. */
export function QueuePage() {
  const tab = tabs.find(({ name }) => name === here.value.query.get("tab")) ?? tabs[0];
  const view = here.value.query.get("view") === "calendar" ? "calendar" : "list";
  const filter = filterInUrl();
  const list = JSON.stringify([tab.name, filter, view]);
  const [place, setPlace] = useEntryState<QueuePlace>("queue", { list, starts: [firstPage] });
  // A cursor is valid only for the list it came from.
  const starts = place.list === list ? place.starts : [firstPage];
  const setStarts = (next: readonly PageStart[]) => setPlace({ list, starts: next });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const { cursor, before } = starts.at(-1) ?? firstPage;
  const query = { ...tab.query, ...filter, limit: 50, cursor };
  const page = useResource(
    async (signal) => (view === "list" ? api.get<ActionPage>("/network/actions", { query, signal }) : undefined),
    [tab.name, cursor, view, filter.accountId, filter.actionType],
    { pollMs: 10_000, events: ["action.", "account.", "campaign."] },
  );
  const { data } = page;
  const counts = useTabCounts(filter);
  const accounts = useAccounts().data?.accounts ?? [];
  const { ahead, after } = countAhead(data?.actions ?? [], before);

  useEffect(() => setChosen(new Set()), [list]);
  const show = (name: TabName) => setQuery({ tab: name === "next" ? null : name });

  async function each(ids: readonly string[], verb: "approve" | "cancel", done: string) {
    setIsBusy(true);
    const outcomes = await Promise.allSettled(ids.map((id) => api.post(`/network/actions/${id}/${verb}`)));
    const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as Error] : []));
    const succeeded = ids.length - failed.length;
    const text = `${counted(succeeded, "action")} ${done}.`;
    const changed = ids.filter((_, index) => outcomes[index]?.status === "fulfilled");
    if (succeeded > 0 && verb === "cancel" && canBringBack) showUndo(text, () => bringBack(changed));
    else if (succeeded > 0) showSuccess(text);
    if (failed.length > 0) showProblem(`${counted(failed.length, "action")} failed: ${failed[0]?.message}`);
    setChosen(new Set());
    setIsBusy(false);
    page.reload();
  }

  /** Retrying a canceled action schedules it, so those that wait for approval are canceled for good. */
  const canBringBack = tab.name === "next" && can("jobs:update");
  async function bringBack(ids: readonly string[]) {
    await Promise.all(ids.map((id) => api.post(`/users/jobs/${id}/retry`)));
    page.reload();
  }

  const canManage = can("network:schedule");
  const canApprove = canManage && session.value?.key.requiresApproval === false;
  const isManageable = tab.name === "next" || tab.name === "approval" || tab.name === "waiting";
  const choose = canManage && isManageable ? { selection: { chosen, set: setChosen } } : {};

  return (
    <PageFrame
      title="Queue"
      lead="Scheduled and completed actions on the network, and why actions are waiting."
      actions={
        <Link to="/work" class="button plain">
          Work list
        </Link>
      }
    >
      <QueueFilters view={view} filter={filter} accounts={accounts} />
      {view === "calendar" ? (
        <Calendar accountId={filter.accountId} />
      ) : (
        <Tabs
          label="Action state"
          tabs={tabs.map(({ name, label }) => ({ name, label, count: counts[name] }))}
          chosen={tab.name}
          choose={show}
        >
          {chosen.size > 0 && (
            <div class="bulk-bar" role="toolbar" aria-label="Selected actions">
              <p>
                <strong>{chosen.size}</strong> selected
              </p>
              <div class="buttons">
                {tab.name === "approval" && canApprove && (
                  <Button kind="primary" isBusy={isBusy} onClick={() => void each([...chosen], "approve", "approved")}>
                    Approve
                  </Button>
                )}
                <Button isBusy={isBusy} onClick={() => void each([...chosen], "cancel", "canceled")}>
                  Cancel actions
                </Button>
              </div>
            </div>
          )}
          <DataTable
            label={tab.label}
            isStacked
            columns={columnsOf(tab.name, {
              // With a filter by type, those between are not known.
              ahead: tab.name === "next" && filter.actionType === null ? ahead : new Map(),
              // One account needs no name.
              accountNames: new Map(accounts.length > 1 ? accounts.map(({ id, name }) => [id, name]) : []),
              canManage,
              canApprove,
              ask: (kind, action) =>
                kind === "cancel" && canBringBack
                  ? void each([action.jobId], "cancel", "canceled")
                  : setOpenDialog({ kind, action }),
              approve: ({ jobId }) => void each([jobId], "approve", "approved"),
              retry: ({ jobId }) =>
                void api.post(`/users/jobs/${jobId}/retry`).then(() => {
                  showSuccess("The action was rescheduled.");
                  page.reload();
                }, showError),
            })}
            rows={page.isLoading && data === undefined ? undefined : data?.actions}
            rowKey={({ jobId }) => jobId}
            rowName={(action) => `${actionLabels[action.actionType].label} to ${targetOf(action)}`}
            error={page.error}
            retry={page.reload}
            isLoading={page.isLoading}
            {...choose}
            paging={{
              hasPrevious: starts.length > 1,
              hasNext: typeof data?.nextCursor === "string",
              toPrevious: () => setStarts(starts.slice(0, -1)),
              toNext: () => setStarts([...starts, { cursor: data?.nextCursor ?? null, before: after }]),
            }}
            empty={
              <EmptyState icon="queue" title={tab.empty}>
                {tab.name === "next" && (
                  <>
                    <p>Select leads and schedule an action for them, or start a campaign.</p>
                    <Link to="/leads" class="button primary">
                      Select leads
                    </Link>
                  </>
                )}
              </EmptyState>
            }
          />
        </Tabs>
      )}
      {openDialog?.kind === "edit" && (
        <EditActionDialog action={openDialog.action} onClose={() => setOpenDialog(null)} onSaved={page.reload} />
      )}
      {openDialog?.kind === "resolve" && (
        <ResolveDialog action={openDialog.action} onClose={() => setOpenDialog(null)} onSaved={page.reload} />
      )}
      {openDialog?.kind === "cancel" && (
        <ConfirmDialog
          title="Cancel this action?"
          confirm="Cancel action"
          onClose={() => setOpenDialog(null)}
          onConfirm={async () => {
            await api.post(`/network/actions/${openDialog.action.jobId}/cancel`);
            showSuccess("Canceled.");
            page.reload();
          }}
        >
          <p>
            {actionLabels[openDialog.action.actionType].label} to {targetOf(openDialog.action)} will not be executed.
          </p>
        </ConfirmDialog>
      )}
    </PageFrame>
  );
}

/** Tabs with work to do; the others only grow. */
const countedTabs: readonly TabName[] = ["next", "approval", "waiting", "unknown", "failed"];

/** Number of actions by tab; absent for tabs without any. */
function useTabCounts(filter: QueueFilter): Partial<Record<TabName, number>> {
  const counts = useResource(
    async (signal) => {
      const numbers = await Promise.all(
        tabs
          .filter(({ name }) => countedTabs.includes(name))
          .map(async ({ name, query: ofTab }) => {
            const query = { ...ofTab, ...filter, limit: 1 };
            return [name, (await api.get<{ total: number }>("/network/actions", { query, signal })).total] as const;
          }),
      );
      return Object.fromEntries(numbers.filter(([, total]) => total > 0));
    },
    [filter.accountId, filter.actionType],
    { pollMs: 30_000, events: ["action.", "account.", "campaign."] },
  );
  return counts.data ?? {};
}

type ActionControls = {
  /** How many actions of the same account come before each; without an entry, that is unknown. */
  ahead: ReadonlyMap<string, number>;
  accountNames: ReadonlyMap<string, string>;
  canManage: boolean;
  canApprove: boolean;
  ask: (kind: OpenDialog["kind"], action: ActionView) => void;
  approve: (action: ActionView) => void;
  retry: (action: ActionView) => void;
};

function columnsOf(
  tab: TabName,
  { ahead, accountNames, canManage, canApprove, ask, approve, retry }: ActionControls,
): Column<ActionView>[] {
  const isPending = tab === "next" || tab === "approval" || tab === "waiting";
  return [
    { id: "when", header: "Time", cell: (action) => <When action={action} isPending={isPending} /> },
    {
      id: "what",
      header: "Action",
      cell: ({ actionType, message }) => (
        <span class="two-lines">
          <strong>{actionLabels[actionType].label}</strong>
          {message && <span class="one-line">{message}</span>}
        </span>
      ),
    },
    { id: "who", header: "For", cell: (action) => <Person action={action} /> },
    {
      id: "why",
      header: isPending ? "Waiting for" : "State",
      cell: ({ jobId, accountId, state, pendingReason, scheduledFor, status }) =>
        isPending && pendingReason !== null ? (
          <span class="two-lines">
            <span>{reasonInFull({ pendingReason, scheduledFor }, ahead.get(jobId) ?? null)}</span>
            {accountNames.has(accountId) && <span class="account-name">{accountNames.get(accountId)}</span>}
          </span>
        ) : (
          <span class="two-lines">
            <span>
              <StateBadge words={actionStateLabels} state={state} />
            </span>
            <span>{status === actionStateLabels[state]?.label ? "" : withoutRequests(status)}</span>
          </span>
        ),
    },
    {
      id: "steer",
      header: "",
      align: "right",
      cell: (action) =>
        canManage && (
          <span class="buttons end">
            {action.state === "awaitingApproval" && canApprove && (
              <Button kind="primary" onClick={() => approve(action)}>
                Approve
              </Button>
            )}
            {(action.state === "awaitingApproval" || action.state === "scheduled") && (
              <Button onClick={() => ask("edit", action)}>Edit</Button>
            )}
            {["awaitingApproval", "scheduled", "awaiting"].includes(action.state) && (
              <Button
                kind="quiet"
                icon="close"
                aria-label="Cancel"
                title="Cancel"
                onClick={() => ask("cancel", action)}
              />
            )}
            {action.state === "unknown" && <Button onClick={() => ask("resolve", action)}>Report outcome</Button>}
            {action.state === "failed" && <Button onClick={() => retry(action)}>Try again</Button>}
          </span>
        ),
    },
  ];
}

function When({ action, isPending }: { action: ActionView; isPending: boolean }) {
  const at = isPending ? action.scheduledFor : (action.carriedOutAt ?? action.updatedAt);
  if (at === null) return <span class="faint">Not scheduled</span>;
  return (
    <span class="two-lines">
      <strong class="number">
        <time dateTime={at} title={dateTime(at)}>
          {shortTime(at)}
        </time>
      </strong>
      <span>
        <RelativeTime at={at} />
      </span>
    </span>
  );
}

function Person({ action }: { action: ActionView }) {
  const { profileUrl, leadId, personName } = action;
  const name = targetOf(action);
  return (
    <span class="two-lines queue-person">
      {leadId !== null && can("leads:read") ? (
        <Link to={`/leads/${leadId}`}>{name}</Link>
      ) : (
        <OutsideLink href={profileUrl}>{name}</OutsideLink>
      )}
      {personName && <span>{handleOf(profileUrl)}</span>}
    </span>
  );
}
