import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Cron } from "croner";
import { existingPart } from "../../../features/backup/inspect-destination.ts";
import {
  installationOfArchive,
  timeOfArchive,
  type BackupList,
  type BackupView,
} from "../../../features/backup/model.ts";
import { ownArchives } from "../../../features/backup/own-archives.ts";
import { createArchives } from "../../../adapters/blobs/archives.ts";
import type { Config } from "../../../app/config/config.ts";
import { backupsName } from "../../../adapters/disk/data-directory.ts";
import { readInstallationId } from "../../../adapters/disk/installation-id.ts";
import { Api } from "../api.ts";
import { toRunning, type RunningServer } from "../connection.ts";
import { countOf } from "../progress.ts";
import { reasonOf } from "../reason.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

export const check = "backups";
const dayMs = 86_400_000;

/** Longer than the server itself waits for an S3 service, so that it can report the reason. */
const patienceMs = 70_000;

/** According to the server's own settings, which it reports. */
export async function examineServedBackups(server: RunningServer, dataDir: string, now: number): Promise<Finding[]> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    return served(await new Api(toRunning(server)).get<BackupList>("/backups", {}, signal), dataDir, now);
  } catch (error) {
    const hint = "Check the server's log for errors. Nothing else is known about its backups.";
    return [problem(check, `The server could not be asked about its backups: ${reasonOf(error)}`, hint)];
  }
}

function served(list: BackupList, dataDir: string, now: number): Finding[] {
  const { backups, last, place, schedule } = list;
  const findings: Finding[] = [];
  if (list.problem) findings.push(problem(check, list.problem, "Until this is fixed, the server creates no backups."));
  if (last?.status === "failed")
    findings.push(
      problem(check, `The last backup failed: ${last.message}`, "Fix the cause, then run `outreachd backup`."),
    );
  const found = archivesFindings(backups, place, schedule, now);
  // A destination that cannot be read may still contain backups.
  if (list.problem) return backups.length > 0 ? [...findings, ...found] : findings;
  return [...findings, ...found, ...(place.startsWith("s3://") ? [] : sameDisk(place, dataDir))];
}

/** According to the settings of this command, if no server is running that could be asked. */
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
    const isOwn = ownArchives(readInstallationId(dataDir), place, join(dataDir, backupsName));
    const all = (await archives.list()).map(({ name }) => ({ name, isOwn: isOwn(name) }));
    const found = archivesFindings(all, archives.place, backup.schedule, now);
    return place.kind === "s3" ? found : [...found, ...sameDisk(resolve(place.path), dataDir)];
  } catch (error) {
    return [problem(check, `Could not list the backups in ${archives.place}: ${reasonOf(error)}`, placeHint)];
  }
}

export const placeHint = "Check --backup-to and, for S3, its URL and keys.";

function sameDisk(place: string, dataDir: string): Finding[] {
  if (!isOnOneDisk(place, dataDir)) return [];
  const hint = "Set --backup-to to another disk or an S3 bucket. If this disk fails, both are lost.";
  return [warning(check, `Backups are stored on the same disk as the data (${place}).`, hint)];
}

type Archive = Pick<BackupView, "name" | "isOwn">;

/** Judges all backups at a destination, newest first. */
function archivesFindings(
  archives: readonly Archive[],
  place: string,
  schedule: string | null,
  now: number,
): Finding[] {
  const newest = archives.find(({ isOwn }) => isOwn);
  const others = archives.filter(({ isOwn }) => !isOwn);
  return [ageFinding(newest?.name ?? null, place, schedule, now), ...othersFindings(others, place)];
}

function ageFinding(name: string | null, place: string, schedule: string | null, now: number): Finding {
  const how = 'Create one with `outreachd backup`, or every night with --backup-schedule "15 3 * * *".';
  if (name === null) return warning(check, `No backup of this data directory found in ${place}.`, how);
  const at = timeOfArchive(name) ?? 0;
  const message = `${ageText(at, now).slice(0, -1)} (${name}).`;
  if (schedule !== null && isOverdue(schedule, at, now))
    return problem(
      check,
      `${message} According to the schedule "${schedule}", there should be a newer one.`,
      "Search the log for `backup failed`.",
    );
  if (schedule === null && now - at > 7 * dayMs) return warning(check, message, how);
  return ok(check, message);
}

/** `at`: start of the newest backup. */
export function ageText(at: number, now: number): string {
  const days = (now - at) / dayMs;
  return `The last backup is ${days < 1 ? `${(days * 24).toFixed(1)} hours` : `${days.toFixed(1)} days`} old.`;
}

/** Backups that this server never deletes must not accumulate unnoticed. */
function othersFindings(others: readonly Archive[], place: string): Finding[] {
  const nameless = others.filter(({ name }) => installationOfArchive(name) === null).length;
  const named = others.length - nameless;
  const findings: Finding[] = [];
  if (named > 0) findings.push(ok(check, `${countOf(named, "backup")} of other data directories in ${place}.`));
  if (nameless > 0) {
    const message = `${countOf(nameless, "backup")} in ${place} without the ID of a data directory, by an earlier version.`;
    findings.push(
      warning(check, message, "They are not deleted automatically. Delete them once newer ones have replaced them."),
    );
  }
  return findings;
}

/** Two scheduled times have passed, because one backup may still be running. */
export function isOverdue(schedule: string, at: number, now: number): boolean {
  const cron = new Cron(schedule, { paused: true, utcOffset: 0 });
  const [, second] = cron.nextRuns(2, new Date(at));
  cron.stop();
  return second !== undefined && second.getTime() < now;
}

function isOnOneDisk(place: string, dataDir: string): boolean {
  return statSync(existingPart(place)).dev === statSync(dataDir).dev;
}
