import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copiedTables } from "../../src/adapters/storage/copy/copied-tables.ts";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { copyInstallation, type CopyPlace, type CopyProgress } from "../../src/app/copy.ts";
import type { S3Place } from "../../src/platform/blobs/place.ts";
import { fillEmptyTables } from "../support/filled-tables.ts";
import { startInstallation, useFeatures, viewOf } from "../support/installations.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { startS3Server } from "../support/s3-server.ts";

const left: (() => unknown)[] = [];
afterEach(async () => {
  for (const remove of left.splice(0).toReversed()) await remove();
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "outreachd-copy-"));
  left.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function createDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  left.push(() => database.drop());
  return database;
}

const inDirectory = (path: string): CopyPlace => ({
  ...{ kind: "directory", path, files: { kind: "disk", path: join(path, "blobs") } },
});
const onPostgres = ({ url }: { url: string }, files: S3Place | null): CopyPlace => ({
  ...{ kind: "postgres", url, prepare: true, files },
});

function startBucket() {
  const s3 = startS3Server({ bucket: "files" });
  left.push(() => s3[Symbol.asyncDispose]());
  const { url: endpoint, accessKeyId, secretAccessKey, bucket } = s3;
  const place: S3Place = {
    ...{ kind: "s3", bucket, prefix: "team", endpoint, region: "us-east-1", accessKeyId, secretAccessKey },
  };
  const env = {
    OUTREACHD_FILES: `s3://${bucket}/team`,
    OUTREACHD_S3_ENDPOINT: endpoint,
    OUTREACHD_S3_ACCESS_KEY_ID: accessKeyId,
    OUTREACHD_S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  return { s3, place, env };
}

const quietly = async () => {};
const copy = (
  from: CopyPlace,
  to: CopyPlace,
  isReplaced = false,
  onProgress = quietly as (p: CopyProgress) => Promise<void>,
) => copyInstallation({ from, to, isReplaced }, onProgress);

/** A data directory with rows in every table. */
async function filledDirectory(): Promise<string> {
  const path = directory();
  {
    await using installation = await startInstallation(path);
    await useFeatures(installation);
  }
  using database = new Database(join(path, "outreachd.db"), { readwrite: true });
  fillEmptyTables(database);
  return path;
}

test("a client notices no difference after a copy to PostgreSQL and S3, nor after one back", async () => {
  const [first, scratch, second] = [directory(), directory(), directory()];
  const database = await createDatabase();
  const { place, env } = startBucket();
  let before, key, voiceId;
  {
    await using installation = await startInstallation(first);
    ({ key } = installation);
    ({ voiceId } = await useFeatures(installation));
    before = await viewOf(installation, voiceId);
  }
  const there = await copy(inDirectory(first), onPostgres(database, place));
  expect(there.files.reduce((sum, { files }) => sum + files, 0)).toBeGreaterThan(3);
  {
    const onDatabase = { ...env, OUTREACHD_DATABASE: database.url };
    await using installation = await startInstallation(scratch, onDatabase, key);
    expect(await viewOf(installation, voiceId)).toEqual(before);
    await continues(installation);
    before = await viewOf(installation, voiceId);
  }
  await copy(onPostgres(database, place), inDirectory(second));
  await using installation = await startInstallation(second, {}, key);
  expect(await viewOf(installation, voiceId)).toEqual(before);
  await continues(installation);
});

/** Duplicates are found, and new rows get numbers that follow those of the source. */
async function continues({ ask, send }: Awaited<ReturnType<typeof startInstallation>>): Promise<void> {
  const [known] = (await ask<{ leads: { id: string }[] }>("GET", "/leads?q=grace@example.com")).leads;
  const again = { firstName: "Grace", email: "GRACE@example.com" };
  const { status, data } = await answerOf(await send("POST", "/leads?onDuplicate=update", again));
  expect({ status, id: data.id }).toEqual({ status: 200, id: known!.id });
  type Page = { events: { id: string; type: string }[] };
  const [latest] = (await ask<Page>("GET", "/events?limit=1")).events;
  const { id } = await ask<{ id: string }>("POST", "/leads", {
    firstName: "New",
    email: `${crypto.randomUUID()}@example.com`,
  });
  const [newest] = (await ask<Page>("GET", "/events?limit=1")).events;
  expect(newest).toMatchObject({ id: `${Number(latest!.id) + 1}`, type: "lead.created", leadId: id });
}

async function answerOf(answer: Response): Promise<{ status: number; data: { id: string } }> {
  return { status: answer.status, data: ((await answer.json()) as { data: { id: string } }).data };
}

test("rows of every table are the same on both sides, there and back", async () => {
  const [path, back] = [await filledDirectory(), directory()];
  const database = await createDatabase();
  const { place } = startBucket();
  const there = await copy(inDirectory(path), onPostgres(database, place));
  expect(there.tables.map(({ table }) => table)).toEqual(copiedTables.map(({ name }) => name));
  expect(there.tables.filter(({ rows }) => rows === 0)).toEqual([]);
  const returned = await copy(onPostgres(database, place), inDirectory(back));
  expect(returned.tables).toEqual(there.tables);
  expect(returned.files).toEqual(there.files);
  expect(readdirSync(back).filter((name) => name.includes(".copy"))).toEqual([]);
  using copied = new Database(join(back, "outreachd.db"), { readonly: true });
  expect(copied.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  copied.run(`ATTACH '${join(path, "outreachd.db")}' AS original`);
  for (const { name } of plainTables)
    expect(copied.query(`SELECT * FROM ${name} EXCEPT SELECT * FROM original.${name}`).all(), name).toEqual([]);
  // Indexes and triggers are those of the migrations.
  const objects = (schema: string) =>
    copied.query(`SELECT type, name, sql FROM ${schema}.sqlite_schema ORDER BY type, name`);
  expect(objects("main").all()).toEqual(objects("original").all());
});

/** Tables whose rows SQLite stores exactly as before. In texts, U+0000 is replaced. */
const plainTables = copiedTables.filter(({ columns, sqlite: { table, write } }) =>
  table === undefined && write === undefined
    ? columns.every(({ kind }) => kind === "whole" || kind === "bytes")
    : false,
);

test("PostgreSQL has all indexes and constraints afterward", async () => {
  const [path, empty, database] = [await filledDirectory(), await createDatabase(), await createDatabase()];
  const { place } = startBucket();
  await copy(inDirectory(path), onPostgres(database, place));
  expect(await objectsOf(database)).toEqual(await objectsOf(empty));
});

async function objectsOf({ url }: TestDatabase): Promise<unknown> {
  const client = connect(url, { poolSize: 1 });
  try {
    return {
      indexes: [...(await client`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`)],
      constraints: [
        ...(await client`
          SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
          WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`),
      ],
      columns: [
        ...(await client`
          SELECT table_name, column_name, column_default, is_nullable FROM information_schema.columns
          WHERE table_schema = 'public' ORDER BY 1, 2`),
      ],
    };
  } finally {
    await client.end();
  }
}

test("a target with data is refused, unless it is to be replaced", async () => {
  const path = directory();
  await (await startInstallation(path)).app.stop();
  const [database, back] = [await createDatabase(), directory()];
  await copy(inDirectory(path), onPostgres(database, null));
  await expect(copy(inDirectory(path), onPostgres(database, null))).rejects.toThrow("already contains data");
  await copy(inDirectory(path), onPostgres(database, null), true);
  await copy(onPostgres(database, null), inDirectory(back));
  await expect(copy(onPostgres(database, null), inDirectory(back))).rejects.toThrow("already contains data");
  const replaced = await copy(onPostgres(database, null), inDirectory(back), true);
  expect(await Bun.file(join(replaced.movedAside!, "outreachd.db")).exists()).toBe(true);
});

test("a source or target that a server uses is refused", async () => {
  const [path, scratch, other] = [directory(), directory(), directory()];
  const database = await createDatabase();
  {
    await using embedded = await startInstallation(path);
    await expect(copy(inDirectory(path), onPostgres(database, null))).rejects.toThrow("is using the data directory");
    void embedded;
  }
  await using onDatabase = await startInstallation(scratch, { OUTREACHD_DATABASE: database.url });
  await expect(copy(onPostgres(database, null), inDirectory(other))).rejects.toThrow("is using the database");
  await expect(copy(inDirectory(path), onPostgres(database, null), true)).rejects.toThrow("is using the database");
  void onDatabase;
});

test("another version of the schema is refused", async () => {
  const path = directory();
  await (await startInstallation(path)).app.stop();
  const database = await createDatabase();
  await copy(inDirectory(path), onPostgres(database, null));
  const client = connect(database.url, { poolSize: 1 });
  await client`UPDATE schema_migrations SET hash = 'other' WHERE number = 3`;
  await client.end();
  await expect(copy(onPostgres(database, null), inDirectory(directory()))).rejects.toThrow("another version");
  {
    using sqlite = new Database(join(path, "outreachd.db"), { readwrite: true });
    sqlite.run("UPDATE schema_migrations SET hash = 'other' WHERE number = 3");
  }
  await expect(copy(inDirectory(path), onPostgres(await createDatabase(), null))).rejects.toThrow("another version");
});

test("files are not left behind, and those of others are not touched", async () => {
  const path = await filledDirectory();
  const database = await createDatabase();
  const { s3, place } = startBucket();
  await expect(copy(inDirectory(path), onPostgres(database, null))).rejects.toThrow("no place for them");
  s3.objects.set("team/voice/other.original", new Uint8Array(3));
  await expect(copy(inDirectory(path), onPostgres(database, place))).rejects.toThrow("There are other files");
  s3.objects.delete("team/voice/other.original");
  await copy(inDirectory(path), onPostgres(database, place));
  await expect(copy(onPostgres(database, null), inDirectory(directory()))).rejects.toThrow("the place of its files");
});

test("a copy that stopped is continued, and until then no server starts on it", async () => {
  const path = await filledDirectory();
  const [database, back, scratch] = [await createDatabase(), directory(), directory()];
  const { place, env } = startBucket();
  const stopAt = (name: string) => async (step: CopyProgress) => {
    if (step.what === name) throw new Error("stopped");
  };
  for (const name of ["leads", "prospect_terms", "jobs_due"])
    await expect(copy(inDirectory(path), onPostgres(database, place), false, stopAt(name))).rejects.toThrow("stopped");
  const onDatabase = { ...env, OUTREACHD_DATABASE: database.url };
  await expect(startInstallation(scratch, onDatabase)).rejects.toThrow("copy to this database is not complete");
  await expect(copy(inDirectory(directory()), onPostgres(database, place))).rejects.toThrow("There is no database");
  const there = await copy(inDirectory(path), onPostgres(database, place));

  for (const name of ["leads", "prospect_terms", "jobs_due"])
    await expect(copy(onPostgres(database, place), inDirectory(back), false, stopAt(name))).rejects.toThrow("stopped");
  await expect(startInstallation(back)).rejects.toThrow("copy to the data directory");
  expect((await copy(onPostgres(database, place), inDirectory(back))).tables).toEqual(there.tables);
});

test("a copy is not continued with another source, and a source that has changed meanwhile is noticed", async () => {
  const [path, other] = [directory(), directory()];
  for (const each of [path, other]) await (await startInstallation(each)).app.stop();
  const database = await createDatabase();
  const stop = async (step: CopyProgress) => {
    if (step.what === "jobs_due") throw new Error("stopped");
  };
  await expect(copy(inDirectory(path), onPostgres(database, null), false, stop)).rejects.toThrow("stopped");
  await expect(copy(inDirectory(other), onPostgres(database, null))).rejects.toThrow("its source was");
  {
    using sqlite = new Database(join(path, "outreachd.db"), { readwrite: true });
    sqlite.run("UPDATE users SET name = 'Changed'");
  }
  await expect(copy(inDirectory(path), onPostgres(database, null))).rejects.toThrow("The table users differs");
  await copy(inDirectory(path), onPostgres(database, null), true);
});
