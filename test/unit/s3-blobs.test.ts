import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createS3Blobs } from "../../src/adapters/blobs/s3.ts";
import { Scratch } from "../../src/adapters/blobs/scratch.ts";
import { diskFaultOf } from "../../src/platform/base/disk-fault.ts";
import { BlobFault, type BlobStore } from "../../src/platform/blobs/blob-store.ts";
import { mayBeOrphan } from "../../src/platform/blobs/orphans.ts";
import type { S3Place } from "../../src/platform/blobs/place.ts";
import { placeOf, type S3Server } from "../support/blob-stores.ts";
import { createDirectory } from "../support/program.ts";
import { startS3Server } from "../support/s3-server.ts";
import { mountSmallDisk, testOnSmallDisk } from "../support/small-disk.ts";

const megabyte = 2 ** 20;

let server: S3Server;
let directory: Awaited<ReturnType<typeof createDirectory>>;
let scratch: string;

beforeEach(async () => {
  server = startS3Server({ region: "eu-central-1" });
  directory = await createDirectory();
  scratch = join(directory.path, "scratch");
});

afterEach(async () => {
  await server.stop();
  await directory[Symbol.asyncDispose]();
});

function open(place: Partial<S3Place> = {}, maxBytes = 10 * megabyte): BlobStore {
  return createS3Blobs({ ...placeOf(server), ...place }, new Scratch(scratch, maxBytes));
}

async function store(blobs: BlobStore, name: string, bytes: number, fill = 1): Promise<void> {
  async function* content() {
    for (let at = 0; at < bytes; at += megabyte) yield new Uint8Array(Math.min(megabyte, bytes - at)).fill(fill);
  }
  await blobs.receive(name, content(), bytes);
}

const uses: Record<string, (blobs: BlobStore) => Promise<unknown>> = {
  receive: (blobs) => store(blobs, "imports/one", 10),
  "receive in parts": (blobs) => store(blobs, "imports/one", 20 * megabyte),
  localFile: (blobs) => blobs.localFile("imports/one"),
  find: (blobs) => blobs.find("imports/one"),
  list: (blobs) => blobs.list("imports/"),
  touch: (blobs) => blobs.touch("imports/one", 0),
  remove: (blobs) => blobs.remove("imports/one"),
  check: (blobs) => blobs.check(),
};

const problems: Record<string, [place: Partial<S3Place>, code: string, words: string]> = {
  "a missing bucket": [{ bucket: "other" }, "BLOBS_NO_BUCKET", "the bucket for files does not exist"],
  "another region": [{ region: "us-east-1" }, "BLOBS_WRONG_REGION", "the bucket for files is in another region"],
  "a wrong key": [{ secretAccessKey: "wrong" }, "BLOBS_REFUSED", "the S3 service refused the access key for files"],
  "no service": [{ endpoint: "http://127.0.0.1:1" }, "BLOBS_UNREACHABLE", "the S3 service for files is unavailable"],
};

for (const [problem, [place, code, words]] of Object.entries(problems))
  test.each(Object.entries(uses))(`${problem} is told by %s`, async (_use, use) => {
    const error: unknown = await use(open(place)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(BlobFault);
    expect(error).toMatchObject({ code });
    expect(diskFaultOf(error)?.words).toBe(words);
  });

test("a bucket that fails is unavailable, and works again once it does not", async () => {
  const blobs = open();
  server.faults.fails = () => true;
  await expect(store(blobs, "imports/one", 10)).rejects.toMatchObject({ code: "BLOBS_UNREACHABLE" });
  await expect(blobs.check()).rejects.toMatchObject({ code: "BLOBS_UNREACHABLE" });
  server.faults.fails = () => false;
  await store(blobs, "imports/one", 10);
  expect((await blobs.find("imports/one"))?.bytes).toBe(10);
});

test("a service that takes connections and says nothing is not waited for without end", async () => {
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const place = { ...placeOf(server), endpoint: `http://127.0.0.1:${silent.port}` };
  const blobs = createS3Blobs(place, new Scratch(scratch, megabyte), { answerMs: 20, partMs: 30 });
  for (const [use, ask] of Object.entries(uses))
    if (use !== "check") await expect(ask(blobs)).rejects.toMatchObject({ code: "BLOBS_UNREACHABLE" });
});

test("a client that pauses longer than the service may is no stall", async () => {
  const blobs = createS3Blobs(placeOf(server), new Scratch(scratch, megabyte), { answerMs: 5000, partMs: 300 });
  async function* slow() {
    yield new Uint8Array(10);
    await Bun.sleep(600);
    yield new Uint8Array(10);
  }
  expect(await blobs.receive("imports/one", slow(), 100)).toBe(20);
});

test.each([10, 20 * megabyte])(
  "an upload of %d bytes that arrives changed is an error, and is not kept",
  async (bytes) => {
    const blobs = open();
    server.faults.delay = async (method) => {
      // Between the upload and the check of it.
      const [key] = server.objects.keys();
      if (method !== "HEAD" || key === undefined) return;
      server.objects.get(key)![3] = 7;
      server.records.delete(key);
    };
    await expect(store(blobs, "imports/one", bytes)).rejects.toThrow(
      "Expected imports/one to be stored as it was sent",
    );
    expect(server.objects.size).toBe(0);
  },
);

test.each(["uploads", "partNumber", "uploadId"])(
  "a failure at %s leaves neither an object nor parts",
  async (parameter) => {
    const blobs = open();
    server.faults.fails = (method, url) => method !== "DELETE" && url.searchParams.has(parameter);
    await expect(store(blobs, "imports/one", 20 * megabyte)).rejects.toMatchObject({ code: "BLOBS_UNREACHABLE" });
    while (server.uploads.size > 0) await Bun.sleep(5);
    expect(server.objects.size).toBe(0);
  },
);

test("an upload is read at the pace of the bucket", async () => {
  const blobs = open();
  const opened = Promise.withResolvers<void>();
  server.faults.delay = () => opened.promise;
  let read = 0;
  async function* content() {
    for (; read < 100; read++) yield new Uint8Array(megabyte);
  }
  const receiving = blobs.receive("imports/one", content(), 100 * megabyte);
  await Bun.sleep(300);
  expect(read).toBeLessThan(40);
  opened.resolve();
  expect(await receiving).toBe(100 * megabyte);
});

test("local files are in the scratch directory, which is emptied first and read by nobody else", async () => {
  mkdirSync(scratch);
  writeFileSync(join(scratch, "1"), "of a process that was killed");
  const blobs = open();
  expect(existsSync(scratch)).toBe(false);
  await store(blobs, "voice/one", 10);
  using file = await blobs.localFile("voice/one");
  expect(file.path).toStartWith(scratch);
  expect(readdirSync(scratch)).toHaveLength(1);
});

test("a local file is fetched once for all who ask, and stays until nobody has it", async () => {
  const blobs = open();
  await store(blobs, "voice/one", megabyte);
  let fetched = 0;
  server.faults.delay = async (method) => void (fetched += method === "GET" ? 1 : 0);
  const files = await Promise.all([1, 2, 3].map(() => blobs.localFile("voice/one")));
  expect(new Set(files.map(({ path }) => path)).size).toBe(1);
  expect(fetched).toBe(1);
  await blobs.remove("voice/one");
  files[0]![Symbol.dispose]();
  files[0]![Symbol.dispose]();
  expect(existsSync(files[0]!.path)).toBe(true);
  for (const file of files) file[Symbol.dispose]();
  while (existsSync(files[0]!.path)) await Bun.sleep(5);
});

test("the least recently used local files make room, but never those in use", async () => {
  const blobs = open({}, 3 * megabyte);
  for (const name of ["a", "b", "c", "d"]) await store(blobs, `voice/${name}`, megabyte);
  const paths: Record<string, string> = {};
  for (const name of ["a", "b", "c", "a"]) {
    using file = await blobs.localFile(`voice/${name}`);
    paths[name] = file.path;
  }
  using d = await blobs.localFile("voice/d");
  while (existsSync(paths["b"]!)) await Bun.sleep(5);
  expect([paths["a"]!, paths["c"]!, d.path].map((path) => existsSync(path))).toEqual([true, true, true]);
  await store(blobs, "voice/large", 3 * megabyte);
  await expect(blobs.localFile("voice/large")).rejects.toMatchObject({ code: "BLOBS_NO_SCRATCH" });
  expect(await Bun.file(d.path).bytes()).toEqual(new Uint8Array(megabyte).fill(1));
});

testOnSmallDisk("a scratch directory on a full disk is told, and what was written of a file goes", async () => {
  await using disk = mountSmallDisk(2 * megabyte);
  scratch = join(disk.path, "scratch");
  const blobs = open();
  await store(blobs, "voice/large", 4 * megabyte);
  const error: unknown = await blobs.localFile("voice/large").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "BLOBS_NO_SCRATCH" });
  expect(diskFaultOf(error)?.words).toBe("the scratch space for files is full");
  while (readdirSync(scratch).length > 0) await Bun.sleep(5);
  await store(blobs, "voice/small", megabyte, 2);
  using file = await blobs.localFile("voice/small");
  expect(await Bun.file(file.path).bytes()).toEqual(new Uint8Array(megabyte).fill(2));
});

test("in a store that others use too, only what is older than a day may be an orphan", () => {
  const blob = { name: "imports/one", bytes: 1, changedAt: Date.UTC(2026, 0, 5) };
  const day = 86_400_000;
  const shared = { isShared: true };
  expect(mayBeOrphan(blob, shared, blob.changedAt + day)).toBe(false);
  expect(mayBeOrphan(blob, shared, blob.changedAt + day + 1)).toBe(true);
  expect(mayBeOrphan(blob, { isShared: false }, blob.changedAt)).toBe(true);
});
