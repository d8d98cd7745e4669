import { useRef, useState } from "preact/hooks";
import type { BulkReport } from "../../../../../features/leads/bulk-model.ts";
import type { LeadStatus, LeadView } from "../../../../../features/leads/model.ts";
import { api, longPatienceSeconds } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { can } from "../../session.ts";
import { leadStatusLabels } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField, useForm } from "../../ui/form.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Progress } from "../../ui/meter.tsx";
import { showSuccess, showError, showProblem } from "../../ui/toast.tsx";
import { EnrollChosenDialog } from "./enroll-chosen.tsx";
import { AssignDialog } from "./assign-dialog.tsx";
import type { FilterName, LeadPage } from "./lead-query.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";

type BulkBarProps = {
  chosen: ReadonlySet<string>;
  choose: (chosen: ReadonlySet<string>) => void;
  filters: Partial<Record<FilterName, string>>;
  total: number;
  shown: readonly LeadView[];
  onDone: () => void;
};

/** A hundred thousand leads take more requests than the rate limit allows per minute. */
const patient = { patienceSeconds: longPatienceSeconds };
/** Limit of the API per request. */
const idsAtOnce = 500;

type OpenDialog = "assign" | "addTag" | "removeTag" | "delete" | "schedule" | "enroll";

/** Actions for the selected leads, on this page and on others. */
export function BulkBar({ chosen, choose, filters, total, shown, onDone }: BulkBarProps) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [progress, setProgress] = useState<{ label: string; percent: number } | null>(null);
  const stopped = useRef(false);
  const reading = useRef<AbortController | null>(null);

  /** Sends the IDs in batches and shows the result. */
  async function run(what: string, done: string, send: (ids: string[]) => Promise<BulkReport>) {
    setOpenDialog(null);
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

  const update = (what: string, done: string, change: object) =>
    run(what, done, (ids) => api.post<BulkReport>("/leads/bulk/update", { ids, ...change }, patient));

  async function chooseAll() {
    reading.current = new AbortController();
    const { signal } = reading.current;
    const all = new Set(chosen);
    let cursor: string | null = null;
    try {
      do {
        setProgress({ label: "Selecting", percent: (all.size / Math.max(total, 1)) * 100 });
        const page: LeadPage = await api.get<LeadPage>("/leads", {
          query: { ...filters, sort: "-createdAt", limit: 100, cursor },
          signal,
          ...patient,
        });
        for (const { id } of page.leads) all.add(id);
        cursor = page.nextCursor;
      } while (cursor !== null);
    } catch (error) {
      if (!signal.aborted) showError(error);
    } finally {
      // Leads read before a stop or an error stay selected.
      choose(all);
      setProgress(null);
    }
  }

  if (progress !== null)
    return (
      <div class="bulk-bar">
        <Progress {...progress} />
        <Button
          onClick={() => {
            stopped.current = true;
            reading.current?.abort();
          }}
        >
          Stop
        </Button>
      </div>
    );
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected leads">
      <p>
        <strong>{count(chosen.size)}</strong> selected
        {chosen.size < total && (
          <button type="button" class="link" onClick={() => void chooseAll()}>
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
            <Button onClick={() => setOpenDialog("schedule")}>Schedule…</Button>
            {can("network:read") && <Button onClick={() => setOpenDialog("enroll")}>Enroll…</Button>}
          </>
        )}
        {can("leads:write") && (
          <>
            <Menu label="Set status">
              {(Object.keys(leadStatusLabels) as LeadStatus[]).map((status) => (
                <button
                  key={status}
                  type="button"
                  onClick={() => void update("Changing", `set to ${leadStatusLabels[status].label}`, { status })}
                >
                  {leadStatusLabels[status].label}
                </button>
              ))}
            </Menu>
            <Button onClick={() => setOpenDialog("assign")}>Assign…</Button>
            <Button onClick={() => setOpenDialog("addTag")}>Add tag</Button>
            <Button onClick={() => setOpenDialog("removeTag")}>Remove tag</Button>
          </>
        )}
        {can("leads:delete") && <Button onClick={() => setOpenDialog("delete")}>Delete</Button>}
      </div>
      {openDialog === "schedule" && (
        <ScheduleDialog
          leads={shown.filter(({ id }) => chosen.has(id))}
          others={[...chosen].filter((id) => shown.every((lead) => lead.id !== id))}
          onClose={() => setOpenDialog(null)}
          onDone={() => choose(new Set())}
        />
      )}
      {openDialog === "enroll" && (
        <EnrollChosenDialog
          ids={[...chosen]}
          onClose={() => setOpenDialog(null)}
          onEnrolled={() => choose(new Set())}
        />
      )}
      {openDialog === "assign" && (
        <AssignDialog
          size={chosen.size}
          onClose={() => setOpenDialog(null)}
          onAssign={(assignedTo) => void update("Assigning", "assigned", { assignedTo })}
        />
      )}
      {(openDialog === "addTag" || openDialog === "removeTag") && (
        <TagDialog
          isAdded={openDialog === "addTag"}
          size={chosen.size}
          onClose={() => setOpenDialog(null)}
          onTag={(tag) =>
            void (openDialog === "addTag"
              ? update("Tagging", `tagged ${tag}`, { addTags: [tag] })
              : update("Removing tag", `untagged ${tag}`, { removeTags: [tag] }))
          }
        />
      )}
      {openDialog === "delete" && (
        <Dialog title={`Delete ${counted(chosen.size, "lead")}?`} onClose={() => setOpenDialog(null)}>
          <p>The leads are permanently deleted, with their notes and tags. Their pending actions are not executed.</p>
          <footer class="buttons">
            <Button onClick={() => setOpenDialog(null)}>Cancel</Button>
            <Button
              kind="danger"
              onClick={() =>
                void run("Deleting", "deleted", (ids) => api.post<BulkReport>("/leads/bulk/delete", { ids }, patient))
              }
            >
              Delete {counted(chosen.size, "lead")}
            </Button>
          </footer>
        </Dialog>
      )}
    </div>
  );
}

type TagDialogProps = { isAdded: boolean; size: number; onClose: () => void; onTag: (tag: string) => void };

function TagDialog({ isAdded, size, onClose, onTag }: TagDialogProps) {
  const form = useForm({ tag: "" }, async ({ tag }) => {
    if (tag.trim() !== "") onTag(tag.trim());
  });
  return (
    <Dialog
      title={isAdded ? `Tag ${counted(size, "lead")}` : `Remove tag from ${counted(size, "lead")}`}
      onClose={onClose}
    >
      <form onSubmit={form.onSubmit}>
        <TextField form={form} name="tag" label="Tag" maxLength={100} autofocus required />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            {isAdded ? "Add tag" : "Remove tag"}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
