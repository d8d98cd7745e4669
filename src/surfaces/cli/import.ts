import { InvalidArgumentError, Option, type Command } from "commander";
import { encodingNamed, usualEncodings } from "../../lib/table-file/encodings.ts";
import { importOnDuplicate, type ImportOnDuplicate } from "../../features/leads/model.ts";
import { prospectOnDuplicate, type ProspectOnDuplicate } from "../../features/prospecting/model.ts";
import { actingUserId } from "./acting-user.ts";
import { RefusedError, type Api, type Query } from "./api.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, parsed, repeated } from "./flags.ts";
import {
  failedRows,
  followImport,
  importDocument,
  importProgress,
  importSummary,
  isImport,
  type ImportJob,
} from "./import-job.ts";
import { addImportReportCommands } from "./import-report.ts";
import { interruptible } from "./job-watch.ts";
import { counted, openLeadFile, type LeadFile } from "./lead-file.ts";
import { createProgress, formatBytes, type Progress } from "./progress.ts";
import { withApi, type ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type FileFlags = UserFlags & {
  dryRun?: boolean;
  source?: string;
  delimiter?: string;
  encoding?: string;
  sheet?: string;
  column?: Record<string, string>;
};
type ImportFlags = FileFlags & { onDuplicate: ImportOnDuplicate; tag?: string[]; assignTo?: string };
type ProspectFlags = FileFlags & { onDuplicate: ProspectOnDuplicate };

export function addImportCommands(program: Command, context: CommandContext): void {
  const group = program.command("import").description("Import leads or prospects from a CSV, Excel, or NDJSON file.");

  const leads = group
    .command("leads")
    .description(
      "Import a file of leads and wait for the result. The first line of a CSV file contains the column names; " +
        "other columns than lead fields become custom fields.",
    )
    .addOption(
      new Option(
        "--on-duplicate <WAY>",
        "What to do with existing leads: skip the row, update the lead, or create a new one.",
      )
        .choices(importOnDuplicate)
        .default("skip"),
    )
    .option("--tag <TAG>", "Tag for every lead in the file. Repeat the flag for several.", repeated)
    .option(
      "--assign-to <MEMBER>",
      "Member to assign new leads to (user ID), me, or roundRobin for all members in turn. Default: unassigned.",
    );
  addFileFlags(leads, "a lead field, customFields.NAME, or ignore").action((path: string, flags: ImportFlags) => {
    const query = { onDuplicate: flags.onDuplicate, tags: flags.tag, assignTo: flags.assignTo };
    return withApi(context, flags, (api) => importFile(api, "/leads/import", path, query, flags, context), waiting);
  });

  const prospects = group
    .command("prospects")
    .description(
      "Import a file of prospects or companies into your directory and wait for the result. " +
        "Existing records are completed from the file.",
    )
    .addOption(
      new Option("--on-duplicate <WAY>", "What to do with existing prospects: update them, or skip the row.")
        .choices(prospectOnDuplicate)
        .default("update"),
    );
  addFileFlags(prospects, "a prospect field, or ignore").action((path: string, flags: ProspectFlags) => {
    const query = { onDuplicate: flags.onDuplicate };
    return withApi(
      context,
      flags,
      (api) => importFile(api, "/prospecting/import", path, query, flags, context),
      waiting,
    );
  });

  const watch = group
    .command("watch")
    .description("Wait for a running import and show its result.")
    .argument("<JOB_ID>", "Job ID of the import");
  addConnectionFlags(addUserFlag(watch)).action((jobId: string, flags: UserFlags) =>
    withApi(
      context,
      flags,
      async (api) => {
        const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
        await interruptible(context, (signal) => finish(api, jobId, userId, context, signal));
      },
      waiting,
    ),
  );
  addImportReportCommands(group, context);
}

/** The commands end with a job. */
const waiting = { runsJobs: true } as const;

/** Flags of every import: the file, how to read it, and where to send it. */
function addFileFlags(command: Command, targets: string): Command {
  command
    .argument("<FILE>", "CSV (.csv, .tsv), Excel (.xlsx), or JSON Lines (.ndjson, .jsonl); - reads standard input")
    .option("--dry-run", "Check the whole file and show what would happen, without changing anything.")
    .option("--source <TEXT>", "Source of rows that do not have one.")
    .option(
      "--delimiter <CHARACTER>",
      'Delimiter of a CSV file; "tab" for a tab. Default: detected automatically.',
      parsed(delimiter),
    )
    .option(
      "--encoding <NAME>",
      "Encoding of the file, such as windows-1252 or shift_jis. Default: detected automatically; an ambiguous file is rejected.",
      parsed(encoding),
    )
    .option("--sheet <NAME>", "Sheet of an Excel workbook: name or number. Default: the first that is visible.")
    .option(
      "--column <HEADER=FIELD>",
      `Target of a column whose header is not recognized: ${targets}. Repeat the flag for several.`,
      column,
    );
  return addConnectionFlags(addUserFlag(command));
}

async function importFile(
  api: Api,
  route: string,
  path: string,
  ways: Query,
  flags: FileFlags,
  context: CommandContext,
): Promise<void> {
  const file = await openLeadFile(path);
  const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
  const { dryRun, source, delimiter: between, encoding: named, sheet, column: columns } = flags;
  const query = {
    ...ways,
    dryRun: dryRun ? "true" : undefined,
    source,
    delimiter: between,
    encoding: named,
    sheet,
    columns: columns && JSON.stringify(columns),
    userId,
  };
  await interruptible(context, async (signal) => {
    const progress = createProgress(context);
    let job: ImportJob;
    try {
      job = await send(api, route, file, query, progress, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CommandError(
        exitCodes.interrupted,
        "Interrupted before the whole file was sent. Nothing was imported.",
      );
    } finally {
      progress.clear();
    }
    await finish(api, job.id, userId, context, signal);
  });
}

/** Streams the file to the server and returns the job that the server created. */
function send(
  api: Api,
  route: string,
  file: LeadFile,
  query: Query,
  progress: Progress,
  signal: AbortSignal,
): Promise<ImportJob> {
  const body = counted(file.stream, (bytes) =>
    progress.show({
      percent: file.bytes ? (bytes / file.bytes) * 100 : null,
      text: `Sending ${file.name}: ${formatBytes(bytes)}`,
      document: { phase: "send", bytes, totalBytes: file.bytes },
    }),
  );
  const headers = new Headers({ "content-type": file.contentType });
  // With its length, the server can reject a file that is too large before it is sent.
  if (file.bytes !== null) headers.set("content-length", String(file.bytes));
  return api.upload<ImportJob>(route, query, { body, headers, signal });
}

/** Watches the import until it ends and shows the result. Exits with 4 if rows failed. */
async function finish(
  api: Api,
  jobId: string,
  userId: string | undefined,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const progress = createProgress(context);
  let job: ImportJob;
  try {
    const onProgress = (current: ImportJob) => progress.show(importProgress(current));
    job = await followImport(api, jobId, { userId, signal, onProgress });
  } catch (error) {
    progress.clear();
    if (error instanceof RefusedError && error.status === 404) throw importNotFound(jobId, error);
    if (signal.aborted) throw new CommandError(exitCodes.interrupted, stillRunning(api, jobId));
    remark(context, stillRunning(api, jobId));
    throw error;
  }
  progress.clear();
  if (!isImport(job)) throw new CommandError(exitCodes.failed, `Job ${jobId} is not an import.`);
  const failures = await failedRows(api, job, userId);
  await present(context, importDocument(job, failures), importSummary(job, failures, api.connection.url));
  if (job.status === "failed") throw new CommandError(exitCodes.failed, `The import failed: ${job.message}`);
  if (job.metadata.failed) context.exitCode = exitCodes.partial;
}

function importNotFound(jobId: string, cause: unknown): CommandError {
  return new CommandError(exitCodes.failed, `Import ${jobId} not found.`, {
    hint: "Check the ID: the summary of `outreachd import` shows it. To see another user's imports, use --user EMAIL.",
    cause,
  });
}

function stillRunning({ connection }: Api, jobId: string): string {
  const where =
    connection.kind === "own"
      ? `The import is stored as job ${jobId} and continues once a server runs on this data directory (outreachd serve).`
      : `The import continues on the server as job ${jobId}.`;
  return `${where} To follow it: outreachd import watch ${jobId}`;
}

function column(value: string, previous: Record<string, string> = {}): Record<string, string> {
  const at = value.lastIndexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected HEADER=FIELD, such as Mail=email.");
  return { ...previous, [value.slice(0, at)]: value.slice(at + 1) };
}

function delimiter(value: string): string {
  if (value === "tab" || value === "\\t") return "\t";
  if (value.length !== 1) throw new RangeError('Expected a single character, or "tab".');
  return value;
}

function encoding(value: string): string {
  const name = encodingNamed(value);
  if (name === null) throw new RangeError(`Expected an encoding such as ${usualEncodings.join(", ")}.`);
  return name;
}
