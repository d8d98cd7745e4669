import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { blobsName, databaseName, restoreMark } from "../../../adapters/disk/data-directory.ts";
import { countOf, formatBytes } from "../progress.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** Room for some minutes of work. */
const tightBytes = 256 * 2 ** 20;
const scarceBytes = 2 * 2 ** 30;
/** Clocks of machines that are set by NTP differ by less. */
const toleratedMs = 60_000;
/** Somebody made this program after this moment. */
const earliest = Date.UTC(2026, 0, 1);

export function examineDirectory(dataDir: string, now: number): Finding[] {
  return [...permissions(dataDir), ...leftOver(dataDir), disk(dataDir), clock(dataDir, now)];
}

function permissions(dataDir: string): Finding[] {
  const check = "permissions";
  const findings: Finding[] = [];
  const own = process.getuid?.();
  const files = ["", databaseName, `${databaseName}-wal`, `${databaseName}-shm`, "lock.db", blobsName];
  const owner = statSync(dataDir).uid;
  for (const name of files.filter((name) => existsSync(join(dataDir, name)))) {
    const path = join(dataDir, name);
    const { uid, mode } = statSync(path);
    if (uid !== owner) {
      const hint = `Give it back with: chown -R ${owner} ${dataDir}`;
      findings.push(problem(check, `${path} belongs to user ${uid}, the data directory to user ${owner}.`, hint));
    }
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch {
      const hint = `Run this command as the user of the server (${owner}), or mend it with: chmod u+rw ${path}`;
      findings.push(problem(check, `${path} can't be read and written by user ${own}.`, hint));
    }
    if (name === "" && process.platform !== "win32" && (mode & 0o077) !== 0)
      findings.push(
        warning(check, `Others on this machine can look into ${path}.`, `Close it with: chmod 700 ${path}`),
      );
  }
  return findings.length > 0 ? findings : [ok(check, `The data directory ${dataDir} belongs to its user alone.`)];
}

function leftOver(dataDir: string): Finding[] {
  const check = "restore";
  if (existsSync(join(dataDir, restoreMark)))
    return [
      problem(check, "A restore was cut off: the data is not whole.", "Run `outreachd restore FILE --replace` again."),
    ];
  const old = readdirSync(dataDir).filter((name) => name.startsWith("before-restore-"));
  if (old.length === 0) return [];
  const hint = `When you need it no more: rm -r ${join(dataDir, "before-restore-*")}`;
  return [warning(check, `Data from before ${countOf(old.length, "restore")} still takes room.`, hint)];
}

function disk(dataDir: string): Finding {
  const check = "disk";
  const { bavail, bsize, blocks } = statfsSync(dataDir);
  const free = bavail * bsize;
  const message = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} are free on the disk of the data.`;
  if (free < tightBytes) return problem(check, message, "Make room now: with a full disk nothing can be stored.");
  if (free < scarceBytes) return warning(check, message, "Make room soon, or move the data to a larger disk.");
  return ok(check, message);
}

function clock(dataDir: string, now: number): Finding {
  const check = "clock";
  const newest = Math.max(...[databaseName, `${databaseName}-wal`].map((name) => changedAt(join(dataDir, name))));
  const hint = "Set the clock, best by NTP (timedatectl set-ntp true): schedules and expiry go by it.";
  const shown = new Date(now).toISOString();
  if (now < earliest) return problem(check, `The clock says ${shown}, which is long past.`, hint);
  if (newest > now + toleratedMs)
    return problem(
      check,
      `The clock says ${shown}, but files were written at ${new Date(newest).toISOString()}.`,
      hint,
    );
  return ok(check, `The clock says ${shown}, which fits the files.`);
}

function changedAt(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
