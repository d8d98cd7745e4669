import { Option, type Command } from "commander";
import type { ImportCause } from "../../features/leads/import/cause-model.ts";
import { RefusedError, type Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { chunksOf } from "./export.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { columnLines, countLines, type ImportJob } from "./import-job.ts";
import { openOutputFile } from "./output-file.ts";
import { formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";

type ReportFlags = ConnectionFlags & { user?: string };
type FailedFlags = ReportFlags & { output?: string };

/** What became of an import of leads, any time after it: why rows did not become leads, and the file of those that failed. */
export function addImportReportCommands(group: Command, context: CommandContext): void {
  const report = group
    .command("report")
    .description("Show how an import of leads read the columns, and why rows did not become new leads.")
    .argument("<JOB_ID>", "Job ID of the import");
  addConnectionFlags(addUserFlag(report)).action((jobId: string, flags: ReportFlags) =>
    forUser(context, flags, (api, userId) => found(jobId, () => showReport(api, jobId, userId, context))),
  );

  const failed = group
    .command("failed")
    .description(
      "Write the failed rows of an import of leads to a file, with the reason in the last column: CSV of a CSV file or a workbook, " +
        "NDJSON of NDJSON. Fix them and import the file: that column is ignored. The server keeps them for 7 days.",
    )
    .argument("<JOB_ID>", "Job ID of the import")
    .addOption(new Option("--output <FILE>", "File to write. Default: standard output."));
  addConnectionFlags(addUserFlag(failed)).action((jobId: string, flags: FailedFlags) => {
    if (context.json && flags.output === undefined)
      throw new CommandError(
        exitCodes.usage,
        "With --json, standard output is used for the result. Specify a file with --output FILE.",
      );
    return forUser(context, flags, (api, userId) =>
      found(jobId, () => writeFailed(api, jobId, userId, flags.output, context)),
    );
  });
}

async function showReport(api: Api, jobId: string, userId: string | undefined, context: CommandContext): Promise<void> {
  const job = await api.get<ImportJob>(`/users/jobs/${encodeURIComponent(jobId)}`, { userId });
  const { causes } = await api.get<{ causes: ImportCause[] }>(pathOf(jobId, "causes"), { userId });
  const { status, metadata } = job;
  const document = { jobId, status, columns: metadata.columns ?? {}, causes };
  await present(
    context,
    document,
    [...countLines(job), ...columnLines(metadata.columns ?? {}), ...causes.flatMap(causeLines)].join("\n"),
  );
}

function causeLines({ outcome, path, message, rows, samples }: ImportCause): string[] {
  const field = path === "" ? "" : `${path}: `;
  const rest = rows - samples.length;
  const shown = samples.map(({ row, detail, name }) => `  row ${row}${(name ?? detail) ? `  ${name ?? detail}` : ""}`);
  return [
    "",
    `${formatCount(rows)} ${outcome}: ${field}${message}`,
    ...shown,
    ...(rest > 0 ? [`  and ${formatCount(rest)} more`] : []),
  ];
}

async function writeFailed(
  api: Api,
  jobId: string,
  userId: string | undefined,
  output: string | undefined,
  context: CommandContext,
): Promise<void> {
  const chunks = chunksOf(await api.download(pathOf(jobId, "failed-rows"), { userId }));
  if (output === undefined) {
    for await (const chunk of chunks) await context.terminal.out(chunk);
    return;
  }
  const file = await openOutputFile(output);
  try {
    for await (const chunk of chunks) await file.write(chunk);
    await file.complete();
  } catch (error) {
    await file.discard();
    throw error;
  }
  await present(
    context,
    { jobId, file: output },
    `Failed rows written to ${output}. Fix them, then: outreachd import leads ${output}`,
  );
}

function pathOf(jobId: string, part: string): string {
  return `/leads/import/${encodeURIComponent(jobId)}/${part}`;
}

async function found(jobId: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 404) throw error;
    throw new CommandError(exitCodes.failed, `Import ${jobId} not found.`, {
      hint: "Check the ID: the summary of `outreachd import` shows it. To see another user's imports, use --user EMAIL.",
      cause: error,
    });
  }
}
