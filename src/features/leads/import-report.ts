import type { WorkspaceId } from "../../platform/base/ids.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import { ImportFileError } from "../../platform/imports/import-file-error.ts";
import type { ImportCause } from "./import/cause-model.ts";
import { ImportCauses } from "./import/causes.ts";
import { failedRowsCsv } from "./import/failed-rows.ts";
import type { ImportSettings, LeadImports } from "./import-job.ts";
import type { LeadService } from "./service.ts";

/** The causes for which rows did not become new leads, with the names of the leads in the samples. */
export async function causesOf(
  imports: LeadImports,
  leads: Pick<LeadService, "find">,
  workspaceId: WorkspaceId,
  jobId: string,
): Promise<ImportCause[]> {
  await imports.job(workspaceId, jobId);
  const report = { workspaceId, jobId };
  const causes = new ImportCauses();
  for await (const row of imports.rows((afterRow, limit) => ({ ...report, outcome: null, afterRow, limit })))
    causes.add(row);
  return Promise.all(
    causes.all.map(async (cause) => ({
      ...cause,
      samples: await Promise.all(
        cause.samples.map(async (sample) => {
          const lead = sample.leadId === null ? null : await leads.find(workspaceId, sample.leadId);
          const name = [lead?.firstName, lead?.lastName].filter(Boolean).join(" ") || lead?.email || null;
          return { ...sample, name };
        }),
      ),
    })),
  );
}

/** The file of the failed rows of an import, made from the file that was imported. */
export async function failedRowsOf(
  imports: LeadImports,
  workspaceId: WorkspaceId,
  jobId: string,
  file: AsyncIterable<Uint8Array> | null,
): Promise<AsyncIterable<Uint8Array>> {
  const { status, metadata, payload } = await imports.job(workspaceId, jobId);
  if (status !== "completed" && status !== "failed")
    throw new ApiError("CONFLICT", { message: "The import has not ended yet. Wait for it, then try again." });
  if (file === null) throw invalid([{ path: "", message: "Send the file of the import as the body." }]);
  const settings = payload as Partial<ImportSettings>;
  if (settings.format === "ndjson")
    throw invalid([{ path: "", message: "Only the rows of a CSV file can be returned as a file." }]);
  if (metadata["sheet"] !== undefined)
    throw invalid([
      {
        path: "",
        message: "Only the rows of a CSV file can be returned as a file. The report lists those of a workbook.",
      },
    ]);
  const { encoding, columns } = metadata as { encoding?: string; columns?: Record<string, string> };
  const rows = failedRowsCsv(
    file,
    imports.rows((afterRow, limit) => ({ workspaceId, jobId, outcome: "failed", afterRow, limit })),
    {
      encoding: encoding ?? "utf-8",
      delimiter: settings.delimiter ?? null,
      columns: settings.columns ?? null,
      headers: columns === undefined ? null : Object.keys(columns),
    },
  );
  return utf8(readable(rows));
}

/** A file that cannot be read at all is not the one that was imported. */
async function* readable(rows: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof ImportFileError) throw new ApiError("CONFLICT", { message: error.message });
    throw error;
  }
}

async function* utf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
