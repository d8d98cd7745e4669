import type { WorkspaceId } from "../../platform/base/ids.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";
import type { ImportCause } from "./import/cause-model.ts";
import { ImportCauses } from "./import/causes.ts";
import { failedRowsCsv } from "./import/failed-rows.ts";
import { failedRowsOptions, readable, utf8 } from "./import/failed-rows-file.ts";
import {
  failedRowsDays,
  maxFailedRowsBytes,
  notKeptText,
  type KeptFailedRows,
  type NotKept,
} from "./kept-failed-rows.ts";
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
  for await (const row of imports.rows({ ...report, outcome: null })) causes.add(row);
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
  const failed = imports.rows({ workspaceId, jobId, outcome: "failed" });
  return utf8(readable(failedRowsCsv(file, failed, failedRowsOptions(settings, metadata))));
}

/** The failed rows of an import that are kept. Throws CONFLICT if there are none, with the way to get them. */
export async function keptFailedRowsOf(
  imports: LeadImports,
  kept: KeptFailedRows,
  workspaceId: WorkspaceId,
  jobId: string,
): Promise<BlobContent> {
  const { id, status, metadata } = await imports.job(workspaceId, jobId);
  const content = status === "completed" ? await kept.find({ workspaceId, id }) : null;
  if (content !== null) return content;
  if (status === "pending" || status === "running")
    throw new ApiError("CONFLICT", { message: "The import has not ended yet. Wait for it, then try again." });
  const { failedRowsNotKept } = metadata as { failedRowsNotKept?: NotKept };
  const reason =
    failedRowsNotKept === undefined
      ? `The failed rows of this import are not kept: they are, for ${failedRowsDays} days, for CSV files up to ${maxFailedRowsBytes / 2 ** 20} MB of failed rows`
      : notKeptText[failedRowsNotKept];
  throw new ApiError("CONFLICT", { message: `${reason}. Send the file with POST to get them.` });
}
