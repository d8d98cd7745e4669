import { extname, resolve } from "node:path";
import { Option, type Command } from "commander";
import { actingUserId } from "./acting-user.ts";
import type { Api, Query } from "./api.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { addLeadFilterFlags, leadFiltersIn, queryOf, type LeadFilterFlags } from "./lead-filter-flags.ts";
import { openOutputFile, type OutputFile } from "./output-file.ts";
import { createProgress, formatBytes, formatCount, type Progress } from "./progress.ts";
import { RowCounter } from "./row-counter.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { reasonOf } from "./reason.ts";

const exportFormats = ["csv", "xlsx", "ndjson"] as const;
type ExportFormat = (typeof exportFormats)[number];

type ExportFlags = ConnectionFlags & LeadFilterFlags & { format?: ExportFormat; output?: string; user?: string };

export function addExportCommand(program: Command, context: CommandContext): void {
  const leads = program
    .command("export")
    .description("Write leads to a CSV, Excel, or NDJSON file.")
    .command("leads")
    .description("Export all leads, or those that match the filters, to a file or standard output.")
    .addOption(
      new Option(
        "--format <FORMAT>",
        "csv, xlsx (Excel), or ndjson (one JSON object per line). Default: by the extension of FILE, or csv.",
      ).choices(exportFormats),
    )
    .option("--output <FILE>", "File to write. It appears only once it is complete. Default: standard output.");
  addConnectionFlags(addUserFlag(addLeadFilterFlags(leads))).action((flags: ExportFlags) => {
    if (context.json && flags.output === undefined)
      throw new CommandError(
        exitCodes.usage,
        "With --json, standard output is used for the result. Specify a file with --output FILE.",
      );
    const format = flags.format ?? formatNamed(flags.output);
    if (format === "xlsx" && flags.output === undefined && context.terminal.showsOutput)
      throw new CommandError(
        exitCodes.usage,
        "An Excel workbook cannot be shown in a terminal. Specify a file with --output FILE.",
      );
    return withApi(context, flags, (api) => exportLeads(api, flags, format, context));
  });
}

function formatNamed(path = ""): ExportFormat {
  const extension = extname(path).toLowerCase();
  if (extension === ".jsonl") return "ndjson";
  return exportFormats.find((format) => extension === `.${format}`) ?? "csv";
}

async function exportLeads(api: Api, flags: ExportFlags, format: ExportFormat, context: CommandContext): Promise<void> {
  const { output } = flags;
  const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
  const filters = { ...queryOf(await leadFiltersIn(api, flags, userId)), userId };
  // The progress bar needs the total. Drawn over exported leads on standard output, it would only get in the way.
  const drawsBar =
    context.terminal.isInteractive && !context.json && !(output === undefined && context.terminal.showsOutput);
  // Rows of a workbook cannot be counted as they arrive.
  const total = drawsBar || format === "xlsx" ? await countLeads(api, filters) : null;
  const progress: Progress | null = drawsBar || output !== undefined ? createProgress(context) : null;
  const rows = format === "xlsx" ? null : new RowCounter(format);
  let bytes = 0;
  const file = output === undefined ? null : await openOutputFile(output);
  const interrupt = { requested: false };
  const release = context.signals.listen(() => (interrupt.requested = true));
  try {
    for await (const chunk of chunksOf(await api.download("/leads/export", { ...filters, format }))) {
      if (interrupt.requested)
        throw new CommandError(exitCodes.interrupted, "Interrupted: the export is not complete.");
      await (file === null ? context.terminal.out(chunk) : file.write(chunk));
      rows?.add(chunk);
      bytes += chunk.length;
      await progress?.show(rows === null ? bytesProgress(bytes) : exportProgress(rows.rows, total));
    }
    await file?.complete();
  } catch (error) {
    await file?.discard();
    throw error;
  } finally {
    release();
    progress?.clear();
  }
  await tellResult(rows?.rows ?? total ?? 0, file, context);
}

async function tellResult(leads: number, file: OutputFile | null, context: CommandContext): Promise<void> {
  if (file === null) return;
  const path = resolve(file.path);
  await present(
    context,
    { event: "finished", leads, file: path },
    `Exported ${formatCount(leads)} ${leads === 1 ? "lead" : "leads"} to ${path}.`,
  );
}

async function countLeads(api: Api, filters: Query): Promise<number> {
  const { total } = await api.get<{ total: number }>("/leads", { ...filters, limit: 1 });
  return total;
}

function exportProgress(rows: number, total: number | null) {
  const percent = total ? Math.min(100, (rows / total) * 100) : null;
  const text = `Exporting: ${formatCount(rows)}${total === null ? "" : ` of ${formatCount(total)}`} leads`;
  return { percent, text, document: { phase: "export", leads: rows } };
}

function bytesProgress(bytes: number) {
  return { percent: null, text: `Exporting: ${formatBytes(bytes)}`, document: { phase: "export", bytes } };
}

/** Yields the chunks of a body and reports a lost connection as a `CommandError`. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new CommandError(exitCodes.failed, `The export was interrupted: ${reasonOf(cause)}`, { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    // Rejects if the body was interrupted, with the error that is already being thrown.
    await reader.cancel().catch(() => {});
  }
}
