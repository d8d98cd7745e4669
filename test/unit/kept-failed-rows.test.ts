import { expect, test } from "bun:test";
import { KeptFailedRows, maxFailedRowsBytes } from "../../src/features/leads/kept-failed-rows.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { FakeClock } from "../support/clock.ts";
import { blobStores } from "../support/blob-stores.ts";

async function* csv(text: string, times = 1) {
  for (let time = 0; time < times; time++) yield new TextEncoder().encode(text);
}

test("failed rows are kept for a week, while their import exists", async () => {
  await using files = await blobStores["a disk"]!();
  const { blobs } = files;
  const clock = new FakeClock(Date.now());
  const kept = new KeptFailedRows(blobs, clock, createLog("silent"));
  const [one, other] = [
    { workspaceId: "w1", id: "j1" },
    { workspaceId: "w2", id: "j2" },
  ];
  await kept.keep(one, csv("a"));
  await kept.keep(other, csv("b"));
  expect(await kept.sweep(async () => true)).toBe(0);
  expect(await kept.sweep(async (workspaceId, jobId) => `${workspaceId} ${jobId}` !== "w1 j1")).toBe(1);
  expect([await kept.find(one), (await kept.find(other))?.bytes]).toEqual([null, 1]);
  clock.advance(7 * 86_400_000 + 60_000);
  expect(await kept.sweep(async () => true)).toBe(1);
  expect(await kept.find(other)).toBeNull();
});

test("too many failed rows are not kept, and those of a workspace or of all are forgotten", async () => {
  await using files = await blobStores["a disk"]!();
  const kept = new KeptFailedRows(files.blobs, new FakeClock(), createLog("silent"));
  const ids = ["w1", "w2", "w3"].map((workspaceId) => ({ workspaceId, id: "j" }));
  const tooMany = csv("x".repeat(2 ** 20), maxFailedRowsBytes / 2 ** 20 + 1);
  expect(await kept.keep(ids[0]!, tooMany)).toBe("tooLarge");
  expect(await kept.find(ids[0]!)).toBeNull();
  for (const id of ids) expect(await kept.keep(id, csv("x"))).toBeNull();
  const found = () => Promise.all(ids.map(async (id) => (await kept.find(id)) !== null));
  await kept.forget("w1");
  expect(await found()).toEqual([false, true, true]);
  await kept.forget(null);
  expect(await found()).toEqual([false, false, false]);
});
