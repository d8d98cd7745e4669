import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "../../src/platform/blobs/blob-store.ts";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";
import { FileImports } from "../../src/platform/imports/file-imports.ts";
import { FileIntake } from "../../src/platform/imports/file-intake.ts";
import { retryableMs } from "../../src/platform/imports/job-files.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import { JobRunner } from "../../src/platform/jobs/runner.ts";
import { JobService } from "../../src/platform/jobs/service.ts";
import type { JobStore } from "../../src/platform/jobs/store.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { createLog } from "../../src/platform/base/log.ts";
import {
  createProspectImportHandler,
  prospectImportKind,
  type ProspectImportSettings,
} from "../../src/features/prospecting/import-job.ts";
import type { ProspectReportRow } from "../../src/features/prospecting/directory-model.ts";
import type { ProspectReportRequest } from "../../src/features/prospecting/store.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { FakeClock } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";
import { createIds } from "../support/ids.ts";

/** Where a test stops what goes on, until it opens. */
class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  async pass(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
  }

  open(): void {
    this.#opened.resolve();
  }
}

/** What runs into a gate, while there is one. */
type Gates = { insert?: Gate; localFile?: Gate; end?: Gate };

const settings: ProspectImportSettings = {
  ...{ format: "csv", delimiter: null, encoding: null, columns: null, source: null },
  ...{ onDuplicate: "update", dryRun: false },
};
const file = "Email,Company\nada@example.com,Engines\ngrace@example.com,Navy\n";

/** Imports of files as the service puts them together, on a disk and with a runner that a test starts. */
async function createImports(change: (blobs: BlobStore) => Partial<BlobStore> = () => ({})) {
  const folder = await mkdtemp(join(tmpdir(), "outreachd-imports-"));
  const clock = new FakeClock();
  const storage = openSqliteStorage(join(folder, "x.db"), clock);
  const { user } = await createFactories().storedUser(storage);
  const gates: Gates = {};
  const disk = createDiskBlobs(join(folder, "blobs"));
  const blobs: BlobStore = {
    ...disk,
    ...change(disk),
    async localFile(name) {
      await gates.localFile?.pass();
      return disk.localFile(name);
    },
  };
  const store: JobStore = {
    ...storage.jobs,
    async insert(job, audit) {
      await gates.insert?.pass();
      await storage.jobs.insert(job, audit);
    },
    async end(claim, end) {
      await gates.end?.pass();
      return storage.jobs.end(claim, end);
    },
  };
  const handler = createProspectImportHandler(storage.prospects, blobs, clock);
  const runner = new JobRunner(store, [handler], clock, createIds(2), createLog("silent"));
  const jobs = new JobService(store, clock, () => runner.poke());
  /** As of another process, which knows nothing of what this one is doing. */
  const createProcess = () =>
    new FileImports<ProspectImportSettings, ProspectReportRequest, ProspectReportRow>(
      prospectImportKind(storage.prospects),
      jobs,
      new FileIntake(jobs, blobs, clock, createIds(3)),
    );
  const imports = createProcess();
  const caller: Caller = {
    ...{ keyId: "k", keyName: "Key", workspaceId: user.id, userId: user.id, role: "member" },
    ...{ memberRole: "owner", permissions: ["*"] },
    ...{ requiresApproval: false, expiresAt: null, isLocal: false, keyHash: null },
  };
  return {
    ...{ gates, clock, storage, runner, jobs, user },
    start: (stream: ReadableStream<Uint8Array> = new Blob([file]).stream()): Promise<Job> =>
      imports.start(caller, user.id, stream, settings, 1e6, () => new Error("Too large")),
    sweep: (by = imports) => by.sweep((id) => storage.jobs.isOpen(id, clock.now() - retryableMs)),
    createProcess,
    files: async () => (await disk.list("prospect-imports/")).map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await runner.stop(0);
      await storage.close();
      await rm(folder, { recursive: true, force: true });
      expect(existsSync(folder)).toBe(false);
    },
  };
}

type Imports = Awaited<ReturnType<typeof createImports>>;

/** Cancels a job at a moment of its life. */
const canceled: Record<string, (imports: Imports) => Promise<Job>> = {
  async "before it is claimed"({ start, jobs, user }) {
    const { id } = await start();
    return jobs.cancel(user.id, id);
  },
  async "before it is read for the first time"(imports) {
    return canceledAt("localFile", imports);
  },
  async "before its end is written"(imports) {
    return canceledAt("end", imports);
  },
};

async function canceledAt(place: "localFile" | "end", { gates, start, runner, jobs, user }: Imports): Promise<Job> {
  const gate = (gates[place] = new Gate());
  const { id } = await start();
  runner.start();
  await gate.reached;
  const job = await jobs.cancel(user.id, id);
  delete gates[place];
  gate.open();
  return job;
}

for (const [moment, cancel] of Object.entries(canceled)) {
  test(`the file of an import that is canceled ${moment} stays while it can be retried, and no longer`, async () => {
    await using imports = await createImports();
    const job = await cancel(imports);
    imports.runner.start();
    await imports.runner.idle();
    expect(job).toMatchObject({ status: "failed", metadata: { canceled: true } });
    expect(await imports.jobs.get(imports.user.id, job.id)).toMatchObject({ status: "failed", message: "Canceled" });
    expect([await imports.sweep(), await imports.files()]).toEqual([0, [`prospect-imports/${job.id}`]]);
    imports.clock.advance(retryableMs - 1);
    expect(await imports.sweep()).toBe(0);
    imports.clock.advance(1);
    expect([await imports.sweep(), await imports.files()]).toEqual([1, []]);
  });

  test(`an import that is canceled ${moment} and retried stores all of its rows, and its file goes`, async () => {
    await using imports = await createImports();
    const { id } = await cancel(imports);
    await imports.jobs.retry(imports.user.id, id);
    imports.runner.start();
    await imports.runner.idle();
    const job = await imports.jobs.get(imports.user.id, id);
    expect(job).toMatchObject({ status: "completed", metadata: { rows: 2, created: 2, updated: 0 } });
    expect(await imports.files()).toEqual([]);
  });
}

test("what is being taken in stays, half a file and one without a job yet; what a crash has left of it goes", async () => {
  await using imports = await createImports();
  const half = new Gate();
  const bytes = new TextEncoder().encode(file);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(bytes.subarray(0, 20));
      await half.pass();
      controller.enqueue(bytes.subarray(20));
      controller.close();
    },
  });
  const whole = (imports.gates.insert = new Gate());
  const started = imports.start(stream);
  await half.reached;
  expect([await imports.sweep(), (await imports.files()).length]).toEqual([0, 1]);
  half.open();
  await whole.reached;
  expect([await imports.sweep(), (await imports.files()).length]).toEqual([0, 1]);
  whole.open();
  const { id } = await started;
  expect([await imports.sweep(), await imports.files()]).toEqual([0, [`prospect-imports/${id}`]]);

  const lost = (imports.gates.insert = new Gate());
  void imports.start().catch(() => undefined);
  await lost.reached;
  expect([await imports.sweep(imports.createProcess()), await imports.files()]).toEqual([
    1,
    [`prospect-imports/${id}`],
  ]);
});

test("a file that a crash has left behind the end of its job is removed by the next sweep", async () => {
  let isDead = true;
  await using imports = await createImports((disk) => ({
    remove: async (name) => {
      if (isDead) throw new Error("The process has died");
      await disk.remove(name);
    },
  }));
  const { id } = await imports.start();
  imports.runner.start();
  await imports.runner.idle();
  expect((await imports.jobs.get(imports.user.id, id)).status).toBe("completed");
  await imports.runner.stop(0);
  const waiting = await imports.start();
  expect(await imports.files()).toHaveLength(2);
  isDead = false;
  expect([await imports.sweep(), await imports.files()]).toEqual([1, [`prospect-imports/${waiting.id}`]]);
});

test("in a store that other processes use, a file without a job is theirs, until it is older than a day", async () => {
  await using imports = await createImports(() => ({ isShared: true }));
  const gate = (imports.gates.insert = new Gate());
  const starting = imports.start();
  await gate.reached;
  // Files have the real time.
  imports.clock.advance(Date.now() - imports.clock.now() + 3_600_000);
  const other = imports.createProcess();
  expect([await imports.sweep(other), (await imports.files()).length]).toEqual([0, 1]);
  imports.clock.advance(86_400_000);
  expect([await imports.sweep(), (await imports.files()).length]).toEqual([0, 1]);
  expect([await imports.sweep(other), (await imports.files()).length]).toEqual([1, 0]);
  gate.open();
  await starting;
});
