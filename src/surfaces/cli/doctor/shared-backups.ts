import { createArchives } from "../../../adapters/blobs/archives.ts";
import type { BackupConfig } from "../../../app/config/backup-options.ts";
import type { SharedRuns } from "../../../features/backup/shared-runs.ts";
import { reasonOf } from "../reason.ts";
import { ageText, check, isOverdue, placeHint } from "./backups.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** Backups of a database that nodes share: by what they have stored about them, and the settings of this command. */
export async function examineSharedBackups(
  runs: SharedRuns,
  backup: BackupConfig,
  now: number,
  offline: boolean,
): Promise<Finding[]> {
  return [...lastFindings(runs, backup.schedule, now), ...(await placeFindings(backup, offline))];
}

function lastFindings({ last, newestAt }: SharedRuns, schedule: string | null, now: number): Finding[] {
  const findings: Finding[] = [];
  if (last?.status === "failed")
    findings.push(
      problem(check, `The last backup failed: ${last.message}`, "Fix the cause, then run `outreachd backup`."),
    );
  if (newestAt === null)
    return [
      ...findings,
      ok(
        check,
        "outreachd has created no backup of this database, which pg_dump or point-in-time recovery may back up.",
      ),
    ];
  const message = ageText(newestAt, now);
  const isLate = schedule !== null && isOverdue(schedule, newestAt, now);
  const found = isLate
    ? problem(
        check,
        `${message} According to the schedule "${schedule}", there should be a newer one.`,
        "Check that a node has the lead (`outreachd nodes`), and search the logs for `backup failed`.",
      )
    : ok(check, message);
  return [...findings, found];
}

async function placeFindings({ place, schedule }: BackupConfig, offline: boolean): Promise<Finding[]> {
  if (place === null) {
    if (schedule === null) return [];
    const message = "Scheduled backups are stored in the data directory of the node that creates them.";
    return [warning(check, message, "Set --backup-to to a bucket, or to a directory that all nodes share.")];
  }
  if (place.kind === "s3" && offline) return [];
  const archives = createArchives(place);
  try {
    await archives.list();
    return [];
  } catch (error) {
    return [problem(check, `Could not list the backups in ${archives.place}: ${reasonOf(error)}`, placeHint)];
  }
}
