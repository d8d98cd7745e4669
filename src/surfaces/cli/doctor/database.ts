import type { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { blobsName, databaseName } from "../../../adapters/disk/data-directory.ts";
import { createBlobs } from "../../../adapters/blobs/blobs.ts";
import { diskFaultOf } from "../../../platform/base/disk-fault.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import type { BlobStore } from "../../../platform/blobs/blob-store.ts";
import type { StoredBlob } from "../../../platform/blobs/model.ts";
import type { S3Place } from "../../../platform/blobs/place.ts";
import { folderOfImports } from "../../../platform/imports/job-files.ts";
import { voiceFiles } from "../../../features/voice/files.ts";
import { reasonOf } from "../reason.ts";
import {
  blobsNamed,
  danglingRows,
  integrityProblems,
  openToCheck,
  pendingMigrations,
} from "../../../adapters/storage/sqlite/check-database.ts";
import { countOf, formatBytes, formatCount } from "../progress.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** A queue that is this far behind does not catch up on its own. */
const lateMs = 15 * 60_000;
/** An upload exists before its row does. */
const arrivingMs = 60 * 60_000;
/** The server removes nothing younger from a bucket, and does so every night. */
const sharedArrivingMs = 48 * 60 * 60_000;
/** The deviation that the server tolerates before it stops sending. */
const toleratedMs = 120_000;
const largeLogBytes = 512 * 2 ** 20;
/** Without cached speech, to which no row refers. */
const folders = [voiceFiles.all, ...Object.values(folderOfImports).map((folder) => `${folder}/`)];

type Look = { now: number; full: boolean; offline: boolean; isServed: boolean };

/** Also returns the URLs of the accounts' webhook connectors. */
export async function examineDatabase(
  dataDir: string,
  place: S3Place | null,
  look: Look,
): Promise<{ findings: Finding[]; webhooks: string[] }> {
  const path = join(dataDir, databaseName);
  let database: Database | null = null;
  try {
    database = openToCheck(path);
    const migrations = examineMigrations(database);
    const findings = [...integrity(database, look.full), ...migrations, ...logSize(path)];
    // Queries of this version only work with the tables of this version.
    if (migrations.some(({ state }) => state !== "ok")) return { findings, webhooks: [] };
    findings.push(
      ...(await files(database, dataDir, place, look)),
      queue(database, look),
      lastTimes(database, look.now),
    );
    return { findings, webhooks: webhooksOf(database) };
  } catch (error) {
    const message = `The database ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
    return { findings: [problem("database", message, restoreHint)], webhooks: [] };
  } finally {
    database?.close();
  }
}

const restoreHint = "Stop the server and restore a backup: outreachd restore FILE --replace";

function integrity(database: Database, full: boolean): Finding[] {
  const problems = [...integrityProblems(database, full), ...(full ? danglingRows(database) : [])];
  if (problems.length > 0)
    return problems.map((each) => problem("database", `The database is damaged: ${each}.`, restoreHint));
  const how = full ? "every page, index, and reference was checked" : "every page was checked; --full checks more";
  return [ok("database", `The database is intact (${formatBytes(sizeOf(database))}; ${how}).`)];
}

/** In bytes, including what is still in the write-ahead log. */
function sizeOf(database: Database): number {
  const size = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
  return database.query<{ bytes: number }, []>(size).get()?.bytes ?? 0;
}

function examineMigrations(database: Database): Finding[] {
  try {
    const pending = pendingMigrations(database);
    if (pending.length === 0) return [ok("migrations", "The database matches this version.")];
    const message = `The database lacks ${countOf(pending.length, "migration")}, up to ${pending.at(-1)}.`;
    return [warning("migrations", message, "The next start copies the database and upgrades it.")];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [problem("migrations", error.message, error.hint ?? "Use the version that wrote it.")];
  }
}

function logSize(path: string): Finding[] {
  const bytes = existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
  if (bytes < largeLogBytes) return [];
  const hint = "It shrinks once long reads have ended. If it does not, restart the server.";
  return [warning("database", `The write-ahead log has grown to ${formatBytes(bytes)}.`, hint)];
}

async function files(
  database: Database,
  dataDir: string,
  place: S3Place | null,
  { now, offline }: Look,
): Promise<Finding[]> {
  if (place !== null && offline) return [];
  let stored: StoredBlob[];
  try {
    stored = await storedFiles(createBlobs(place ?? { kind: "disk", path: join(dataDir, blobsName) }, null));
  } catch (error) {
    const { hint = "Check the option files." } = diskFaultOf(error) ?? {};
    return [problem("files", `The stored files cannot be listed: ${reasonOf(error)}`, hint)];
  }
  const named = blobsNamed(database, now);
  const present = new Set(stored.map(({ name }) => name));
  const missing = [...named].filter(([name, required]) => required && !present.has(name));
  const arriving = place === null ? arrivingMs : sharedArrivingMs;
  const orphaned = stored.filter(({ name, changedAt }) => !named.has(name) && changedAt < now - arriving);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const message = `Missing: ${countOf(missing.length, "file")} that rows refer to, such as ${missing[0]?.[0]}.`;
    findings.push(
      problem("files", message, "Extract them from a backup (tar --zstd -xf FILE), or delete what they belong to."),
    );
  }
  if (orphaned.length > 0) {
    const message = `Unused: ${countOf(orphaned.length, "file")} that no row refers to, such as ${orphaned[0]?.name}.`;
    findings.push(warning("files", message, "The next start of the server removes them."));
  }
  return findings.length > 0
    ? findings
    : [ok("files", `All ${formatCount(named.size)} files that rows refer to exist or are no longer needed.`)];
}

async function storedFiles(blobs: BlobStore): Promise<StoredBlob[]> {
  const lists: StoredBlob[][] = [];
  for (const folder of folders) lists.push(await blobs.list(folder));
  return lists.flat();
}

function queue(database: Database, { now, isServed }: Look): Finding {
  const late = database
    .query<{ jobs: number; since: number | null }, [number]>(
      "SELECT count(*) AS jobs, min(run_at) AS since FROM jobs WHERE status = 'pending' AND run_at < ?",
    )
    .get(now - lateMs);
  if (!late || late.jobs === 0) return ok("jobs", "No job is late.");
  const since = new Date(late.since ?? 0).toISOString();
  const message = `Late: ${countOf(late.jobs, "job")}, the first since ${since}.`;
  return isServed
    ? problem(
        "jobs",
        message,
        "Check the server's log for errors of the job runner. GET /readyz shows whether it runs.",
      )
    : warning("jobs", message, "They run once the server runs: outreachd serve");
}

function lastTimes(database: Database, now: number): Finding {
  const newest = database
    .query<{ at: number | null }, []>(
      "SELECT max(at) AS at FROM (SELECT max(created_at) AS at FROM credit_ledger UNION ALL SELECT max(updated_at) FROM jobs UNION ALL SELECT max(last_used_at) FROM api_keys UNION ALL SELECT max(updated_at) FROM users)",
    )
    .get();
  const at = Math.max(newest?.at ?? 0, latestTime(database));
  if (at <= now + toleratedMs) return ok("clock", "No row is newer than the clock.");
  const hint =
    "Set the clock, preferably with NTP (timedatectl set-ntp true). Schedules and expirations depend on it, and nothing is sent until it is correct. " +
    "If it is correct now and was ahead before, stop the server and run `outreachd clock accept`.";
  return problem("clock", `Rows were written at ${new Date(at).toISOString()}, which is in the future.`, hint);
}

/** The latest time seen by a server on this data. */
function latestTime(database: Database): number {
  const row = database.query<{ value: string }, []>("SELECT value FROM server_state WHERE name = 'clock'").get();
  return row === null ? 0 : Number(row.value);
}

function webhooksOf(database: Database): string[] {
  return database
    .query<{ url: string | null }, []>(
      "SELECT DISTINCT json_extract(connector_settings, '$.url') AS url FROM network_accounts WHERE connector = 'webhook' LIMIT 50",
    )
    .all()
    .flatMap(({ url }) => (url === null ? [] : [url]));
}
