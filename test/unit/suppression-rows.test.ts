import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProspectStore } from "../../src/adapters/storage/sqlite/directory/prospects.ts";
import { openEngine } from "../../src/adapters/storage/sqlite/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { createCommonRows } from "../../src/adapters/storage/sqlite/common-rows.ts";
import { prospectContent } from "../../src/features/prospecting/content.ts";
import { suppressionKey } from "../../src/features/suppression/key.ts";
import type { Suppression } from "../../src/features/suppression/model.ts";
import { startOfTests } from "../support/clock.ts";

async function openRows(phoneRegion: Parameters<typeof openEngine>[1] = null) {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-suppression-"));
  const engine = openEngine(join(directory, "outreachd.db"), phoneRegion);
  migrate(engine.database, migrations, startOfTests);
  engine.database.run(`INSERT INTO workspaces VALUES (1, 'ada', 'Sales', 'UTC', ${startOfTests}, ${startOfTests})`);
  const common = createCommonRows(engine);
  return {
    engine,
    common,
    rows: common.suppressions,
    async [Symbol.asyncDispose]() {
      await engine.prospectIndex.close();
      engine.writer.close();
      await engine.reader.close();
      engine.database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function entry(value: string, kind: Suppression["kind"] = "email"): Suppression {
  const key = suppressionKey(kind, value);
  return {
    id: `id of ${value}`,
    workspaceId: "ada",
    kind,
    key,
    value,
    reason: null,
    source: "api",
    createdAt: startOfTests,
  };
}

test("an entry holds inside the write unit that adds it, and not when that is rolled back", async () => {
  await using opened = await openRows();
  const { engine, rows } = opened;
  const failing = engine.writer.write(() => {
    rows.add(entry("bob@example.com"));
    expect(rows.find("ada", { email: "bob@example.com" })).not.toBeNull();
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(rows.find("ada", { email: "bob@example.com" })).toBeNull();
});

test("an entry whose removal is rolled back goes on, whoever asks in between", async () => {
  await using opened = await openRows();
  const { engine, rows } = opened;
  const bob = entry("bob@example.com");
  await engine.writer.write(() => rows.add(bob));
  rows.reread();
  const found = () => rows.find("ada", { email: "bob@example.com" });
  const failing = engine.writer.write(() => {
    rows.remove({ id: bob.id, owner: 1, kind: "email", key: bob.key });
    expect(found()).toBeNull();
    throw new Error("changed my mind");
  });
  const behind = engine.writer.write(() => found());
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await behind).toMatchObject({ entryId: bob.id });
  expect(found()).toMatchObject({ entryId: bob.id });
});

test("numbers without a country code are read as those of the region", async () => {
  await using opened = await openRows("DE");
  const { engine, rows } = opened;
  await engine.writer.write(() => rows.add(entry("+4930123456", "phone")));
  const isFound = (phone: string) => rows.find("ada", { phone }) !== null;
  expect(["030 123456", "(030) 12 34 56", "0049 30 123456", "+49 30 123456"].map(isFound)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  expect(["030 123457", "+43 30 123456", "30 123", "call me", ""].map(isFound)).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});

test("what a directory ties together is known until the end, though somebody else asked first and is done", async () => {
  await using opened = await openRows();
  const { engine, common, rows } = opened;
  const profile = "https://network.example/in/bob";
  const bob = prospectContent({ email: "bob@example.com", networkUrl: profile });
  if ("errors" in bob) throw new Error(JSON.stringify(bob.errors));
  await createProspectStore(engine, common).put("ada", [bob], startOfTests);
  await engine.writer.write(() => rows.add(entry("bob@example.com")));
  const first = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const target = { profileKey: profile };
  const earlier = rows.knowing(
    () => [{ workspaceId: "ada", target }],
    async () => {
      first.resolve();
      await end.promise;
    },
  );
  await first.promise;
  const later = rows.knowing(
    () => [{ workspaceId: "ada", target }],
    async () => {
      await earlier; // as a write unit waits for its commit
      return rows.find("ada", target);
    },
  );
  end.resolve();
  expect(await later).toMatchObject({ entryId: "id of bob@example.com", isLinked: true });
  expect(rows.find("ada", target)).toBeNull();
});
