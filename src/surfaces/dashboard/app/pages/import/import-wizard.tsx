import { useState } from "preact/hooks";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { ImportPreview } from "../../../../../features/leads/import/preview-model.ts";
import type { ImportOnDuplicate } from "../../../../../features/leads/model.ts";
import { RequestError } from "../../api.ts";
import { fileSize } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { SelectField, TextField, useForm } from "../../ui/form.tsx";
import { memberChoices, useMembers } from "../../team.ts";
import { Section } from "../../ui/page.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { ColumnMap } from "./column-map.tsx";
import { previewFile, startImport, type ColumnChoices } from "./import-file.ts";
import { ImportJob } from "./import-job.tsx";
import { PreviewRows } from "./preview-rows.tsx";
import { SheetChoice } from "./sheet-choice.tsx";

type Read = { file: File; sheet: string | null; columns: ColumnChoices; preview: ImportPreview };

/** Imports a file as leads: column mapping, optional dry run, import, report. */
export function ImportWizard({ onImported }: { onImported?: () => void }) {
  const [read, setRead] = useState<Read | null>(null);
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<RequestError | null>(null);
  const [job, setJob] = useState<JobView | null>(null);
  const [isSending, setIsSending] = useState<"check" | "import" | null>(null);
  const form = useForm({ onDuplicate: "skip", tags: "", source: "", assignTo: "" }, async () => send(false));

  const members = useMembers(read !== null);

  async function look(file: File, sheet: string | null, columns: ColumnChoices) {
    setIsReading(true);
    setError(null);
    try {
      setRead({ file, sheet, columns, preview: await previewFile(file, sheet, columns) });
    } catch (thrown) {
      setError(asError(thrown));
    } finally {
      setIsReading(false);
    }
  }

  async function send(isDryRun: boolean, change: { onDuplicate?: string } = {}) {
    if (read === null) return;
    setIsSending(isDryRun ? "check" : "import");
    setError(null);
    try {
      const { onDuplicate, tags, source, assignTo } = { ...form.values, ...change };
      const options = { onDuplicate: onDuplicate as ImportOnDuplicate, tags, source, assignTo };
      setJob(await startImport(read.file, read.sheet, read.columns, options, isDryRun));
    } catch (thrown) {
      setError(asError(thrown));
    } finally {
      setIsSending(null);
    }
  }

  function startOver() {
    setRead(null);
    setJob(null);
    setError(null);
  }

  if (job !== null)
    return (
      <ImportJob
        key={job.id}
        started={job}
        onChange={() => setJob(null)}
        onImport={() => void send(false)}
        onAnother={startOver}
        {...(read !== null && { file: read.file })}
        onUpdate={() => void send(false, { onDuplicate: "update" })}
        {...(onImported && { onImported })}
      />
    );

  if (read === null)
    return (
      <>
        {error && <ErrorState error={error} />}
        {isReading ? (
          <Skeleton lines={4} />
        ) : (
          <FileDrop
            label="Drop a file here or select one"
            hint="CSV, Excel, or NDJSON. The delimiter, the encoding, and headers in six languages are detected."
            accept=".csv,.tsv,.txt,.xlsx,.xlsm,.ndjson,.jsonl"
            onFiles={([file]) => file && void look(file, null, {})}
          />
        )}
      </>
    );

  const { file, sheet, columns, preview } = read;
  return (
    <form onSubmit={form.onSubmit} aria-busy={isReading}>
      <div class="notice">
        <p>
          <strong>{file.name}</strong>{" "}
          <span class="faint">
            {fileSize(file.size)}
            {preview.encoding !== null && ` · ${preview.encoding}`}
            {preview.delimiter !== null && ` · separated by ${delimiterLabels[preview.delimiter] ?? preview.delimiter}`}
          </span>
        </p>
        <Button onClick={startOver}>Select another file</Button>
      </div>
      {error && <ErrorState error={error} />}
      {preview.sheets.length > 1 && (
        <SheetChoice
          sheets={preview.sheets}
          sheet={preview.sheet ?? ""}
          onChoose={(sheet) => void look(file, sheet, {})}
        />
      )}
      {preview.problem !== null && (
        <div class="notice warn" role="alert">
          <p>
            These columns do not identify a person. Map a column to Email or Profile, or map the name and the company. (
            {preview.problem.split(". ")[0]}.)
          </p>
        </div>
      )}
      {preview.problem === null && preview.columns.every(({ target }) => target !== "networkUrl") && (
        <div class="notice">
          <p>
            No column contains profile URLs. You can import these people, but you cannot send them anything on the
            network until they have one. Add it manually, by enrichment, or from another file.
          </p>
        </div>
      )}
      <Section title="Columns">
        <ColumnMap
          preview={preview}
          choose={(header, target) => void look(file, sheet, { ...columns, [header]: target })}
        />
      </Section>
      {preview.rows.length > 0 && (
        <Section title="Preview">
          <PreviewRows rows={preview.rows} />
        </Section>
      )}
      <Section title="Options">
        <div class="fields card">
          <SelectField
            form={form}
            name="onDuplicate"
            label="Existing leads"
            choices={[
              { value: "skip", label: "Skip" },
              { value: "update", label: "Fill in missing values" },
              { value: "create", label: "Create duplicates" },
            ]}
          />
          {members.length > 1 && (
            <SelectField
              form={form}
              name="assignTo"
              label="Owner of new leads"
              choices={[
                { value: "", label: "Unassigned" },
                { value: "roundRobin", label: "All members in turn" },
                ...memberChoices(members),
              ]}
            />
          )}
          <TextField
            form={form}
            name="tags"
            label="Tags"
            isOptional
            hint="Added to every imported lead. Separate tags with commas."
          />
          <TextField
            form={form}
            name="source"
            label="Source"
            isOptional
            hint="Used for rows without a source."
            maxLength={200}
          />
        </div>
      </Section>
      <div class="buttons section">
        <Button
          kind="primary"
          type="submit"
          isBusy={isSending === "import"}
          disabled={preview.problem !== null || isSending === "check"}
        >
          Import
        </Button>
        <Button
          isBusy={isSending === "check"}
          disabled={preview.problem !== null || isSending === "import"}
          onClick={() => void send(true)}
        >
          Dry run
        </Button>
      </div>
    </form>
  );
}

const delimiterLabels: Record<string, string> = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

function asError(thrown: unknown): RequestError {
  return thrown instanceof RequestError ? thrown : new RequestError(String(thrown));
}
