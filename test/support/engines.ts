import { copyFileSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import type { EmbeddedStorage, Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock } from "./clock.ts";
import { placeEmptyDatabase } from "./empty-database.ts";
import { createTestDatabase } from "./postgres.ts";

/** An empty storage. `await using` closes it and leaves nothing behind. */
export type OpenedStorage<S extends Storage = Storage> = {
  /** After `reopen`: the new one. */
  readonly storage: S;
  /**
   * Opens what the next process would find if this one were killed at this moment: nothing is closed or flushed
   * before. The storage of before must not be used any more.
   */
  reopen(): Promise<S>;
  /** Safe to call twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type TestEngine<S extends Storage = Storage> = {
  name: string;
  /** Concurrent requests take effect in the order in which they were made, and a restart ends the leases of jobs. */
  isSingleWriter: boolean;
  open(): Promise<OpenedStorage<S>>;
};

const sqlite: TestEngine<EmbeddedStorage> = { name: "sqlite", isSingleWriter: true, open: openSqlite };
const postgres: TestEngine = { name: "postgres", isSingleWriter: false, open: openPostgres };

/** A run of the tests covers one engine; starting PostgreSQL for the others would take a third of their time. */
const isOnPostgres = process.env["OUTREACHD_TEST_STORAGE"] === "postgres";

/** For the suites of what only the embedded engine has. */
export const engines: TestEngine<EmbeddedStorage>[] = isOnPostgres ? [] : [sqlite];

/** The contract tests run over each. */
export const enginesAndPostgres: TestEngine[] = isOnPostgres ? [postgres] : [sqlite];

async function openSqlite(): Promise<OpenedStorage<EmbeddedStorage>> {
  const root = await mkdtemp(join(tmpdir(), "outreachd-storage-"));
  const clock = new FakeClock();
  let lives = 0;
  let path = await nextPath();
  await placeEmptyDatabase(path);
  let storage = openSqliteStorage(path, clock);
  let isOpen = true;

  async function nextPath(): Promise<string> {
    const folder = join(root, `life-${++lives}`);
    await mkdir(folder);
    return join(folder, "outreachd.db");
  }

  async function reopen(): Promise<EmbeddedStorage> {
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

async function openPostgres(): Promise<OpenedStorage> {
  const database = await createTestDatabase();
  const clock = new FakeClock();
  let storage = await openPostgresStorage(database.url, clock);
  let isOpen = true;

  async function reopen(): Promise<Storage> {
    await database.disconnect();
    await storage.close();
    storage = await openPostgresStorage(database.url, clock);
    return storage;
  }

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await storage.close();
    await database.release();
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
