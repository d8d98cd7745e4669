import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "./owned-folder.ts";

/** Stored next to the database and not in it, because a backup restored elsewhere must not contain it. */
const fileName = "installation-id";
/** 32 bits: it only has to differ between the few servers that share a backup destination. */
const form = /^[0-9a-f]{8}$/;

/**
 * Returns the ID of a data directory that this process has locked: 8 hex digits. Creates it durably if it does not
 * exist.
 */
export function installationId(dataDir: string): string {
  const known = readInstallationId(dataDir);
  if (known !== null) return known;
  const id = randomBytes(4).toString("hex");
  const path = join(dataDir, fileName);
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true }); // of a process that was killed
  writeFileSync(unfinished, `${id}\n`, { mode: 0o600, flag: "wx" });
  syncPath(unfinished, dataDir);
  renameSync(unfinished, path);
  // An ID lost in a power failure would leave backups that belong to no server.
  syncPath(dataDir);
  return id;
}

/** Returns null if it does not exist yet, or if the file is damaged. */
export function readInstallationId(dataDir: string): string | null {
  try {
    const id = readFileSync(join(dataDir, fileName), "utf8").trim();
    return form.test(id) ? id : null;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
}
