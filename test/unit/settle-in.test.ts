import { expect, test } from "bun:test";
import { settleIn } from "../../src/app/settle-in.ts";

function counted() {
  let runs = 0;
  const work = settleIn(() => void runs++);
  return { work, runs: () => runs };
}

test("work that settles in begins at once for who waits for it, and once", () => {
  const { work, runs } = counted();
  work.start();
  expect({ runs: runs(), isStarted: work.isStarted }).toEqual({ runs: 0, isStarted: true });
  work.begin();
  work.begin();
  expect(runs()).toBe(1);
});

test("work that was never started, or is stopped, does not begin", () => {
  const { work, runs } = counted();
  work.begin();
  expect({ runs: runs(), isStarted: work.isStarted }).toEqual({ runs: 0, isStarted: false });
  work.start();
  work.stop();
  work.begin();
  expect(runs()).toBe(0);
});

test("work begins by itself a moment after the start", async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  settleIn(resolve).start();
  await begun;
});
