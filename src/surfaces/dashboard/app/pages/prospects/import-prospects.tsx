import { useEffect, useState } from "preact/hooks";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { hasEnded, useJob } from "../../job.ts";
import { Button } from "../../ui/button.tsx";
import { isWorkbook, previewFile, typeOf } from "../import/import-file.ts";
import { SheetChoice } from "../import/sheet-choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Progress } from "../../ui/meter.tsx";
import { showError } from "../../ui/toast.tsx";

/** A workbook with several sheets, of which the user chooses one. */
type Workbook = { file: File; sheets: readonly string[]; sheet: string };

/** Imports a file of people or companies into the directory, and shows the progress. */
export function ImportProspectsDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [jobId, setJobId] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [workbook, setWorkbook] = useState<Workbook | null>(null);
  const { data: job } = useJob(jobId);
  const isDone = job !== undefined && job !== null && hasEnded(job);
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone]);

  /** Imports the file, unless it has several sheets. */
  async function take(file: File | undefined) {
    if (file === undefined) return;
    await attempt(async () => {
      // The list of sheets comes from the import of leads, which requires the same permission.
      const preview = isWorkbook(file) ? await previewFile(file, null, {}) : null;
      if (preview !== null && preview.sheets.length > 1)
        setWorkbook({ file, sheets: preview.sheets, sheet: preview.sheet ?? preview.sheets[0]! });
      else await send(file, null);
    });
  }

  async function send(file: File, sheet: string | null) {
    const headers = { "content-type": typeOf(file) };
    const query = { source: file.name.slice(0, 200), sheet };
    setJobId((await api.post<JobView>("/prospecting/import", file, { headers, query })).id);
  }

  async function attempt(what: () => Promise<void>) {
    setIsSending(true);
    try {
      await what();
    } catch (error) {
      showError(error);
    } finally {
      setIsSending(false);
    }
  }

  return (
    <Dialog title="Import prospects" onClose={onClose}>
      {jobId === null && workbook !== null ? (
        <>
          <p>
            <strong>{workbook.file.name}</strong> has several sheets.
          </p>
          <SheetChoice
            sheets={workbook.sheets}
            sheet={workbook.sheet}
            onChoose={(sheet) => setWorkbook({ ...workbook, sheet })}
          />
        </>
      ) : jobId === null ? (
        <FileDrop
          label={isSending ? "Uploading…" : "Drop a file of people or companies"}
          hint="CSV or Excel with a header, or NDJSON. Existing entries are updated, not duplicated."
          accept=".csv,.tsv,.xlsx,.xlsm,.ndjson,.jsonl,text/csv"
          onFiles={(files) => void take(files[0])}
        />
      ) : (
        <>
          <Progress label={job?.message ?? "Starting"} percent={job?.progress ?? 0} />
          {isDone && <Outcome job={job} />}
        </>
      )}
      <footer class="buttons">
        <Button kind={isDone ? "primary" : "plain"} onClick={onClose}>
          {isDone ? "Done" : "Close"}
        </Button>
        {jobId === null && workbook !== null && (
          <Button
            kind="primary"
            isBusy={isSending}
            onClick={() => void attempt(() => send(workbook.file, workbook.sheet))}
          >
            Import
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

function Outcome({ job: { status, message, metadata } }: { job: JobView }) {
  if (status === "failed")
    return (
      <p class="notice danger" role="alert">
        {message}
      </p>
    );
  const number = (name: string) => Number(metadata[name] ?? 0);
  return (
    <p role="status">
      {counted(number("created"), "prospect")} added, {number("updated")} updated, {number("skipped")} skipped,{" "}
      {number("failed")} failed.
    </p>
  );
}
