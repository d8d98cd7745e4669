import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/app/config/config.ts";
import { copyInstallation, type CopyProgress } from "../../src/app/copy.ts";
import { requireEmpty, restoreToDatabase } from "../../src/app/restore-database.ts";
import type { FilesPlace } from "../../src/platform/blobs/place.ts";
import { startInstallation, useFeatures, viewOf } from "../support/installations.ts";
import { createTestDatabase } from "../support/postgres.ts";

const left: (() => unknown)[] = [];
afterEach(async () => {
  for (const remove of left.splice(0).toReversed()) await remove();
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "outreachd-restore-"));
  left.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** An empty database, and how a backup that was unpacked to `path` is restored to it, whose files are in `files`. */
async function arrange(path: string, files: FilesPlace) {
  const database = await createTestDatabase();
  left.push(() => database.drop());
  const config = loadConfig({ flags: {}, env: { OUTREACHD_DATABASE: database.url, OUTREACHD_LOG_LEVEL: "silent" } });
  const createdAt = "2026-01-05T10:00:00.000Z";
  const restore = async (onProgress: (step: CopyProgress) => Promise<void> = async () => {}) => {
    const unpacked = directory();
    {
      using original = new Database(join(path, "outreachd.db"), { readonly: true });
      original.run("VACUUM INTO ?", [join(unpacked, "outreachd.db")]);
    }
    const note = { backupOf: createdAt, version: "0.1.0" };
    await restoreToDatabase({ path: unpacked, createdAt, note }, config, config.database!, files, onProgress);
  };
  return { url: database.url, config, restore, isEmpty: () => requireEmpty(config.database!) };
}

test("a restore that was interrupted starts over, and nothing starts on what it has left", async () => {
  const [path, scratch] = [directory(), directory()];
  let before, key, voiceId;
  {
    await using installation = await startInstallation(path);
    ({ key } = installation);
    ({ voiceId } = await useFeatures(installation));
    before = await viewOf(installation, voiceId);
  }
  const { url, restore, isEmpty } = await arrange(path, { kind: "disk", path: join(scratch, "blobs") });
  const stop = async (step: CopyProgress): Promise<void> => {
    if (step.what === "events") throw new Error("stopped");
  };
  await isEmpty();
  await expect(restore(stop)).rejects.toThrow("stopped");
  const onDatabase = { OUTREACHD_DATABASE: url };
  await expect(startInstallation(scratch, onDatabase)).rejects.toThrow("copy to this database is not complete");
  await isEmpty();
  await restore();
  await expect(isEmpty()).rejects.toThrow("already contains data");
  cpSync(join(path, "blobs"), join(scratch, "blobs"), { recursive: true });
  await using installation = await startInstallation(scratch, onDatabase, key);
  const { "/audit": audit, ...after } = await viewOf(installation, voiceId);
  const { "/audit": auditBefore, ...others } = before;
  expect(after).toEqual(others);
  const actions = (view: unknown) => (view as { entries: { action: string }[] }).entries.map(({ action }) => action);
  expect(actions(audit)).toEqual(["backup.restored", ...actions(auditBefore)]);
});

test("a restore does not replace a copy that is to be continued", async () => {
  const path = directory();
  await (await startInstallation(path)).app.stop();
  const files: FilesPlace = { kind: "disk", path: join(path, "blobs") };
  const { url, restore } = await arrange(path, files);
  const stop = async (step: CopyProgress): Promise<void> => {
    if (step.what === "events") throw new Error("stopped");
  };
  const to = { kind: "postgres", url, prepare: true, files } as const;
  const copying = copyInstallation({ from: { kind: "directory", path, files }, to, isReplaced: false }, stop);
  await expect(copying).rejects.toThrow("stopped");
  await expect(restore()).rejects.toThrow(`A copy from ${path} to`);
});
