import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { blobsName, databaseName, restoreMark } from "../../../adapters/disk/data-directory.ts";
import { countOf, formatBytes } from "../progress.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** Enough for a few minutes of work. */
const tightBytes = 256 * 2 ** 20;
const scarceBytes = 2 * 2 ** 30;
/** Clocks synchronized with NTP differ by less. */
const toleratedMs = 60_000;
/** This program was written after this time. */
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
      const hint = `Fix it with: chown -R ${owner} ${dataDir}`;
      findings.push(problem(check, `${path} belongs to user ${uid}, the data directory to user ${owner}.`, hint));
    }
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch {
      const hint = `Run this command as the user of the server (${owner}), or fix it with: chmod u+rw ${path}`;
      findings.push(problem(check, `${path} is not readable and writable by user ${own}.`, hint));
    }
    if (name === "" && process.platform !== "win32" && (mode & 0o077) !== 0)
      findings.push(
        warning(check, `Other users of this machine can access ${path}.`, `Fix it with: chmod 700 ${path}`),
      );
  }
  return findings.length > 0 ? findings : [ok(check, `Only its owner can access the data directory ${dataDir}.`)];
}

function leftOver(dataDir: string): Finding[] {
  const check = "restore";
  if (existsSync(join(dataDir, restoreMark)))
    return [
      problem(
        check,
        "A restore was interrupted, so the data is incomplete.",
        "Run `outreachd restore FILE --replace` again.",
      ),
    ];
  const old = readdirSync(dataDir).filter((name) => name.startsWith("before-restore-"));
  if (old.length === 0) return [];
  const hint = `Once you no longer need it: rm -r ${join(dataDir, "before-restore-*")}`;
  return [warning(check, `Data from before ${countOf(old.length, "restore")} still takes up space.`, hint)];
}

function disk(dataDir: string): Finding {
  const check = "disk";
  const { bavail, bsize, blocks } = statfsSync(dataDir);
  const free = bavail * bsize;
  const message = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} are free on the disk of the data directory.`;
  if (free < tightBytes) return problem(check, message, "Free some space now: nothing can be stored on a full disk.");
  if (free < scarceBytes) return warning(check, message, "Free some space soon, or move the data to a larger disk.");
  return ok(check, message);
}

function clock(dataDir: string, now: number): Finding {
  const check = "clock";
  const newest = Math.max(...[databaseName, `${databaseName}-wal`].map((name) => changedAt(join(dataDir, name))));
  const hint = "Set the clock, preferably with NTP (timedatectl set-ntp true). Schedules and expirations depend on it.";
  const shown = new Date(now).toISOString();
  if (now < earliest) return problem(check, `The clock shows ${shown}, which is far in the past.`, hint);
  if (newest > now + toleratedMs)
    return problem(
      check,
      `The clock shows ${shown}, but files were written at ${new Date(newest).toISOString()}.`,
      hint,
    );
  return ok(check, `The clock shows ${shown}, which matches the files.`);
}

function changedAt(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
