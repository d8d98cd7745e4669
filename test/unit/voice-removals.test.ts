import { expect, test } from "bun:test";
import { createLog } from "../../src/platform/base/log.ts";
import type { VoiceStore } from "../../src/features/voice/store.ts";
import { VoiceRemovals } from "../../src/features/voice/removals.ts";
import { FakeClock } from "../support/clock.ts";
import { pretendEngine } from "../support/voices.ts";

/** The queue alone, as the store keeps it. */
function queueOf(...artefacts: string[]) {
  let rows = artefacts.map((artefact, id) => ({ id, engine: "cartesia" as const, artefact, failures: 0, retryAt: 0 }));
  const store: Pick<VoiceStore, "removals" | "removalDone" | "removalFailed"> = {
    removals: async (limit, now) => rows.filter(({ retryAt }) => retryAt <= now).slice(0, limit),
    removalDone: async (id) => void (rows = rows.filter((row) => row.id !== id)),
    removalFailed: async (id, retryAt) =>
      void (rows = rows.map((row) => (row.id === id ? { ...row, failures: row.failures + 1, retryAt } : row))),
  };
  return { store: store as VoiceStore, left: () => rows.map(({ artefact }) => artefact) };
}

const log = createLog("silent");

test("a vendor that fails is asked again, later each time, until it has deleted the voice", async () => {
  const clock = new FakeClock();
  const vendor = pretendEngine();
  const queue = queueOf("a", "b");
  const removals = new VoiceRemovals(queue.store, { cartesia: vendor.engine }, clock, log);
  vendor.failRemovals(2);
  await removals.run();
  expect(queue.left()).toEqual(["a", "b"]);
  await removals.run();
  expect(vendor.removed).toEqual([]);
  clock.advance(60_000);
  vendor.failRemovals(1);
  await removals.run();
  expect(vendor.removed).toEqual(["b"]);
  clock.advance(119_999);
  await removals.run();
  expect(queue.left()).toEqual(["a"]);
  clock.advance(1);
  await removals.run();
  expect(vendor.removed).toEqual(["b", "a"]);
  expect(queue.left()).toEqual([]);
});

test("a voice of an engine that is not set up waits until it is", async () => {
  const clock = new FakeClock();
  const queue = queueOf("a");
  await new VoiceRemovals(queue.store, {}, clock, log).run();
  expect(queue.left()).toEqual(["a"]);
  clock.advance(60_000);
  await new VoiceRemovals(queue.store, { cartesia: pretendEngine().engine }, clock, log).run();
  expect(queue.left()).toEqual([]);
});
