import { resolve } from "node:path";
import type { Command } from "commander";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { chunksOf } from "./export.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { counted, openLeadFile } from "./lead-file.ts";
import { openOutputFile } from "./output-file.ts";
import { createProgress, formatBytes, formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";

type Report = {
  rows: number;
  added: number;
  existing: number;
  invalid: number;
  problems: { row: number; value: string; message: string }[];
};
type ImportFlags = ConnectionFlags & {
  user?: string;
  reason?: string;
  sheet?: string;
  team?: boolean;
  hashOnly?: boolean;
};
type ExportFlags = ConnectionFlags & { user?: string; output?: string; team?: boolean };

/** Number of invalid rows in the summary. */
const shownProblems = 10;

/** `suppress import` and `suppress export`. */
export function addSuppressTransferCommands(group: Command, context: CommandContext): void {
  const importing = group
    .command("import")
    .description(
      "Import a list: one value per line, or CSV or Excel (.xlsx) with a header such as email, domain, LinkedIn URL, or phone.",
    )
    .argument("<FILE>", "CSV, text, or Excel (.xlsx) file; - reads standard input")
    .option("--reason <TEXT>", "Reason for lines that do not have one.")
    .option("--sheet <SHEET>", "Sheet of an Excel workbook: its name or number. Default: the first visible one.")
    .option("--team", "Applies to all workspaces of this installation; for admins.")
    .option("--hash-only", "Store only the hash of each value, which still applies but cannot be read.");
  addConnectionFlags(addUserFlag(importing)).action((path: string, flags: ImportFlags) =>
    forUser(context, flags, (api, userId) => importList(api, path, flags, userId, context)),
  );

  const exporting = group
    .command("export")
    .description(
      "Export the list as CSV, to a file or standard output; as an Excel workbook if the file is .xlsx. It can be imported again.",
    )
    .option("--output <FILE>", "File to write. It appears only once it is complete. Default: standard output.")
    .option("--team", "Only entries that apply to all workspaces.");
  addConnectionFlags(addUserFlag(exporting)).action((flags: ExportFlags) => {
    if (context.json && flags.output === undefined)
      throw new CommandError(
        exitCodes.usage,
        "With --json, standard output is used for the result. Specify a file with --output FILE.",
      );
    return forUser(context, flags, (api, userId) => exportList(api, flags, userId, context));
  });
}

/** Exits with 4 if some values were invalid. */
async function importList(
  api: Api,
  path: string,
  { reason, sheet, team, hashOnly }: ImportFlags,
  userId: string | undefined,
  context: CommandContext,
): Promise<void> {
  const file = await openLeadFile(path);
  const progress = createProgress(context);
  const body = counted(file.stream, (bytes) =>
    progress.show({
      percent: file.bytes ? (bytes / file.bytes) * 100 : null,
      text: `Importing ${file.name}: ${formatBytes(bytes)}`,
      document: { phase: "import", bytes, totalBytes: file.bytes },
    }),
  );
  const query = { scope: team ? "team" : undefined, hashOnly: hashOnly ? "true" : undefined, reason, sheet, userId };
  const headers = new Headers({ "content-type": file.contentType });
  if (file.bytes !== null) headers.set("content-length", String(file.bytes));
  const report = await api
    .upload<Report>("/suppressions/import", query, { body, headers })
    .finally(() => progress.clear());
  if (report.invalid > 0) context.exitCode = exitCodes.partial;
  await present(context, { event: "finished", ...report }, reportText(report));
}

async function exportList(
  api: Api,
  { output, team }: ExportFlags,
  userId: string | undefined,
  context: CommandContext,
): Promise<void> {
  const file = output === undefined ? null : await openOutputFile(output);
  const interrupt = { requested: false };
  const release = context.signals.listen(() => (interrupt.requested = true));
  try {
    const format = output?.toLowerCase().endsWith(".xlsx") ? "xlsx" : undefined;
    const stream = await api.download("/suppressions/export", { scope: team ? "team" : undefined, format, userId });
    for await (const chunk of chunksOf(stream)) {
      if (interrupt.requested)
        throw new CommandError(exitCodes.interrupted, "Interrupted: the export is not complete.");
      await (file === null ? context.terminal.out(chunk) : file.write(chunk));
    }
    await file?.complete();
  } catch (error) {
    await file?.discard();
    throw error;
  } finally {
    release();
  }
  if (file === null) return;
  const path = resolve(file.path);
  await present(context, { event: "finished", file: path }, `Exported the do-not-contact list to ${path}.`);
}

function reportText({ rows, added, existing, invalid, problems }: Report): string {
  const counts = `${formatCount(added)} added, ${formatCount(existing)} already listed, ${formatCount(invalid)} invalid`;
  const shown = problems.slice(0, shownProblems).map(({ row, message }) => `  row ${row}  ${message}`);
  const title = `Invalid rows (${shown.length} of ${formatCount(invalid)} shown):`;
  return [`Read ${formatCount(rows)} rows: ${counts}.`, ...(invalid > 0 ? ["", title, ...shown] : [])].join("\n");
}
