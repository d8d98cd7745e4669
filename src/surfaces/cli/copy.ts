import { join } from "node:path";
import type { Command } from "commander";
import { loadConfig, type Config } from "../../app/config/config.ts";
import { blobsName } from "../../adapters/disk/data-directory.ts";
import type { CopyPlace, CopyProgress, CopyReport } from "../../app/copy.ts";
import type { FilesPlace } from "../../platform/blobs/place.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addCopyFlags } from "./flags.ts";
import { countOf, createProgress, formatBytes, formatCount, type ProgressState } from "./progress.ts";
import { renderTable } from "./table.ts";

type CopyFlags = Record<string, unknown> & {
  from?: string;
  to?: string;
  fromFiles?: string;
  toFiles?: string;
  replace?: boolean;
};

const examples = `
To PostgreSQL and S3, and back:
  outreachd copy --from ./outreachd-data --database postgres://… --files s3://BUCKET/PREFIX
  outreachd copy --database postgres://… --files s3://BUCKET/PREFIX --to ./outreachd-data

The side that is not named with --from or --to is the one that a server with the same options would use. An interrupted copy
is continued by the same command.`;

export function addCopyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("copy")
    .description(
      "Copy all data and files from a data directory to PostgreSQL, or back. Neither may be in use by a server.",
    )
    .option("--from <PLACE>", "Where the data is: a data directory, or postgres://…. Default: --database")
    .option("--to <PLACE>", "Where to copy it: a data directory, or postgres://…. Default: --database")
    .option(
      "--from-files <PLACE>",
      "Where the files are: s3://BUCKET/PREFIX, or a data directory. Default: next to the data, or --files",
    )
    .option(
      "--to-files <PLACE>",
      "Where to copy them: s3://BUCKET/PREFIX, or a data directory. Default: next to the data, or --files",
    )
    .option("--replace", "Replace existing data. In a directory, it is moved aside; in PostgreSQL, it is deleted.")
    .addHelpText("after", examples);
  addCopyFlags(command).action((flags: CopyFlags) => copy(flags, context));
}

async function copy(flags: CopyFlags, context: CommandContext): Promise<void> {
  const { from, to } = placesOf(flags, context);
  const { copyInstallation } = await import("../../app/copy.ts");
  const progress = createProgress(context);
  const startedAt = performance.now();
  try {
    const onProgress = (step: CopyProgress) => progress.show(stateOf(step));
    const report = await copyInstallation({ from, to, isReplaced: flags.replace === true }, onProgress);
    progress.clear();
    const seconds = (performance.now() - startedAt) / 1000;
    await present(context, { event: "finished", ...report, seconds }, textOf(report, seconds));
  } finally {
    progress.clear();
  }
}

function placesOf(flags: CopyFlags, { env }: CommandContext): { from: CopyPlace; to: CopyPlace } {
  const config = loadConfig({ flags, env });
  if (flags.from === undefined && flags.to === undefined)
    throw usage("Say from where or to where: add --from or --to with a data directory or postgres://….");
  if (flags.from !== undefined && flags.to !== undefined && flags["database"] !== undefined)
    throw usage("Expected two of --from, --to, and --database, got all three.");
  const place = (name: "from" | "to"): CopyPlace => {
    const named = flags[name];
    if (named === undefined && config.database === null)
      throw usage(`Say ${name === "from" ? "from" : "to"} where: add --${name}, or --database postgres://….`);
    const files = flags[`${name}Files`];
    return placeOf(named, files, flags, env, config);
  };
  const [from, to] = [place("from"), place("to")];
  if (from.kind === to.kind)
    throw from.kind === "directory"
      ? usage("Both are data directories. To copy one to another, use `outreachd backup` and `outreachd restore`.")
      : usage("Both are on PostgreSQL. To copy one to another, use pg_dump and pg_restore.");
  return { from, to };
}

/** `named`: with --from or --to; otherwise, it is the side that the other options describe. */
function placeOf(
  named: string | undefined,
  files: string | undefined,
  flags: CopyFlags,
  env: CommandContext["env"],
  config: Config,
): CopyPlace {
  const given = files === undefined ? null : filesIn(files, flags, env);
  if (named !== undefined && !/^postgres(ql)?:/.test(named))
    return { kind: "directory", path: named, files: given ?? { kind: "disk", path: join(named, blobsName) } };
  const { database } = named === undefined ? config : loadConfig({ flags: { ...flags, database: named }, env });
  const { url, prepare } = database!;
  return { kind: "postgres", url, prepare, files: given ?? config.files.place };
}

function filesIn(place: string, flags: CopyFlags, env: CommandContext["env"]): FilesPlace {
  if (!place.startsWith("s3:")) return { kind: "disk", path: join(place, blobsName) };
  return loadConfig({ flags: { ...flags, files: place }, env }).files.place!;
}

function usage(message: string): CommandError {
  return new CommandError(exitCodes.usage, message, { hint: "See `outreachd copy --help`." });
}

/** For the progress of a copy. */
export function stateOf(step: CopyProgress): ProgressState {
  if (step.phase === "files") return { percent: null, text: `copying ${step.what}`, document: step };
  if (step.phase === "build") return { percent: null, text: `creating ${step.what}`, document: step };
  const { phase, what, rows, total } = step;
  const percent = total === 0 ? null : Math.min(100, (rows / total) * 100);
  const verb = phase === "copy" ? "copying" : "verifying";
  return { percent, text: `${verb} ${what}, ${formatCount(rows)} rows`, document: { ...step, percent } };
}

function textOf({ from, to, tables, files, movedAside }: CopyReport, seconds: number): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const stored = files.reduce((sum, folder) => sum + folder.files, 0);
  const lines = [
    renderTable(
      ["Table", "Rows", "Checksum"],
      tables.map((table) => [table.table, formatCount(table.rows), table.checksum]),
    ),
    "",
  ];
  if (files.length > 0)
    lines.push(
      renderTable(
        ["Files", "Number", "Size", "Checksum"],
        files.map((each) => [
          each.folder,
          formatCount(each.files),
          formatBytes(each.bytes),
          each.checksum.slice(0, 16),
        ]),
      ),
      "",
    );
  lines.push(
    `Copied ${countOf(rows, "row")} and ${countOf(stored, "file")} from ${from} to ${to} in ${seconds.toFixed(1)} s. Both sides have the same checksums.`,
  );
  if (movedAside !== null) lines.push(`The previous data is in ${movedAside}. Delete it when you no longer need it.`);
  return lines.join("\n");
}
