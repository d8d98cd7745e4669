import { useState } from "preact/hooks";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api, type Query } from "../../api.ts";
import { counted } from "../../format.ts";
import { actionLabels, reasonLabels } from "../../network.ts";
import { handleOf, targetOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { actionStateLabels, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { DateTime, RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError, showProblem, showUndo } from "../../ui/toast.tsx";
import { EditActionDialog } from "./edit-action.tsx";
import { ResolveDialog } from "./resolve-action.tsx";

type ActionPage = { actions: ActionView[]; nextCursor: string | null };

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
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const cursor = cursors.at(-1) ?? null;
  const page = useResource(
    (signal) => api.get<ActionPage>("/network/actions", { query: { ...tab.query, limit: 50, cursor }, signal }),
    [tab.name, cursor],
    { pollMs: 10_000, events: ["action.", "account.", "campaign."] },
  );
  const { data } = page;

  function show(name: TabName) {
    setCursors([null]);
    setChosen(new Set());
    setQuery({ tab: name === "next" ? null : name });
  }

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
      <Tabs label="Action state" tabs={tabs} chosen={tab.name} choose={show}>
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
            hasPrevious: cursors.length > 1,
            hasNext: typeof data?.nextCursor === "string",
            toPrevious: () => setCursors(cursors.slice(0, -1)),
            toNext: () => setCursors([...cursors, data?.nextCursor ?? null]),
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

type ActionControls = {
  canManage: boolean;
  canApprove: boolean;
  ask: (kind: OpenDialog["kind"], action: ActionView) => void;
  approve: (action: ActionView) => void;
  retry: (action: ActionView) => void;
};

function columnsOf(tab: TabName, { canManage, canApprove, ask, approve, retry }: ActionControls): Column<ActionView>[] {
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
      hideBelow: "small",
      cell: ({ state, pendingReason, status }) =>
        isPending && pendingReason !== null ? (
          reasonLabels[pendingReason]
        ) : (
          <span class="two-lines">
            <span>
              <StateBadge words={actionStateLabels} state={state} />
            </span>
            <span>{state === "completed" ? "" : status}</span>
          </span>
        ),
    },
    {
      id: "steer",
      header: "Actions",
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
      <RelativeTime at={at} />
      <span>
        <DateTime at={at} />
      </span>
    </span>
  );
}

function Person({ action }: { action: ActionView }) {
  const { profileUrl, leadId, personName } = action;
  const name = targetOf(action);
  return (
    <span class="two-lines">
      {leadId !== null && can("leads:read") ? (
        <Link to={`/leads/${leadId}`}>{name}</Link>
      ) : (
        <OutsideLink href={profileUrl}>{name}</OutsideLink>
      )}
      {personName && <span>{handleOf(profileUrl)}</span>}
    </span>
  );
}
