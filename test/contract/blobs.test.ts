import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { BlobTooLarge, type BlobStore } from "../../src/platform/blobs/blob-store.ts";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";
import { blobStores, type OpenedBlobs } from "../support/blob-stores.ts";
import { createDirectory } from "../support/program.ts";

describe.each(Object.entries(blobStores))("blobs on %s", (_, open) => {
  let opened: OpenedBlobs;
  let blobs: BlobStore;

  beforeEach(async () => {
    opened = await open();
    ({ blobs } = opened);
  });

  afterEach(() => opened[Symbol.asyncDispose]());

  async function textOf(name: string): Promise<string> {
    using file = await blobs.localFile(name);
    return await Bun.file(file.path).text();
  }

  test("a stream becomes a file that only we can read, and its size is told", async () => {
    expect(await blobs.receive("imports/one", streamOf("hello ", "world"), 100)).toBe(11);
    using file = await blobs.localFile("imports/one");
    expect(await Bun.file(file.path).text()).toBe("hello world");
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  test("no stream is an empty file", async () => {
    expect(await blobs.receive("imports/one", null, 100)).toBe(0);
    expect(await textOf("imports/one")).toBe("");
    expect((await blobs.find("imports/one"))?.bytes).toBe(0);
  });

  test("a large stream arrives whole, chunk by chunk as it comes", async () => {
    const chunks = Array.from({ length: 700 }, (_chunk, n) => new Uint8Array(50_000).fill(n));
    expect(await blobs.receive("imports/one", streamOf(...chunks), 40_000_000)).toBe(35_000_000);
    using file = await blobs.localFile("imports/one");
    const whole = Buffer.concat(chunks);
    expect(Bun.hash(await Bun.file(file.path).bytes())).toBe(Bun.hash(whole));
    const found = (await blobs.find("imports/one"))!;
    expect(found.bytes).toBe(35_000_000);
    expect(Bun.hash(await new Response(found.body(0, found.bytes)).bytes())).toBe(Bun.hash(whole));
    const part = await new Response(found.body(49_999, 30_000_001)).bytes();
    expect(Bun.hash(part)).toBe(Bun.hash(whole.subarray(49_999, 30_000_001)));
  });

  test("a stream as long as the limit is taken; one byte more is refused and leaves nothing", async () => {
    expect(await blobs.receive("imports/one", streamOf("12345", "67890"), 10)).toBe(10);
    await expect(blobs.receive("imports/two", streamOf("12345", "678901"), 10)).rejects.toThrow(BlobTooLarge);
    expect(opened.stored("imports")).toEqual(["one"]);
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

  test.each([3, 30_000])(
    "a stream that breaks off after %d chunks leaves nothing, and the error is passed on",
    async (n) => {
      let sent = 0;
      const broken = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent++ < n) controller.enqueue(new Uint8Array(1000));
          else controller.error(new Error("The client went away"));
        },
      });
      await expect(blobs.receive("imports/one", broken, 100_000_000)).rejects.toThrow("The client went away");
      // A bucket hears of it right after the caller does.
      while (opened.stored("imports").length > 0) await Bun.sleep(5);
    },
  );

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
    using file = await blobs.localFile("imports/one");
    expect(existsSync(file.path)).toBe(false);
    expect(await blobs.find("imports/one")).toBeNull();
    expect(await blobs.touch("imports/one", 0)).toBe(false);
    end.resolve();
    await receiving;
    expect(await namesBelow("imports/")).toEqual(["imports/one"]);
  });

  test("a failed replacement leaves the file that was there", async () => {
    await blobs.receive("imports/one", streamOf("old"), 100);
    await expect(blobs.receive("imports/one", streamOf("much too long"), 5)).rejects.toThrow(BlobTooLarge);
    expect(await textOf("imports/one")).toBe("old");
  });

  test("a file that is replaced has its new content everywhere", async () => {
    await blobs.receive("voice/one", streamOf("old"), 100);
    expect(await textOf("voice/one")).toBe("old");
    await blobs.receive("voice/one", streamOf("new"), 100);
    expect(await textOf("voice/one")).toBe("new");
    const found = await blobs.find("voice/one");
    expect(await new Response(found!.body(0, 3)).text()).toBe("new");
  });

  async function namesBelow(prefix: string): Promise<string[]> {
    return (await blobs.list(prefix)).map(({ name }) => name).toSorted();
  }

  test("names below a folder are listed, those of other folders are not, and an unknown folder is empty", async () => {
    for (const name of ["imports/one", "imports/two", "imports-old/one", "voice/three"])
      await blobs.receive(name, streamOf("x"), 100);
    expect(await namesBelow("imports/")).toEqual(["imports/one", "imports/two"]);
    expect(await namesBelow("imports/t")).toEqual(["imports/two"]);
    expect(await namesBelow("nothing/")).toEqual([]);
  });

  test("a list has the size of each file, and when it was stored or touched", async () => {
    const before = Date.now();
    await blobs.receive("speech/one", streamOf("hello"), 100);
    const [stored] = await blobs.list("speech/");
    expect(stored).toMatchObject({ name: "speech/one", bytes: 5 });
    // Some file systems and all buckets round to seconds.
    expect(Math.abs(stored!.changedAt - before)).toBeLessThan(60_000);
    const later = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    expect(await blobs.touch("speech/one", later)).toBe(true);
    expect(await blobs.list("speech/")).toEqual([{ name: "speech/one", bytes: 5, changedAt: later }]);
  });

  test("a removed file is gone, and may be removed again", async () => {
    await blobs.receive("imports/one", streamOf("x"), 100);
    await blobs.remove("imports/one");
    await blobs.remove("imports/one");
    await blobs.remove("nothing/at-all");
    expect(await blobs.list("imports/")).toEqual([]);
    expect(await blobs.find("imports/one")).toBeNull();
    using file = await blobs.localFile("imports/one");
    expect(existsSync(file.path)).toBe(false);
  });

  test("a check of a working store is silent", async () => {
    await blobs.check();
  });
});

test("on a disk, what a killed process left unfinished is listed, so that it can be swept", async () => {
  await using directory = await createDirectory();
  const blobs = createDiskBlobs(directory.path);
  await blobs.receive("imports/one", streamOf("x"), 100);
  await Bun.write(`${directory.path}/imports/two.part`, "half");
  expect(await blobs.list("imports/")).toHaveLength(2);
  for (const { name } of await blobs.list("imports/")) await blobs.remove(name);
  expect(await blobs.list("imports/")).toEqual([]);
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
