import { useState } from "preact/hooks";
import type { ImportCause } from "../../../../../features/leads/import/cause-model.ts";
import { api, RequestError } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showError } from "../../ui/toast.tsx";
import { typeOf } from "./import-file.ts";
import { outcomeLabels } from "./outcome-labels.ts";

type CausesProps = {
  jobId: string;
  failed: number;
  /** The imported file; null after the page was loaded again. */
  file: File | null;
};

/** Why rows did not become new leads: each reason with its number of rows, and the first of them. */
export function Causes({ jobId, failed, file }: CausesProps) {
  const causes = useResource(
    (signal) => api.get<{ causes: ImportCause[] }>(`/leads/import/${jobId}/causes`, { signal }),
    [jobId],
  );
  return (
    <Section title="Why" actions={failed > 0 && <FailedRows jobId={jobId} failed={failed} file={file} />}>
      <Loaded resource={causes} lines={3}>
        {({ causes }) => (
          <ul class="causes">
            {causes.map((cause) => (
              <Cause key={`${cause.outcome} ${cause.path} ${cause.message}`} cause={cause} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Cause({ cause: { outcome, path, message, rows, samples } }: { cause: ImportCause }) {
  const rest = rows - samples.length;
  return (
    <li class="card cause">
      <p class="cause-head">
        <strong class="number">{count(rows)}</strong>
        <StateBadge words={outcomeLabels} state={outcome} />
        <span>
          {path !== "" && <code>{path}</code>} {message}
        </span>
      </p>
      <p class="small faint">
        {samples.map(({ row, detail, leadId, name }, index) => (
          <span key={row}>
            {index > 0 && " · "}
            Row {count(row)}
            {leadId !== null && name !== null ? (
              <>
                : <Link to={`/leads/${leadId}`}>{name}</Link>
              </>
            ) : (
              detail !== null && `: ${detail}`
            )}
          </span>
        ))}
        {rest > 0 && ` · and ${count(rest)} more`}
      </p>
    </li>
  );
}

/** Downloads the failed rows. If the server no longer keeps them, they are made from the file, which the user selects. */
function FailedRows({ jobId, failed, file }: CausesProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);

  async function download() {
    setIsBusy(true);
    try {
      const response = await api.answer("GET", `/leads/import/${jobId}/failed-rows`);
      await saveRows(response, file?.name ?? "import");
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 409) showError(error);
      else if (file === null) setIsAsking(true);
      else await readAgain(file);
    } finally {
      setIsBusy(false);
    }
  }

  async function readAgain(from: File) {
    setIsBusy(true);
    try {
      const type = typeOf(from);
      const body = from.slice(0, from.size, type);
      const sent = { body, headers: { "content-type": type } };
      await saveRows(await api.answer("POST", `/leads/import/${jobId}/failed-rows`, sent), from.name);
      setIsAsking(false);
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }

  if (isAsking)
    return (
      <FileDrop
        label="Select the imported file again"
        hint="The server no longer keeps its failed rows."
        accept=".csv,.tsv,.txt,.xlsx,.xlsm,.ndjson,.jsonl"
        onFiles={([again]) => again && void readAgain(again)}
      />
    );
  return (
    <Button icon="download" isBusy={isBusy} onClick={() => void download()}>
      {`Download ${counted(failed, "failed row")}`}
    </Button>
  );
}

/** Under the name of the imported file. The rows of a workbook are CSV. */
async function saveRows(response: Response, name: string): Promise<void> {
  const isNdjson = response.headers.get("content-type") === "application/x-ndjson";
  save(await response.blob(), name.replace(/(\.\w+)?$/, ` - failed rows.${isNdjson ? "ndjson" : "csv"}`));
}

function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun once the current task is over.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
