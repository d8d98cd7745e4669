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
type ImportFlags = ConnectionFlags & { user?: string; reason?: string; team?: boolean; hashOnly?: boolean };
type ExportFlags = ConnectionFlags & { user?: string; output?: string; team?: boolean };

/** How many problems of an import the summary shows. */
const shownProblems = 10;

/** `suppress import` and `suppress export`. */
export function addSuppressTransferCommands(group: Command, context: CommandContext): void {
  const importing = group
    .command("import")
    .description("Bring a list in: a value a line, or CSV whose header names email, domain, LinkedIn URL or phone.")
    .argument("<FILE>", "CSV or text; - reads standard input")
    .option("--reason <TEXT>", "Why, for lines that tell no reason.")
    .option("--team", "For everybody of this installation; for admins.")
    .option("--hash-only", "Keep only the hash of each value: it holds, but nobody can read it.");
  addConnectionFlags(addUserFlag(importing)).action((path: string, flags: ImportFlags) =>
    forUser(context, flags, (api, userId) => importList(api, path, flags, userId, context)),
  );

  const exporting = group
    .command("export")
    .description("Write the list as CSV, to a file or to standard output. An import takes it back.")
    .option("--output <FILE>", "File to write; it appears only when it is complete. Default: standard output.")
    .option("--team", "Only the team's entries.");
  addConnectionFlags(addUserFlag(exporting)).action((flags: ExportFlags) => {
    if (context.json && flags.output === undefined)
      throw new CommandError(
        exitCodes.usage,
        "With --json the answer takes standard output: name a file with --output FILE.",
      );
    return forUser(context, flags, (api, userId) => exportList(api, flags, userId, context));
  });
}

/** Exit code 4 when some values were not valid. */
async function importList(
  api: Api,
  path: string,
  { reason, team, hashOnly }: ImportFlags,
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
  const query = { scope: team ? "team" : undefined, hashOnly: hashOnly ? "true" : undefined, reason, userId };
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
    const stream = await api.download("/suppressions/export", { scope: team ? "team" : undefined, userId });
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
  const counts = `${formatCount(added)} added, ${formatCount(existing)} already there, ${formatCount(invalid)} not valid`;
  const shown = problems.slice(0, shownProblems).map(({ row, message }) => `  row ${row}  ${message}`);
  const title = `Not valid (${shown.length} of ${formatCount(invalid)} shown):`;
  return [`Read ${formatCount(rows)} rows: ${counts}.`, ...(invalid > 0 ? ["", title, ...shown] : [])].join("\n");
}
