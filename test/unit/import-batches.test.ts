import { expect, test } from "bun:test";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { createImportHandler } from "../../src/features/leads/import-job.ts";
import { KeptFailedRows } from "../../src/features/leads/kept-failed-rows.ts";
import type { ImportBatch } from "../../src/features/leads/change-model.ts";
import type { ImportOnDuplicate } from "../../src/features/leads/model.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { JobRunner } from "../../src/platform/jobs/runner.ts";
import { blobStores } from "../support/blob-stores.ts";
import { FakeClock } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const fileOf = (from: number, to: number) =>
  `email\n${Array.from({ length: to - from }, (_none, at) => `p${from + at}@example.com`).join("\n")}\n`;

test("few rows are stored at once while many of them are known, so that other requests do not wait", async () => {
  await using setup = await createSetup();
  const { skip: few, update: fewer } = setup.knownRowsAtOnce;
  expect(fewer).toBeLessThan(few);
  expect(few).toBeLessThan(400);
  // The first rows show that people are new.
  expect(await setup.importFile(fileOf(0, 1000), "skip")).toEqual({
    sizes: [few, 400 - few, 400, 200],
    counts: { rows: 1000, created: 1000, updated: 0, skipped: 0 },
  });
  for (const onDuplicate of ["skip", "update"] as const) {
    const known = await setup.importFile(fileOf(0, 1000), onDuplicate);
    expect(Math.max(...known.sizes)).toBe(onDuplicate === "skip" ? few : fewer);
    expect(known.counts).toMatchObject({
      rows: 1000,
      created: 0,
      [onDuplicate === "skip" ? "skipped" : "updated"]: 1000,
    });
  }
  // New people behind known ones are stored many at once.
  const mixed = await setup.importFile(fileOf(600, 3000), "skip");
  expect(mixed.counts).toMatchObject({ created: 2000, skipped: 400 });
  expect(mixed.sizes.slice(0, 4)).toEqual([few, few, 400 - 2 * few, few]);
  expect(mixed.sizes.slice(-4)).toEqual([400, 400, 400, 400]);
});

test("without a comparison, rows are always stored many at once", async () => {
  await using setup = await createSetup();
  for (let times = 0; times < 2; times++)
    expect(await setup.importFile(fileOf(0, 500), "create")).toMatchObject({
      sizes: [400, 100],
      counts: { created: 500 },
    });
});

/** Runs imports and tells how many rows were stored at once. */
async function createSetup() {
  const files = await blobStores["a disk"]!();
  const clock = new FakeClock();
  const log = createLog("silent");
  const storage = openSqliteStorage(":memory:", clock);
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  let sizes: number[] = [];
  const leads = {
    ...storage.leads,
    importBatch: (batch: ImportBatch) => {
      sizes.push(batch.rows.numbers.length);
      return storage.leads.importBatch(batch);
    },
  };
  const failedRows = new KeptFailedRows(files.blobs, clock, log);
  const jobs = { find: storage.jobs.get };
  const handler = createImportHandler(leads, storage.workspaces, files.blobs, failedRows, jobs, clock);
  const runner = new JobRunner(storage.jobs, [handler], clock, createFactories(2).ids, log);
  runner.start();
  return {
    knownRowsAtOnce: storage.leads.knownRowsAtOnce,
    async importFile(text: string, onDuplicate: ImportOnDuplicate) {
      sizes = [];
      const payload = { format: "csv", delimiter: null, columns: null, tags: [], source: null };
      const job = await make.storedJob(storage, user.id, { payload: { ...payload, onDuplicate, dryRun: false } });
      await files.blobs.receive(`imports/${job.id}`, new Response(text).body, 1_000_000);
      runner.poke();
      await runner.idle();
      const { metadata, status } = (await storage.jobs.get(user.id, job.id))!;
      expect(status).toBe("completed");
      const { rows, created, updated, skipped } = metadata as Record<string, number>;
      return { sizes, counts: { rows, created, updated, skipped } };
    },
    async [Symbol.asyncDispose]() {
      await runner.stop(0);
      await storage.close();
      await files[Symbol.asyncDispose]();
    },
  };
}
