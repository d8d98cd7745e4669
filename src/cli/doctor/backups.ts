import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Cron } from "croner";
import type { StoredArchive } from "../../backup/archive-store.ts";
import { installationOfArchive, timeOfArchive } from "../../backup/model.ts";
import { ownArchives } from "../../backup/own-archives.ts";
import { createArchives } from "../../blobs/archives.ts";
import type { Config } from "../../config.ts";
import { backupsName } from "../../data-directory.ts";
import { readInstallationId } from "../../installation-id.ts";
import { countOf } from "../progress.ts";
import { reasonOf } from "../reason.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

const check = "backups";
const dayMs = 86_400_000;

export async function examineBackups(
  { backup }: Config,
  dataDir: string,
  now: number,
  offline: boolean,
): Promise<Finding[]> {
  const place = backup.place ?? { kind: "disk" as const, path: join(dataDir, backupsName) };
  if (place.kind === "s3" && offline) return [];
  const archives = createArchives(place);
  try {
    const isOwn = ownArchives(readInstallationId(dataDir), place, dataDir);
    const all = await archives.list();
    const newest = all.find(({ name }) => isOwn(name));
    const others = all.filter(({ name }) => !isOwn(name));
    const age = ageFinding(newest?.name ?? null, archives.place, backup.schedule, now);
    const found = [age, ...othersFindings(others, archives.place)];
    if (place.kind === "s3" || !isOnOneDisk(resolve(place.path), dataDir)) return found;
    const hint = "Name another disk or an S3 bucket with --backup-to; one disk loses both.";
    return [...found, warning(check, `Backups go to the disk that the data is on (${archives.place}).`, hint)];
  } catch (error) {
    const hint = "Check --backup-to and, for S3, its address and keys.";
    return [problem(check, `Could not look at the backups in ${archives.place}: ${reasonOf(error)}`, hint)];
  }
}

function ageFinding(name: string | null, place: string, schedule: string | null, now: number): Finding {
  const how = 'Make one with `outreachd backup`; --backup-schedule "15 3 * * *" makes one every night.';
  if (name === null) return warning(check, `There is no backup of this data directory in ${place}.`, how);
  const at = timeOfArchive(name) ?? 0;
  const days = (now - at) / dayMs;
  const message = `The last backup is ${days < 1 ? `${(days * 24).toFixed(1)} hours` : `${days.toFixed(1)} days`} old (${name}).`;
  if (schedule !== null && isOverdue(schedule, at, now))
    return problem(
      check,
      `${message} The schedule "${schedule}" wanted others since.`,
      "Look for `backup failed` in the log.",
    );
  if (schedule === null && days > 7) return warning(check, message, how);
  return ok(check, message);
}

/** What this server never deletes must not grow unseen. */
function othersFindings(others: readonly StoredArchive[], place: string): Finding[] {
  const nameless = others.filter(({ name }) => installationOfArchive(name) === null).length;
  const named = others.length - nameless;
  const findings: Finding[] = [];
  if (named > 0) findings.push(ok(check, `${countOf(named, "backup")} of other data directories in ${place}.`));
  if (nameless > 0) {
    const message = `${countOf(nameless, "backup")} in ${place} without the id of a data directory, by an earlier version.`;
    findings.push(
      warning(check, message, "Nobody deletes them: do it by hand when newer ones have taken their place."),
    );
  }
  return findings;
}

/** Two turns have gone by: one may be under way. */
function isOverdue(schedule: string, at: number, now: number): boolean {
  const cron = new Cron(schedule, { paused: true, utcOffset: 0 });
  const [, second] = cron.nextRuns(2, new Date(at));
  cron.stop();
  return second !== undefined && second.getTime() < now;
}

function isOnOneDisk(place: string, dataDir: string): boolean {
  let path = place;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  return statSync(path).dev === statSync(dataDir).dev;
}
