import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createDiskBlobs } from "../../src/adapters/blobs/disk.ts";
import type { BlobContent } from "../../src/platform/blobs/model.ts";
import { SpeechCache } from "../../src/features/voice/speech-cache.ts";
import { FakeClock } from "../support/clock.ts";
import { createDirectory } from "../support/program.ts";

async function setUp(maxBytes: number) {
  const directory = await createDirectory();
  const clock = new FakeClock();
  const cache = new SpeechCache(createDiskBlobs(directory.path), maxBytes, clock);
  const names = () => readdirSync(join(directory.path, "speech")).toSorted();
  return { ...directory, clock, cache, names };
}

test("what was kept is found again, and while it is being written it is there already", async () => {
  await using set = await setUp(1000);
  expect(await set.cache.find("ada", "k.wav")).toBeNull();
  const parts = [Uint8Array.of(1, 2), Uint8Array.of(3)];
  const kept = set.cache.store("ada", "k.wav", parts);
  expect(await set.cache.find("ada", "k.wav")).toEqual(parts);
  await kept;
  const file = (await set.cache.find("ada", "k.wav")) as BlobContent;
  expect(await new Response(file.body(0, file.bytes)).bytes()).toEqual(Uint8Array.of(1, 2, 3));
});

test("the least recently used goes when there is too much", async () => {
  await using set = await setUp(100);
  for (const key of ["a", "b", "c"]) {
    await set.cache.store("ada", key, [new Uint8Array(30)]);
    await set.cache.find("ada", key);
    set.clock.advance(1000);
  }
  await set.cache.find("ada", "a");
  set.clock.advance(1000);
  await set.cache.store("ada", "d", [new Uint8Array(30)]);
  expect(set.names()).not.toContain("ada.b");
  expect(set.names()).toContain("ada.a");
});

test("caches of several processes over one store notice what the others keep", async () => {
  await using directory = await createDirectory();
  const blobs = { ...createDiskBlobs(directory.path), isShared: true };
  const caches = [1, 2, 3].map(() => new SpeechCache(blobs, 100, new FakeClock()));
  for (let round = 0; round < 10; round++)
    for (const [n, cache] of caches.entries()) await cache.store("ada", `${round}-${n}`, [new Uint8Array(10)]);
  // At most a fifth more by each, and the file that makes it look again.
  expect(readdirSync(join(directory.path, "speech")).length).toBeLessThanOrEqual(19);
});

test("nothing is kept where nothing may be, nor what is larger than all", async () => {
  await using set = await setUp(10);
  await set.cache.store("ada", "k", [new Uint8Array(11)]);
  expect(await set.cache.find("ada", "k")).toBeNull();
  await using none = await setUp(0);
  await none.cache.store("ada", "k", [new Uint8Array(1)]);
  expect(await none.cache.find("ada", "k")).toBeNull();
});

test("speech that is on its way to the disk is not swept from under its writer, and goes with its voice all the same", async () => {
  await using set = await setUp(1000);
  const writes = ["ada", "eve"].map((clone) => set.cache.store(clone, "k", [new Uint8Array(1)]));
  await set.cache.sweep(async (clone) => clone === "eve");
  await Promise.all(writes);
  expect(set.names()).toEqual(["eve.k"]);
});

test("speech goes with its voice", async () => {
  await using set = await setUp(1000);
  for (const clone of ["ada", "bob"]) await set.cache.store(clone, "k", [new Uint8Array(1)]);
  await set.cache.removeVoice("ada");
  expect(set.names()).toEqual(["bob.k"]);
  await set.cache.store("eve", "k", [new Uint8Array(1)]);
  await set.cache.sweep(async (clone) => clone === "eve");
  expect(set.names()).toEqual(["eve.k"]);
});
