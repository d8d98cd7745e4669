import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "./owned-folder.ts";

/** Beside the database and not inside it: a backup that is restored elsewhere must not take it along. */
const fileName = "installation-id";
/** 32 bits: only the few servers whose backups go to one place must differ. */
const form = /^[0-9a-f]{8}$/;

/** The id of a data directory that this process holds: 8 hex digits. Makes it durable, once, if there is none. */
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
  // A name that a power cut takes back would leave backups that nobody calls their own.
  syncPath(dataDir);
  return id;
}

/** Null when there is none yet, or the file has been damaged. */
export function readInstallationId(dataDir: string): string | null {
  try {
    const id = readFileSync(join(dataDir, fileName), "utf8").trim();
    return form.test(id) ? id : null;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
}
