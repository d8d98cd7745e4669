import { useEffect, useRef, useState } from "preact/hooks";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { ImportReportOutcome } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { jobStatusLabels, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Progress } from "../../ui/meter.tsx";
import { Section } from "../../ui/page.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { showError } from "../../ui/toast.tsx";
import { Causes } from "./import-causes.tsx";
import { outcomeLabels } from "./outcome-labels.ts";

type ImportJobProps = {
  started: JobView;
  /** Returns to the column mapping. */
  onChange: () => void;
  /** Starts the import after a dry run. */
  onImport: () => void;
  onAnother: () => void;
  onImported?: () => void;
  /** The imported file; absent after the page was loaded again. */
  file?: File;
  /** Imports the file again and adds to the leads that exist. */
  onUpdate?: () => void;
};

type Counts = {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  dryRun: boolean;
  encoding?: string;
};

/** Often enough for smooth progress. */
const lookMs = 500;

/** Progress of an import, and its report once it has ended. */
export function ImportJob({ started, onChange, onImport, onAnother, onImported, file, onUpdate }: ImportJobProps) {
  const {
    data: job = started,
    error,
    reload,
  } = useResource((signal) => api.get<JobView>(`/users/jobs/${started.id}`, { signal }), [started.id]);
  const isOver = job.status === "completed" || job.status === "failed";
  const known = knownIn(job);
  const allKnown = known > 0 && known === (job.metadata as unknown as Counts).rows && onUpdate !== undefined;
  const told = useRef(false);
  const counts = job.metadata as unknown as Counts;

  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(reload, lookMs);
    return () => clearInterval(timer);
  }, [isOver, reload]);
  useEffect(() => {
    if (job.status !== "completed" || counts.dryRun || told.current) return;
    told.current = true;
    onImported?.();
  }, [job.status, counts.dryRun, onImported]);

  async function cancel() {
    try {
      await api.post(`/users/jobs/${job.id}/cancel`);
      reload();
    } catch (thrown) {
      showError(thrown);
    }
  }

  return (
    <div class="import-job">
      {error && <ErrorState error={error} retry={reload} />}
      <div class="card form" aria-live="polite">
        <div class="badges">
          <h2>{titleOf(job, counts)}</h2>
          {job.status === "failed" && <StateBadge words={jobStatusLabels} state={job.status} />}
        </div>
        {!isOver && <Progress label={counts.dryRun ? "Checking" : "Importing"} percent={job.progress} />}
        <dl class="counts">
          {(["created", "updated", "skipped", "failed"] as const).map((name) => (
            <div key={name} class={`count-of ${name}`}>
              <dt>{countLabels[name]}</dt>
              <dd class="number">{count(counts[name])}</dd>
            </div>
          ))}
        </dl>
        {counts.encoding !== undefined && (
          <p class="faint">
            Encoding: {counts.encoding}. If names look wrong, save the file as CSV UTF-8 and import it again.
          </p>
        )}
        {job.status === "failed" && <p class="bad-text">{job.message}</p>}
        {isOver && known > 0 && onUpdate !== undefined && (
          <div class="notice">
            <p>
              {allKnown ? `All ${count(known)} people are` : counted(known, "person is", "people are")} among your leads
              already and {counts.dryRun ? "would be" : known === 1 ? "was" : "were"} left unchanged. The file can fill
              in what they lack.
            </p>
            <Button kind={allKnown ? "primary" : "plain"} onClick={onUpdate}>
              {`Update the ${counted(known, "existing lead")}`}
            </Button>
          </div>
        )}
        <div class="buttons">
          {!isOver && <Button onClick={() => void cancel()}>Cancel</Button>}
          {isOver && counts.dryRun && (
            <>
              <Button kind="primary" onClick={onImport}>
                Import now
              </Button>
              <Button onClick={onChange}>Change columns</Button>
            </>
          )}
          {isOver && !counts.dryRun && (
            <>
              {job.status === "failed" && <Button onClick={onChange}>Change columns</Button>}
              <Link to="/leads" class={`button ${allKnown ? "plain" : "primary"}`}>
                View leads
              </Link>
            </>
          )}
          {isOver && <Button onClick={onAnother}>Import another file</Button>}
        </div>
      </div>
      {isOver && counts.updated + counts.skipped + counts.failed > 0 && (
        <Causes jobId={job.id} failed={counts.failed} file={file ?? null} />
      )}
      {isOver && counts.updated + counts.skipped + counts.failed > 0 && <Report jobId={job.id} counts={counts} />}
    </div>
  );
}

/** People who were skipped because they are leads already. */
function knownIn({ metadata }: JobView): number {
  const { skipped = 0, doNotContact = 0, onDuplicate } = metadata as Partial<Record<string, unknown>>;
  return onDuplicate === "skip" ? Number(skipped) - Number(doNotContact) : 0;
}

const countLabels = { created: "New", updated: "Updated", skipped: "Skipped", failed: "Failed" };

function titleOf({ status }: JobView, { rows, dryRun }: Counts): string {
  if (status === "failed") return dryRun ? "The check failed" : "The import failed";
  if (status !== "completed") return dryRun ? "Checking the file" : "Importing the file";
  return dryRun ? `Checked ${counted(rows, "row")}. Nothing is stored yet.` : `Imported ${counted(rows, "row")}`;
}

type ReportRow = {
  row: number;
  outcome: ImportReportOutcome;
  leadId: string | null;
  errors: { path: string; message: string }[];
};
type ReportPage = { rows: ReportRow[]; nextRow: number | null };

const columns: readonly Column<ReportRow>[] = [
  { id: "row", header: "Row", align: "right", cell: ({ row }) => count(row) },
  { id: "outcome", header: "Outcome", cell: ({ outcome }) => <StateBadge words={outcomeLabels} state={outcome} /> },
  {
    id: "why",
    header: "Details",
    cell: ({ errors, outcome }) =>
      errors.length > 0
        ? errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join(" ")
        : outcome === "skipped"
          ? "Already a lead."
          : outcome === "updated" && "Merged into the existing lead.",
  },
  {
    id: "lead",
    header: "Lead",
    hideBelow: "small",
    cell: ({ leadId }) => leadId && <Link to={`/leads/${leadId}`}>View lead</Link>,
  },
];

/** Outcome of each row. By default, lists the rows that did not become new leads, with the reason. */
function Report({ jobId, counts }: { jobId: string; counts: Counts }) {
  const [outcome, setOutcome] = useState<ImportReportOutcome | "">("");
  const [pages, setPages] = useState<number[]>([0]);
  const afterRow = pages.at(-1) ?? 0;
  const report = useResource(
    (signal) =>
      api.get<ReportPage>(`/leads/import/${jobId}/report`, { query: { outcome, afterRow, limit: 50 }, signal }),
    [jobId, outcome, afterRow],
  );
  const nextRow = report.data?.nextRow ?? null;
  return (
    <Section
      title="Rows"
      actions={
        <label class="inline">
          <span class="visually-hidden">Outcome</span>
          <select
            value={outcome}
            onChange={(event) => {
              setOutcome(event.currentTarget.value as ImportReportOutcome | "");
              setPages([0]);
            }}
          >
            <option value="">All rows without a new lead</option>
            <option value="created">Created ({count(counts.created)})</option>
            <option value="failed">Failed ({count(counts.failed)})</option>
            <option value="skipped">Skipped ({count(counts.skipped)})</option>
            <option value="updated">Updated ({count(counts.updated)})</option>
          </select>
        </label>
      }
    >
      <DataTable
        label="Import report"
        columns={columns}
        rows={report.data?.rows}
        rowKey={({ row }) => String(row)}
        error={report.error}
        retry={report.reload}
        isLoading={report.isLoading}
        paging={{
          hasPrevious: pages.length > 1,
          hasNext: nextRow !== null,
          toPrevious: () => setPages(pages.slice(0, -1)),
          toNext: () => nextRow !== null && setPages([...pages, nextRow]),
        }}
        empty={<p class="faint">No rows with this outcome.</p>}
      />
    </Section>
  );
}
