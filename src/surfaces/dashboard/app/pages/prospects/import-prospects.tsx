import { useEffect, useState } from "preact/hooks";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { hasEnded, useJob } from "../../job.ts";
import { Button } from "../../ui/button.tsx";
import { typeOf } from "../import/import-file.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Progress } from "../../ui/meter.tsx";
import { showError } from "../../ui/toast.tsx";

/** Imports a file of people or companies into the directory, and shows the progress. */
export function ImportProspectsDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [jobId, setJobId] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);
  const { data: job } = useJob(jobId);
  const isDone = job !== undefined && job !== null && hasEnded(job);
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone]);

  async function send(file: File | undefined) {
    if (file === undefined) return;
    setIsSending(true);
    try {
      const headers = { "content-type": typeOf(file) };
      setJobId(
        (await api.post<JobView>("/prospecting/import", file, { headers, query: { source: file.name.slice(0, 200) } }))
          .id,
      );
    } catch (error) {
      showError(error);
    } finally {
      setIsSending(false);
    }
  }

  return (
    <Dialog title="Import prospects" onClose={onClose}>
      {jobId === null ? (
        <FileDrop
          label={isSending ? "Uploading…" : "Drop a file of people or companies"}
          hint="CSV or Excel with a header, or NDJSON. Existing entries are updated, not duplicated."
          accept=".csv,.tsv,.xlsx,.xlsm,.ndjson,.jsonl,text/csv"
          onFiles={(files) => void send(files[0])}
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
