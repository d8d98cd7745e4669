import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../src/adapters/storage/sqlite/engine.ts";
import { createLeadStore } from "../../src/adapters/storage/sqlite/leads.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { createCommonRows } from "../../src/adapters/storage/sqlite/common-rows.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { createUserStore } from "../../src/adapters/storage/sqlite/users.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const byAge = { field: "createdAt", descending: false } as const;
const nothing = { networkUrl: null, firstName: null, lastName: null, company: null };

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-leads-"));
  path = join(folder, "outreachd.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

test("leads with one email address are all listed and counted, however many they are", async () => {
  const make = createFactories();
  const email = "office@example.com";
  let workspaceId = "";
  await withStorage(async (storage) => {
    workspaceId = (await make.storedUser(storage)).user.id;
    for (let n = 0; n < 60; n++) await make.storedLead(storage, workspaceId, { ...nothing, email });
  });
  mergeKeys();
  await withStorage(async (storage) => {
    expect(await storage.leads.count(workspaceId, { email })).toBe(60);
    const page = await storage.leads.page({
      workspaceId,
      filter: { email },
      sort: byAge,
      limit: 100,
      offset: 0,
      after: null,
    });
    expect(page.leads).toHaveLength(60);
  });
});

test("a duplicate is found however many leads had its email address before", async () => {
  const make = createFactories();
  const email = "office@example.com";
  let workspaceId = "";
  await withStorage(async (storage) => {
    workspaceId = (await make.storedUser(storage)).user.id;
    for (let n = 0; n < 30; n++) {
      const lead = await make.storedLead(storage, workspaceId, { ...nothing, email });
      await storage.leads.update(make.leadUpdate(lead, { email: `own${n}@example.com` }));
    }
    await make.storedLead(storage, workspaceId, { ...nothing, email });
  });
  mergeKeys();
  await withStorage(async (storage) => {
    expect((await storage.leads.insert(make.leadInsert(workspaceId, { ...nothing, email }, "error"))).kind).toBe(
      "duplicate",
    );
  });
});

test("a lead that comes while a list is searched is shown to nobody but its owner", async () => {
  const engine = openEngine(path);
  migrate(engine.database, migrations, 0);
  const make = createFactories();
  const users = createUserStore(engine, createCommonRows(engine));
  const [ada, bob] = [make.newUser(), make.newUser()];
  for (const newcomer of [ada, bob]) await users.insert(newcomer);
  let betweenLooks = async (): Promise<unknown> => undefined;
  const reader = Object.assign(Object.create(engine.reader) as typeof engine.reader, {
    all: async (query: Parameters<typeof engine.reader.all>[0]) => {
      const rows = await engine.reader.all(query);
      await betweenLooks();
      return rows;
    },
  });
  const leads = createLeadStore({ ...engine, reader }, createCommonRows(engine));
  const own = make.leadInsert(ada.user.id, { company: "Engines" });
  await leads.insert(own);
  betweenLooks = async () => {
    await leads.remove({ workspaceId: ada.user.id, id: own.lead.id, version: null, at: startOfTests });
    await leads.insert(make.leadInsert(bob.user.id, { company: "Secret" }));
  };
  const page = await leads.page({
    workspaceId: ada.user.id,
    filter: { text: "Engines" },
    sort: byAge,
    limit: 10,
    offset: 0,
    after: null,
  });
  expect(page.leads).toEqual([]);
  engine.writer.close();
  await engine.reader.close();
  engine.database.close();
});

async function withStorage(run: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = openSqliteStorage(path, new FakeClock());
  try {
    await run(storage);
  } finally {
    await storage.close();
  }
}

/** Leaves the database as a merge of its log of keys does; a merge by itself needs tens of thousands of leads. */
function mergeKeys(): void {
  using database = new Database(path, { readwrite: true });
  const insert = database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)");
  for (const [blob] of database.query("SELECT entries FROM lead_keys_log").values() as [Uint8Array][]) {
    const entries = new Float64Array(blob.slice().buffer);
    for (let at = 0; at < entries.length; at += 2) insert.run(entries[at]!, entries[at + 1]!);
  }
  database.run("DELETE FROM lead_keys_log");
}
