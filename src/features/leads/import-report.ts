import type { WorkspaceId } from "../../platform/base/ids.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";
import type { HeldFiles } from "../../platform/imports/held-files.ts";
import { workbookCsv } from "../../platform/imports/workbook-csv.ts";
import type { JobMetadata } from "../../platform/jobs/model.ts";
import type { ImportCause } from "./import/cause-model.ts";
import { ImportCauses } from "./import/causes.ts";
import { failedRowsText } from "./import/failed-rows.ts";
import { failedRowsOptions, readable, sheetOf, utf8 } from "./import/failed-rows-file.ts";
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

/** A file of failed rows. */
export type FailedRowsFile<Content> = { content: Content; metadata: JobMetadata };

/** `signal`: of the request that sends the file. A workbook is held as a whole; `tooLarge` is thrown for a larger one. */
export type SentFile = { maxBytes: number; tooLarge: (maxBytes: number) => Error; signal: AbortSignal };

/** The file of the failed rows of an import, made from the file that was imported. */
export async function failedRowsOf(
  imports: LeadImports,
  held: HeldFiles,
  workspaceId: WorkspaceId,
  jobId: string,
  file: AsyncIterable<Uint8Array> | null,
  sent: SentFile,
): Promise<FailedRowsFile<AsyncIterable<Uint8Array>>> {
  const { status, metadata, payload } = await imports.job(workspaceId, jobId);
  if (status !== "completed" && status !== "failed")
    throw new ApiError("CONFLICT", { message: "The import has not ended yet. Wait for it, then try again." });
  if (file === null) throw invalid([{ path: "", message: "Send the file of the import as the body." }]);
  const settings = payload as Partial<ImportSettings>;
  const failed = imports.rows({ workspaceId, jobId, outcome: "failed" });
  const texts = (from: AsyncIterable<Uint8Array>) =>
    readable(failedRowsText(from, failed, failedRowsOptions(settings, metadata)));
  const sheet = sheetOf(metadata);
  const content =
    sheet === null
      ? texts(file)
      : held.read(workspaceId, bounded(file, sent), async function* ({ path, turn }) {
          await turn(sent.signal);
          yield* texts(workbookCsv(path, sheet, sent.signal));
        });
  return { content: utf8(content), metadata };
}

async function* bounded(file: AsyncIterable<Uint8Array>, { maxBytes, tooLarge }: SentFile): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of file) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** The failed rows of an import that are kept. Throws CONFLICT if there are none, with the way to get them. */
export async function keptFailedRowsOf(
  imports: LeadImports,
  kept: KeptFailedRows,
  workspaceId: WorkspaceId,
  jobId: string,
): Promise<FailedRowsFile<BlobContent>> {
  const { id, status, metadata } = await imports.job(workspaceId, jobId);
  const content = status === "completed" ? await kept.find({ workspaceId, id }) : null;
  if (content !== null) return { content, metadata };
  if (status === "pending" || status === "running")
    throw new ApiError("CONFLICT", { message: "The import has not ended yet. Wait for it, then try again." });
  const { failedRowsNotKept } = metadata as { failedRowsNotKept?: NotKept };
  const reason =
    failedRowsNotKept === undefined
      ? `The failed rows of this import are not kept: they are, for ${failedRowsDays} days, up to ${maxFailedRowsBytes / 2 ** 20} MB`
      : notKeptText[failedRowsNotKept];
  throw new ApiError("CONFLICT", { message: `${reason}. Send the file with POST to get them.` });
}
