import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlobTooLarge, type BlobStore } from "../../src/platform/blobs/blob-store.ts";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";

let root: string;
let blobs: BlobStore;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-blobs-"));
  blobs = createDiskBlobs(root);
});

afterEach(() => rmSync(root, { recursive: true }));

test("a stream becomes a file that only we can read, and its size is told", async () => {
  expect(await blobs.receive("imports/one", streamOf("hello ", "world"), 100)).toBe(11);
  const path = await blobs.localPath("imports/one");
  expect(await Bun.file(path).text()).toBe("hello world");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("no stream is an empty file", async () => {
  expect(await blobs.receive("imports/one", null, 100)).toBe(0);
  expect(await Bun.file(await blobs.localPath("imports/one")).text()).toBe("");
});

test("a large stream arrives whole, chunk by chunk as it comes", async () => {
  const chunks = Array.from({ length: 64 }, (_, n) => new Uint8Array(50_000).fill(n));
  expect(await blobs.receive("imports/one", streamOf(...chunks), 10_000_000)).toBe(3_200_000);
  const stored = await Bun.file(await blobs.localPath("imports/one")).bytes();
  expect(Bun.hash(stored)).toBe(Bun.hash(Buffer.concat(chunks)));
});

test("a stream as long as the limit is taken; one byte more is refused and leaves nothing", async () => {
  expect(await blobs.receive("imports/one", streamOf("12345", "67890"), 10)).toBe(10);
  await expect(blobs.receive("imports/two", streamOf("12345", "678901"), 10)).rejects.toThrow(BlobTooLarge);
  expect(readdirSync(join(root, "imports"))).toEqual(["one"]);
});

test("a stream that is too long is not read to its end", async () => {
  let canceled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    cancel: () => void (canceled = true),
  });
  await expect(blobs.receive("imports/one", endless, 10_000)).rejects.toThrow(BlobTooLarge);
  expect(canceled).toBe(true);
});

test("a stream that breaks off leaves nothing, and the error is passed on", async () => {
  let sent = 0;
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < 3) controller.enqueue(new Uint8Array(1000));
      else controller.error(new Error("The client went away"));
    },
  });
  await expect(blobs.receive("imports/one", broken, 10_000)).rejects.toThrow("The client went away");
  expect(readdirSync(join(root, "imports"))).toEqual([]);
});

test("a file appears under its name only when it is complete", async () => {
  const ready = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const slow = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new Uint8Array(10));
      ready.resolve();
      await end.promise;
      controller.close();
    },
  });
  const receiving = blobs.receive("imports/one", slow, 100);
  await ready.promise;
  expect(existsSync(await blobs.localPath("imports/one"))).toBe(false);
  end.resolve();
  await receiving;
  expect(await blobs.list("imports")).toEqual(["imports/one"]);
});

test("a failed replacement leaves the file that was there", async () => {
  await blobs.receive("imports/one", streamOf("old"), 100);
  await expect(blobs.receive("imports/one", streamOf("much too long"), 5)).rejects.toThrow(BlobTooLarge);
  expect(await Bun.file(await blobs.localPath("imports/one")).text()).toBe("old");
});

test("names below a folder are listed, those of other folders are not, and an unknown folder is empty", async () => {
  for (const name of ["imports/one", "imports/two", "voice/three"]) await blobs.receive(name, streamOf("x"), 100);
  expect((await blobs.list("imports")).toSorted()).toEqual(["imports/one", "imports/two"]);
  expect(await blobs.list("nothing")).toEqual([]);
});

test("what a killed process left unfinished is listed, so that it can be swept", async () => {
  await blobs.receive("imports/one", streamOf("x"), 100);
  await Bun.write(join(root, "imports/two.part"), "half");
  for (const name of await blobs.list("imports")) await blobs.remove(name);
  expect(readdirSync(join(root, "imports"))).toEqual([]);
});

test("a removed file is gone, and may be removed again", async () => {
  await blobs.receive("imports/one", streamOf("x"), 100);
  await blobs.remove("imports/one");
  await blobs.remove("imports/one");
  await blobs.remove("nothing/at-all");
  expect(await blobs.list("imports")).toEqual([]);
});

function streamOf(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const waiting = chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
  return new ReadableStream({
    pull(controller) {
      const chunk = waiting.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
