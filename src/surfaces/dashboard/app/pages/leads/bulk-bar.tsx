import { useRef, useState } from "preact/hooks";
import type { BulkReport } from "../../../../../features/leads/bulk-model.ts";
import type { LeadStatus, LeadView } from "../../../../../features/leads/model.ts";
import { api, longPatienceSeconds } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { can } from "../../session.ts";
import { leadStatusLabels } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Progress } from "../../ui/meter.tsx";
import { showSuccess, showError, showProblem, showUndo } from "../../ui/toast.tsx";
import { AssignDialog } from "./assign-dialog.tsx";
import { DeleteLeadsDialog, NameDialog, type NamedChange } from "./bulk-dialogs.tsx";
import { startBulkJob } from "./bulk-job.tsx";
import { EnrollChosenDialog } from "./enroll-chosen.tsx";
import type { Filters } from "./lead-query.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";

type BulkBarProps = {
  chosen: ReadonlySet<string>;
  choose: (chosen: ReadonlySet<string>) => void;
  /** All leads that match the filters are selected, not only those on pages that were shown. */
  isAll: boolean;
  chooseAll: () => void;
  filters: Filters;
  total: number;
  shown: readonly LeadView[];
  onDone: () => void;
};

/** Thousands of selected leads take more requests than the rate limit allows per minute. */
const patient = { patienceSeconds: longPatienceSeconds };
/** Limit of the API per request. */
const idsAtOnce = 500;

type OpenDialog = "assign" | "delete" | "schedule" | "enroll" | NamedChange;

/** Actions for the selected leads, on this page and on others, or for all that match the filters. */
export function BulkBar({ chosen, choose, isAll, chooseAll, filters, total, shown, onDone }: BulkBarProps) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [progress, setProgress] = useState<{ label: string; percent: number } | null>(null);
  const stopped = useRef(false);
  const size = isAll ? total : chosen.size;
  const close = () => setOpenDialog(null);

  /** Sends the IDs in batches and shows the result. */
  async function run(what: string, done: string, send: (ids: string[]) => Promise<BulkReport>) {
    close();
    stopped.current = false;
    const ids = [...chosen];
    const failed: BulkReport["failed"] = [];
    let changed = 0;
    try {
      for (let at = 0; at < ids.length && !stopped.current; at += idsAtOnce) {
        setProgress({ label: what, percent: (at / ids.length) * 100 });
        const report = await send(ids.slice(at, at + idsAtOnce));
        changed += report.changed;
        failed.push(...report.failed);
      }
      showSuccess(`${counted(changed, "lead")} ${done}.${stopped.current ? " Stopped before the rest." : ""}`);
      if (failed.length > 0) showProblem(`${counted(failed.length, "lead")} failed: ${failed[0]?.message}`);
      choose(new Set(failed.map(({ id }) => id)));
    } catch (error) {
      showError(error);
    } finally {
      setProgress(null);
      onDone();
    }
  }

  /** Changes all that match on the server. */
  async function changeAll(change: object) {
    close();
    if (await startBulkJob(filters, change)) choose(new Set());
  }

  const update = (what: string, done: string, change: object) =>
    isAll
      ? changeAll(change)
      : run(what, done, (ids) => api.post<BulkReport>("/leads/bulk/update", { ids, ...change }, patient));

  /** Can be undone if the page shows what the status of all of them was. */
  async function setStatus(status: LeadStatus) {
    const before = shown.filter(({ id }) => chosen.has(id));
    const { label } = leadStatusLabels[status];
    if (isAll || before.length < chosen.size) return update("Changing", `set to ${label}`, { status });
    close();
    try {
      const { changed, failed } = await api.post<BulkReport>(
        "/leads/bulk/update",
        { ids: [...chosen], status },
        patient,
      );
      if (failed.length > 0) showProblem(`${counted(failed.length, "lead")} failed: ${failed[0]?.message}`);
      choose(new Set());
      const isFailed = new Set(failed.map(({ id }) => id));
      const undone = before.filter((lead) => !isFailed.has(lead.id) && lead.status !== status);
      showUndo(`${counted(changed, "lead")} set to ${label}.`, async () => {
        for (const [old, leads] of Map.groupBy(undone, (lead) => lead.status))
          await api.post("/leads/bulk/update", { ids: leads.map(({ id }) => id), status: old }, patient);
        onDone();
      });
    } catch (error) {
      showError(error);
    } finally {
      onDone();
    }
  }

  const remove = () =>
    isAll
      ? changeAll({ delete: true, expectedCount: total })
      : run("Deleting", "deleted", (ids) => api.post<BulkReport>("/leads/bulk/delete", { ids }, patient));

  if (progress !== null)
    return (
      <div class="bulk-bar">
        <Progress {...progress} />
        <Button onClick={() => (stopped.current = true)}>Stop</Button>
      </div>
    );
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected leads">
      <p>
        <span>
          <strong>{isAll ? `All ${count(total)}` : count(size)}</strong> selected
        </span>
        {!isAll && size < total && (
          <button type="button" class="link" onClick={chooseAll}>
            Select all {count(total)}
          </button>
        )}
        <button type="button" class="link" onClick={() => choose(new Set())}>
          Clear selection
        </button>
      </p>
      <div class="buttons">
        {can("network:schedule") && (
          <>
            {!isAll && <Button onClick={() => setOpenDialog("schedule")}>Schedule…</Button>}
            {can("network:read") && <Button onClick={() => setOpenDialog("enroll")}>Enroll…</Button>}
          </>
        )}
        {can("leads:write") && (
          <>
            <Menu label="Set status">
              {(Object.keys(leadStatusLabels) as LeadStatus[]).map((status) => (
                <button key={status} type="button" onClick={() => void setStatus(status)}>
                  {leadStatusLabels[status].label}
                </button>
              ))}
            </Menu>
            <Button onClick={() => setOpenDialog("addTag")}>Add tag</Button>
            <Menu label="More">
              <button type="button" onClick={() => setOpenDialog("assign")}>
                Assign…
              </button>
              <button type="button" onClick={() => setOpenDialog("addToList")}>
                Add to a list…
              </button>
              <button type="button" onClick={() => setOpenDialog("removeTag")}>
                Remove a tag…
              </button>
              <button type="button" onClick={() => setOpenDialog("removeFromList")}>
                Remove from a list…
              </button>
            </Menu>
          </>
        )}
        {can("leads:delete") && <Button onClick={() => setOpenDialog("delete")}>Delete</Button>}
      </div>
      {openDialog === "schedule" && (
        <ScheduleDialog
          leads={shown.filter(({ id }) => chosen.has(id))}
          others={[...chosen].filter((id) => shown.every((lead) => lead.id !== id))}
          onClose={close}
          onDone={() => choose(new Set())}
        />
      )}
      {openDialog === "enroll" && (
        <EnrollChosenDialog
          ids={[...chosen]}
          {...(isAll && { all: { size, enroll: (campaignId: string) => void changeAll({ campaignId }) } })}
          onClose={close}
          onEnrolled={() => choose(new Set())}
        />
      )}
      {openDialog === "assign" && (
        <AssignDialog
          size={size}
          onClose={close}
          onAssign={(assignedTo) => void update("Assigning", "assigned", { assignedTo })}
        />
      )}
      {openDialog === "delete" && <DeleteLeadsDialog size={size} onClose={close} onDelete={() => void remove()} />}
      {isNamedChange(openDialog) && (
        <NameDialog
          change={openDialog}
          size={size}
          onClose={close}
          onChange={(what, done, change) => void update(what, done, change)}
        />
      )}
    </div>
  );
}

const others: readonly (OpenDialog | null)[] = ["assign", "delete", "schedule", "enroll", null];

function isNamedChange(dialog: OpenDialog | null): dialog is NamedChange {
  return !others.includes(dialog);
}
