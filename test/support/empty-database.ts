import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { FakeClock } from "./clock.ts";

let template: Promise<Uint8Array> | null = null;

/** Writes a database with all tables and no rows: much faster than running every migration. */
export async function placeEmptyDatabase(path: string): Promise<void> {
  template ??= makeTemplate();
  writeFileSync(path, await template, { mode: 0o600 });
}

async function makeTemplate(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "outreachd-template-"));
  const path = join(folder, "template.db");
  try {
    await openSqliteStorage(path, new FakeClock()).close();
    const database = new Database(path);
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
