import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeLiveSnapshot } from "../../src/adapters/storage/copy/live-snapshot.ts";
import { DirectoryIndex } from "../../src/adapters/storage/postgres/directory/directory-index.ts";
import { connect, openEngine } from "../../src/adapters/storage/postgres/engine.ts";
import { numberEvents } from "../../src/adapters/storage/postgres/event-numbers.ts";
import { appendEvents } from "../../src/adapters/storage/postgres/event-rows.ts";
import { termRules } from "../../src/features/prospecting/facets/terms.ts";
import { startOfTests as now } from "../support/clock.ts";
import { startInstallation } from "../support/installations.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { openNodes } from "../support/postgres-nodes.ts";
import { people } from "../support/prospecting-api.ts";
import { mountSmallDisk, testOnSmallDisk } from "../support/small-disk.ts";

const left: (() => unknown)[] = [];
afterEach(async () => {
  for (const remove of left.splice(0).toReversed()) await remove();
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "outreachd-snapshot-"));
  left.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const serverAt = (url: string) => ({ url, shown: "the database", prepare: true, hasSettings: true });

/** What `read` finds in a snapshot, which is removed afterward. */
async function inSnapshot<T>(url: string, read: (database: Database) => T): Promise<T> {
  const folder = directory();
  const snapshot = await takeLiveSnapshot(serverAt(url), join(folder, "outreachd.db"), now, () => {});
  const file = join(folder, "outreachd.db.snapshot");
  try {
    using database = new Database(file, { readonly: true });
    return read(database);
  } finally {
    snapshot.close();
    expect(readdirSync(folder)).toEqual([]);
  }
}

test("events that wait for their position have the one that they get next, and the database is not changed", async () => {
  await using nodes = await openNodes();
  const { engine, workspaceId } = nodes;
  const append = (...leads: string[]) =>
    engine.transact((connection) =>
      appendEvents(
        connection,
        leads.map((leadId) => ({ type: "lead.created", workspaceId, at: now, leadId })),
      ),
    );
  await append("1", "2", "3");
  while ((await numberEvents(engine)) > 0);
  await append("4");
  const isInserted = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const open = engine.transact(async (connection) => {
    await appendEvents(connection, [{ type: "lead.created", workspaceId, at: now, leadId: "uncommitted" }]);
    isInserted.resolve();
    await commit.promise;
  });
  await isInserted.promise;
  await append("5");
  const found = await inSnapshot(nodes.url, (database) => ({
    events: database.query("SELECT seq, lead_id FROM events WHERE lead_id IS NOT NULL ORDER BY seq").values(),
    next: database.query("SELECT seq FROM sqlite_sequence WHERE name = 'events'").values(),
  }));
  commit.resolve();
  await open;
  const first = (found.events[0] as [number])[0];
  expect(found.events).toEqual(["1", "2", "3", "4", "5"].map((lead, n) => [first + n, lead]));
  expect(found.next).toEqual([[first + 4]]);
  const client = connect(nodes.url, { poolSize: 1 });
  left.push(() => client.end());
  expect([...(await client`SELECT lead_id FROM events WHERE position IS NULL ORDER BY id`)]).toEqual([
    { lead_id: "4" },
    { lead_id: "uncommitted" },
    { lead_id: "5" },
  ]);
});

/** A database whose directory of prospects has changes that are not folded into its index. */
async function withProspects(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  left.push(() => database.drop());
  await using installation = await startInstallation(directory(), { OUTREACHD_DATABASE: database.url });
  await installation.ask("POST", "/prospecting/import", people, { "content-type": "text/csv" });
  await installation.app.idle();
  type Found = { prospects: { id: string }[] };
  const { prospects } = await installation.ask<Found>("POST", "/prospecting/search", { filters: {} });
  await installation.ask("DELETE", `/prospecting/prospects/${prospects[0]!.id}`);
  return database;
}

const indexIn = (database: Database) => ({
  rules: database.query("SELECT rules FROM prospect_directories").values(),
  hasTerms: database.query("SELECT 1 FROM prospect_terms").get() !== null,
  hasSets: database.query("SELECT 1 FROM prospect_postings").get() !== null,
  hasKeys: database.query("SELECT 1 FROM prospect_key_pages").get() !== null,
});

test("the index of prospects is in a snapshot once all changes are folded, and is made anew otherwise", async () => {
  const { url } = await withProspects();
  expect(await inSnapshot(url, indexIn)).toEqual({ rules: [[0]], hasTerms: false, hasSets: false, hasKeys: false });
  const engine = openEngine(url);
  const [row] = await engine.orm.execute<{ owner: number }>("SELECT owner FROM prospect_directories");
  await new DirectoryIndex(engine).settle(row!.owner);
  await engine.close();
  const complete = { rules: [[termRules]], hasTerms: true, hasSets: true, hasKeys: true };
  expect(await inSnapshot(url, indexIn)).toEqual(complete);
});

test("a snapshot that is stopped, or finds another version, leaves nothing", async () => {
  const { url } = await withProspects();
  const folder = directory();
  const take = (onProgress: () => void) =>
    takeLiveSnapshot(serverAt(url), join(folder, "outreachd.db"), now, onProgress);
  const stop = (): void => {
    throw new Error("stopped");
  };
  await expect(take(stop)).rejects.toThrow("stopped");
  expect(readdirSync(folder)).toEqual([]);
  const client = connect(url, { poolSize: 1 });
  await client`UPDATE schema_migrations SET hash = 'other' WHERE number = 3`;
  await client.end();
  await expect(take(() => {})).rejects.toThrow("another version");
  expect(readdirSync(folder)).toEqual([]);
});

testOnSmallDisk("a snapshot that has no room is refused before it is taken", async () => {
  const { url } = await withProspects();
  await using disk = mountSmallDisk(66e6);
  const taking = takeLiveSnapshot(serverAt(url), join(disk.path, "outreachd.db"), now, () => {});
  await expect(taking).rejects.toMatchObject({
    code: "ENOSPC",
    message: expect.stringMatching(/needs \d+ MB beside 67 MB/),
  });
  expect(readdirSync(disk.path)).toEqual([]);
});
