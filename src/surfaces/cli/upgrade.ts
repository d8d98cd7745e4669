import { statfsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { loadConfig, type Config } from "../../app/config/config.ts";
import { shownDatabase } from "../../app/config/database-options.ts";
import { databaseName } from "../../adapters/disk/data-directory.ts";
import { StartError } from "../../platform/base/start-error.ts";
import { commit, schemaInUse, version } from "../../platform/base/version.ts";
import { requireData, requireTables, toRunning } from "./connection.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addDataFlags } from "./flags.ts";
import { countOf, formatBytes } from "./progress.ts";
import { newerOf, readRelease, type Release } from "./published-release.ts";

type UpgradeFlags = Record<string, unknown> & { check?: boolean; from?: string; publicKey?: string };
type Build = { version: string; commit: string | null; schema: number };
/** What the first start of this program would do to the database. */
type DatabaseReport = {
  place: string;
  pending: string[];
  copyBytes: number | null;
  problem: string | null;
  hint?: string;
};

export function addUpgradeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("upgrade")
    .description(
      "Show what this version would change, before it is started. To upgrade, replace the executable and restart the server.",
    )
    .option("--check", "Compare this program with the running server and the database. Changes nothing.")
    .option(
      "--from <URL|DIRECTORY>",
      "Also compare it with the release published there. Otherwise, no host is contacted.",
    )
    .option("--public-key <KEY>", "Require the release to be signed with this key (minisign).");
  addDataFlags(command).action((flags: UpgradeFlags) => upgrade(flags, context));
}

async function upgrade(flags: UpgradeFlags, context: CommandContext): Promise<void> {
  if (flags.check !== true)
    throw new CommandError(exitCodes.usage, "Only --check is available.", {
      hint: "To upgrade, replace the executable and restart the server. The first start copies the database before it migrates it.",
    });
  const config = loadConfig({ flags, env: context.env });
  const program: Build = { version, commit, schema: schemaInUse(config) };
  const release = flags.from === undefined ? null : await readRelease(flags.from, flags.publicKey ?? null);
  const server = await runningBuild(config, context);
  const database = await examineDatabase(config, context);
  if (database.problem !== null) context.exitCode = exitCodes.failed;
  const isPossible = database.problem === null;
  await present(
    context,
    { program, server, database, release, isPossible },
    textOf(program, server, database, release),
  );
}

/** The build of the server that uses the data; null if none runs. A version before `server` in its health is unknown. */
async function runningBuild({ dataDir }: Config, { backend }: CommandContext): Promise<Build | "unknown" | null> {
  const running = await backend.readRunningServer(dataDir);
  if (running === null) return null;
  const response = await toRunning(running).fetch("/api/v2/health");
  const { server } = (await response.json()) as { server?: Build };
  return server ?? "unknown";
}

async function examineDatabase(config: Config, context: CommandContext): Promise<DatabaseReport> {
  const { database, dataDir } = config;
  const isEmbedded = database === null;
  const place = isEmbedded ? join(resolve(dataDir), databaseName) : shownDatabase(database.url);
  try {
    if (!isEmbedded) {
      await requireTables(database, context.backend);
      const { openToCheck } = await import("../../adapters/storage/postgres/check-database.ts");
      const { usableConnection } = await import("../../app/database.ts");
      const opened = openToCheck(database.url, await usableConnection(database.url, database.prepare));
      try {
        return { place, pending: await opened.pendingMigrations(), copyBytes: null, problem: null };
      } finally {
        await opened.close();
      }
    }
    requireData(dataDir);
    const { openToCheck, pendingMigrations } = await import("../../adapters/storage/sqlite/check-database.ts");
    const opened = openToCheck(place);
    try {
      return { place, ...copyOf(place, pendingMigrations(opened)) };
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { place, pending: [], copyBytes: null, problem: error.message, ...(error.hint && { hint: error.hint }) };
  }
}

/** Whether there is space for the copy that precedes an upgrade, and for the changes. */
function copyOf(path: string, pending: string[]): Omit<DatabaseReport, "place"> {
  if (pending.length === 0) return { pending, copyBytes: null, problem: null };
  const bytes = statSync(path).size;
  const { bavail, bsize } = statfsSync(path);
  // As much as the server requires: the copy, and a quarter of it for the migration.
  const isEnough = bavail * bsize >= bytes * 1.25;
  const problem = isEnough
    ? null
    : `The copy before the upgrade needs ${formatBytes(bytes * 1.25)}, and ${formatBytes(bavail * bsize)} are free.`;
  return {
    pending,
    copyBytes: bytes,
    problem,
    ...(!isEnough && { hint: "Free space before you start this version." }),
  };
}

function textOf(
  program: Build,
  server: Build | "unknown" | null,
  database: DatabaseReport,
  release: Release | null,
): string {
  const lines = [`This program     ${shown(program)}`, `Running server   ${serverText(server)}`];
  if (release !== null) lines.push(`Published        ${releaseText(release)}`);
  lines.push(`Database         ${database.place}`, `                 ${databaseText(database)}`);
  if (database.hint !== undefined) lines.push(`                 ${database.hint}`);
  return lines.join("\n");
}

function serverText(server: Build | "unknown" | null): string {
  if (server === null) return "none";
  return server === "unknown" ? "a version that does not report itself" : shown(server);
}

function shown({ version: number, commit: source, schema }: Build): string {
  return `${number} (${source === null ? "" : `commit ${source}, `}schema ${schema})`;
}

function releaseText(release: Release): string {
  const difference = newerOf(release.version, version);
  const relation =
    difference === 0 ? "the same version" : difference > 0 ? "newer than this program" : "older than this program";
  const trust = release.isVerified ? "signature verified" : "signature not checked";
  return `${release.version} of ${release.date.slice(0, 10)}: ${relation}; ${trust}`;
}

function databaseText({ pending, copyBytes, problem }: DatabaseReport): string {
  if (problem !== null) return problem;
  if (pending.length === 0) return "It matches this program: the first start changes nothing.";
  const copied = copyBytes === null ? "Back it up before." : `It is copied before (${formatBytes(copyBytes)}).`;
  return `The first start runs ${countOf(pending.length, "migration")}, up to ${pending.at(-1)}. ${copied}`;
}
