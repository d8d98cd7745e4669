import { copyFileSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock } from "./clock.ts";

/** An empty storage. `await using` closes it and leaves nothing behind. */
export type OpenedStorage = {
  /** After `reopen`: the new one. */
  readonly storage: Storage;
  /**
   * Opens what the next process would find if this one were killed at this moment: nothing is closed or flushed
   * before. The storage of before must not be used any more.
   */
  reopen(): Promise<Storage>;
  /** Safe to call twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type TestEngine = { name: string; open(): Promise<OpenedStorage> };

/** Every engine of the storage ports; the contract tests run over each. */
export const engines: TestEngine[] = [{ name: "sqlite", open: openSqlite }];

async function openSqlite(): Promise<OpenedStorage> {
  const root = await mkdtemp(join(tmpdir(), "outreachd-storage-"));
  const clock = new FakeClock();
  let lives = 0;
  let path = await nextPath();
  let storage = openSqliteStorage(path, clock);
  let isOpen = true;

  async function nextPath(): Promise<string> {
    const folder = join(root, `life-${++lives}`);
    await mkdir(folder);
    return join(folder, "outreachd.db");
  }

  async function reopen(): Promise<Storage> {
    const next = await nextPath();
    // The file and its log as they are on disk now, without the shared memory that dies with a process.
    for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) copyFileSync(path + suffix, next + suffix);
    const dead = storage;
    path = next;
    storage = openSqliteStorage(path, clock);
    await dead.close();
    return storage;
  }

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await storage.close();
    await rm(root, { recursive: true, force: true });
  }

  return {
    get storage() {
      return storage;
    },
    reopen,
    close,
    [Symbol.asyncDispose]: close,
  };
}
