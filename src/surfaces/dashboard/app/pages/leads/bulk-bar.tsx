import { useRef, useState } from "preact/hooks";
import type { BulkReport } from "../../../../../features/leads/bulk-model.ts";
import type { LeadStatus, LeadView } from "../../../../../features/leads/model.ts";
import { api, longPatienceSeconds } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { may } from "../../session.ts";
import { leadStatusWords } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField, useForm } from "../../ui/form.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Progress } from "../../ui/meter.tsx";
import { tell, tellError, tellProblem } from "../../ui/toast.tsx";
import { EnrollChosenDialog } from "./enroll-chosen.tsx";
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

type Asked = "addTag" | "removeTag" | "delete" | "schedule" | "enroll";

/** Actions for the selected leads, on this page and on others. */
export function BulkBar({ chosen, choose, filters, total, shown, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [progress, setProgress] = useState<{ label: string; percent: number } | null>(null);
  const stopped = useRef(false);
  const reading = useRef<AbortController | null>(null);

  /** Sends the IDs in batches and shows the result. */
  async function run(what: string, done: string, send: (ids: string[]) => Promise<BulkReport>) {
    setAsked(null);
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
      tell(`${counted(changed, "lead")} ${done}.${stopped.current ? " Stopped before the rest." : ""}`);
      if (failed.length > 0) tellProblem(`${counted(failed.length, "lead")} failed: ${failed[0]?.message}`);
      choose(new Set(failed.map(({ id }) => id)));
    } catch (error) {
      tellError(error);
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
      if (!signal.aborted) tellError(error);
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
        {may("network:schedule") && (
          <>
            <Button onClick={() => setAsked("schedule")}>Schedule…</Button>
            {may("network:read") && <Button onClick={() => setAsked("enroll")}>Enroll…</Button>}
          </>
        )}
        {may("leads:write") && (
          <>
            <Menu label="Set status">
              {(Object.keys(leadStatusWords) as LeadStatus[]).map((status) => (
                <button
                  key={status}
                  type="button"
                  onClick={() => void update("Changing", `set to ${leadStatusWords[status].label}`, { status })}
                >
                  {leadStatusWords[status].label}
                </button>
              ))}
            </Menu>
            <Button onClick={() => setAsked("addTag")}>Add tag</Button>
            <Button onClick={() => setAsked("removeTag")}>Remove tag</Button>
          </>
        )}
        {may("leads:delete") && <Button onClick={() => setAsked("delete")}>Delete</Button>}
      </div>
      {asked === "schedule" && (
        <ScheduleDialog
          leads={shown.filter(({ id }) => chosen.has(id))}
          others={[...chosen].filter((id) => shown.every((lead) => lead.id !== id))}
          onClose={() => setAsked(null)}
          onDone={() => choose(new Set())}
        />
      )}
      {asked === "enroll" && (
        <EnrollChosenDialog ids={[...chosen]} onClose={() => setAsked(null)} onEnrolled={() => choose(new Set())} />
      )}
      {(asked === "addTag" || asked === "removeTag") && (
        <TagDialog
          isAdded={asked === "addTag"}
          size={chosen.size}
          onClose={() => setAsked(null)}
          onTag={(tag) =>
            void (asked === "addTag"
              ? update("Tagging", `tagged ${tag}`, { addTags: [tag] })
              : update("Removing tag", `untagged ${tag}`, { removeTags: [tag] }))
          }
        />
      )}
      {asked === "delete" && (
        <Dialog title={`Delete ${counted(chosen.size, "lead")}?`} onClose={() => setAsked(null)}>
          <p>The leads are permanently deleted, with their notes and tags. Their pending actions are not executed.</p>
          <footer class="buttons">
            <Button onClick={() => setAsked(null)}>Cancel</Button>
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
