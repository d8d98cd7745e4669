import { useEffect, useRef, useState } from "preact/hooks";
import type { LeadView } from "../../../../../features/leads/model.ts";
import type { TaskOutcome, TaskView } from "../../../../../features/network/action-model.ts";
import { api, downloadUrl } from "../../api.ts";
import { copyText } from "../../clipboard.ts";
import { count, counted } from "../../format.ts";
import { actionLabels } from "../../network.ts";
import { handleOf, targetOf } from "../../person.ts";
import { RecordNews, type NewsEvent } from "../../record-news.tsx";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { isForPage, useShortcutHelp } from "../../shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextArea, useForm } from "../../ui/form.tsx";
import { OutsideLink, webAddress } from "../../ui/outside-link.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError, showProblem } from "../../ui/toast.tsx";

type TaskPage = { tasks: TaskView[]; total: number };

const outcomeLabels: Record<TaskOutcome, string> = {
  completed: "Completed",
  failed: "Marked as failed",
  skipped: "Skipped",
};

/** Actions for a person, one after the other, with keyboard shortcuts. */
export function WorkPage() {
  const page = useResource((signal) => api.get<TaskPage>("/network/tasks", { query: { limit: 100 }, signal }), [], {
    pollMs: 10_000,
    events: ["action."],
  });
  return (
    <PageFrame
      title="Work list"
      back={{ to: "/queue", label: "Queue" }}
      {...(page.data && page.data.total > 0 && { lead: `${counted(page.data.total, "action")} waiting for you.` })}
    >
      <Loaded resource={page} lines={6}>
        {({ tasks, total }) =>
          tasks.length === 0 ? (
            <EmptyState icon="check" title="All done">
              <p>
                Actions of accounts with the connector “A person” appear here when they are due. Open the profile, copy
                the text, and report the outcome.
              </p>
            </EmptyState>
          ) : (
            <WorkList
              tasks={tasks}
              reload={page.reload}
              onEnd={(jobId) => {
                page.replace({ tasks: tasks.filter((task) => task.jobId !== jobId), total: total - 1 });
                page.reload();
              }}
            />
          )
        }
      </Loaded>
    </PageFrame>
  );
}

const shortcuts = [
  { keys: "O", label: "Open the profile" },
  { keys: "C", label: "Copy the text" },
  { keys: "D", label: "Done" },
  { keys: "F", label: "Failed" },
  { keys: "S", label: "Skip" },
  { keys: "R", label: "Record a reply" },
  { keys: "A", label: "Mark as accepted" },
  { keys: "J →", label: "Next action" },
  { keys: "K ←", label: "Previous action" },
];

type WorkListProps = { tasks: readonly TaskView[]; reload: () => void; onEnd: (jobId: string) => void };

function WorkList({ tasks, reload, onEnd }: WorkListProps) {
  const [currentId, setCurrentId] = useState(tasks[0]?.jobId);
  const [busy, setBusy] = useState<TaskOutcome | null>(null);
  const [isFailing, setIsFailing] = useState(false);
  const [news, setNews] = useState<NewsEvent | null>(null);
  const found = tasks.findIndex(({ jobId }) => jobId === currentId);
  const lastPlace = useRef(0);
  // If the current action is gone, show the one that took its place.
  const at = found === -1 ? Math.min(lastPlace.current, tasks.length - 1) : found;
  lastPlace.current = at;
  const task = tasks[at];
  const canEnd = can("network:schedule");
  useShortcutHelp("Work list", shortcuts);

  async function end(outcome: TaskOutcome, note?: string) {
    if (task === undefined || busy !== null || !canEnd) return;
    setBusy(outcome);
    try {
      await api.post(`/network/tasks/${task.jobId}/complete`, { outcome, ...(note && { note }) });
      showSuccess(`${outcomeLabels[outcome]}: ${targetOf(task)}`);
      setCurrentId((tasks[at + 1] ?? tasks[at - 1])?.jobId);
      onEnd(task.jobId);
    } finally {
      setBusy(null);
    }
  }
  const endWithOutcome = (outcome: TaskOutcome) => void end(outcome).catch(showError);

  async function copy() {
    if (!task?.message) return;
    if (await copyText(task.message)) showSuccess("Copied.");
    else showProblem("Your browser does not allow copying. Select the text and copy it manually.");
  }

  const open = () => {
    const url = task && webAddress(task.profileUrl);
    if (url) window.open(url, "_blank", "noopener,noreferrer");
  };
  const move = (by: number) => setCurrentId(tasks[Math.max(0, Math.min(tasks.length - 1, at + by))]?.jobId);
  const keys: Record<string, () => void> = {
    o: open,
    c: () => void copy(),
    d: () => endWithOutcome("completed"),
    s: () => endWithOutcome("skipped"),
    f: () => canEnd && setIsFailing(true),
    r: () => canEnd && setNews("replied"),
    a: () => canEnd && setNews("accepted"),
    j: () => move(1),
    ArrowRight: () => move(1),
    k: () => move(-1),
    ArrowLeft: () => move(-1),
  };
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (act === undefined || !isForPage(event) || event.repeat) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);

  if (task === undefined) return null;
  return (
    <div class="work">
      <article class="card task" aria-label={`${task.label} to ${targetOf(task)}`}>
        <header>
          <p class="faint small number">
            {count(at + 1)} of {count(tasks.length)} · waiting since <RelativeTime at={task.since} />
          </p>
          <h2 aria-live="polite">
            {actionLabels[task.actionType].label} to {targetOf(task)}
          </h2>
        </header>
        {task.leadId !== null && can("leads:read") && <LeadOfTask key={task.leadId} leadId={task.leadId} />}
        <p>
          <OutsideLink href={task.profileUrl} class="outside button plain">
            Open profile <kbd>O</kbd>
          </OutsideLink>{" "}
          <span class="faint small">{handleOf(task.profileUrl)}</span>
        </p>
        {task.details.subject !== undefined && (
          <p>
            <strong>Subject:</strong> {task.details.subject}
          </p>
        )}
        {task.details.postUrl !== undefined && (
          <p>
            <OutsideLink href={task.details.postUrl}>Open post</OutsideLink>
          </p>
        )}
        {task.message !== null && (
          <div class="task-text">
            <blockquote>{task.message}</blockquote>
            <Button icon="copy" onClick={() => void copy()}>
              Copy text <kbd>C</kbd>
            </Button>
          </div>
        )}
        {task.actionType === "sendVoiceMessage" && (
          <audio controls preload="none" src={downloadUrl(`/network/actions/${task.jobId}/audio`)} />
        )}
        {canEnd && (
          <div class="buttons">
            <span class="faint small">Did the person react?</span>
            <Button kind="quiet" onClick={() => setNews("replied")}>
              Record a reply <kbd>R</kbd>
            </Button>
            <Button kind="quiet" onClick={() => setNews("accepted")}>
              Mark as accepted <kbd>A</kbd>
            </Button>
          </div>
        )}
        <div class="buttons task-ends">
          <Button
            kind="primary"
            icon="check"
            isBusy={busy === "completed"}
            disabled={!canEnd}
            onClick={() => endWithOutcome("completed")}
          >
            Done <kbd>D</kbd>
          </Button>
          <Button icon="close" isBusy={busy === "failed"} disabled={!canEnd} onClick={() => setIsFailing(true)}>
            Failed <kbd>F</kbd>
          </Button>
          <Button icon="skip" isBusy={busy === "skipped"} disabled={!canEnd} onClick={() => endWithOutcome("skipped")}>
            Skip <kbd>S</kbd>
          </Button>
          <span class="task-moves">
            <Button
              icon="left"
              aria-label="Previous (K)"
              title="Previous (K)"
              disabled={at === 0}
              onClick={() => move(-1)}
            />
            <Button
              icon="right"
              aria-label="Next (J)"
              title="Next (J)"
              disabled={at === tasks.length - 1}
              onClick={() => move(1)}
            />
          </span>
        </div>
      </article>
      <nav aria-label="Actions in the list" class="task-list">
        <ol>
          {tasks.map((task, index) => (
            <li key={task.jobId}>
              <button
                type="button"
                aria-current={index === at ? "true" : undefined}
                onClick={() => setCurrentId(task.jobId)}
              >
                <span>{targetOf(task)}</span>
                <span class="faint small">{actionLabels[task.actionType].label}</span>
              </button>
            </li>
          ))}
        </ol>
      </nav>
      {news !== null && (
        <RecordNews
          event={news}
          person={{ name: targetOf(task), profileUrl: task.profileUrl }}
          accountId={task.accountId}
          onClose={() => setNews(null)}
          onRecorded={reload}
        />
      )}
      {isFailing && <FailDialog onClose={() => setIsFailing(false)} onFail={(note) => end("failed", note)} />}
    </div>
  );
}

/** Summary of the lead. */
function LeadOfTask({ leadId }: { leadId: string }) {
  const { data } = useResource((signal) => api.get<LeadView>(`/leads/${leadId}`, { signal }), [leadId]);
  if (data === undefined) return null;
  return (
    <p>
      <span class="faint">{[data.title, data.company, data.location].filter(Boolean).join(" · ")}</span>{" "}
      <Link to={`/leads/${leadId}`}>View lead</Link>
      {data.notes && <span class="task-notes">{data.notes}</span>}
    </p>
  );
}

function FailDialog({ onClose, onFail }: { onClose: () => void; onFail: (note: string) => Promise<void> }) {
  const form = useForm({ note: "" }, async ({ note }) => {
    await onFail(note.trim());
    onClose();
  });
  return (
    <Dialog title="Mark as failed" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextArea form={form} name="note" label="What happened" isOptional maxLength={1000} rows={3} autofocus />
        <footer class="buttons">
          <Button onClick={onClose}>Back</Button>
          <Button kind="danger" type="submit" isBusy={form.isBusy}>
            Mark as failed
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
