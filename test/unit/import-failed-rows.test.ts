import { expect, test } from "bun:test";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { createImportHandler } from "../../src/features/leads/import-job.ts";
import { KeptFailedRows } from "../../src/features/leads/kept-failed-rows.ts";
import { createLog } from "../../src/platform/base/log.ts";
import type { BlobStore } from "../../src/platform/blobs/blob-store.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import { JobRunner } from "../../src/platform/jobs/runner.ts";
import { blobStores } from "../support/blob-stores.ts";
import { FakeClock } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

test("an import is completed although its failed rows cannot be stored, and says so", async () => {
  await using setup = await createSetup(async () => {
    throw new Error("The bucket answered 500.");
  });
  const job = await setup.importFile("email\nada@example.com\nnobody\n");
  expect(job).toMatchObject({
    status: "completed",
    metadata: { created: 1, failed: 1, failedRowsNotKept: "notStored" },
    message: expect.stringContaining("The failed rows are not kept, because they could not be stored on the server"),
  });
});

test("the failed rows of an import that is canceled while they are written are removed at once", async () => {
  await using setup = await createSetup(async (receive) => {
    const bytes = await receive();
    await setup.cancel();
    return bytes;
  });
  const job = await setup.importFile("email\nada@example.com\nnobody\n");
  expect(job).toMatchObject({ status: "failed", metadata: { canceled: true } });
  expect(setup.kept()).toEqual([]);
});

test("those of an import that another run holds stay", async () => {
  await using setup = await createSetup(async (receive) => {
    const bytes = await receive();
    await setup.claimAgain();
    return bytes;
  });
  const job = await setup.importFile("email\nada@example.com\nnobody\n");
  expect(job).toMatchObject({ status: "running", attempt: 2 });
  expect(setup.kept()).toHaveLength(1);
});

/** Runs imports; `keep` is what happens when failed rows are stored. */
async function createSetup(keep: (receive: () => Promise<number>) => Promise<number>) {
  const files = await blobStores["a disk"]!();
  const blobs: BlobStore = {
    ...files.blobs,
    receive: (name, stream, maxBytes) => {
      const receive = () => files.blobs.receive(name, stream, maxBytes);
      return name.startsWith("failed-rows/") ? keep(receive) : receive();
    },
  };
  const clock = new FakeClock();
  const log = createLog("silent");
  const storage = openSqliteStorage(":memory:", clock);
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const jobs = { find: storage.jobs.get };
  const failedRows = new KeptFailedRows(blobs, clock, log);
  const handler = createImportHandler(storage.leads, storage.workspaces, blobs, failedRows, jobs, clock);
  const runner = new JobRunner(storage.jobs, [handler], clock, createFactories(2).ids, log);
  let job: Job | null = null;
  return {
    async importFile(text: string) {
      const payload = { format: "csv", delimiter: null, columns: null, tags: [], source: null };
      job = await make.storedJob(storage, user.id, { payload: { ...payload, onDuplicate: "create", dryRun: false } });
      await blobs.receive(`imports/${job.id}`, new Response(text).body, 1000);
      runner.start();
      await runner.idle();
      return await storage.jobs.get(user.id, job.id);
    },
    cancel: () => storage.jobs.cancel(user.id, job!.id, clock.now()),
    /** As another node does after the lease. */
    claimAgain() {
      const now = clock.now() + 61_000;
      return storage.jobs.claim({ type: "lead_import", limit: 1, now, leaseUntil: now + 1000 });
    },
    kept: () => files.stored("failed-rows"),
    async [Symbol.asyncDispose]() {
      await runner.stop(0);
      await storage.close();
      await files[Symbol.asyncDispose]();
    },
  };
}
