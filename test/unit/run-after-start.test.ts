import { expect, test } from "bun:test";
import { runAfterStart } from "../../src/app/run-after-start.ts";

function counted() {
  let runs = 0;
  const work = runAfterStart(() => void runs++);
  return { work, runs: () => runs };
}

test("deferred work can be run early, and runs once", () => {
  const { work, runs } = counted();
  work.start();
  expect({ runs: runs(), isStarted: work.isStarted }).toEqual({ runs: 0, isStarted: true });
  work.runNow();
  work.runNow();
  expect(runs()).toBe(1);
});

test("work that was never started, or is stopped, does not run", () => {
  const { work, runs } = counted();
  work.runNow();
  expect({ runs: runs(), isStarted: work.isStarted }).toEqual({ runs: 0, isStarted: false });
  work.start();
  work.stop();
  work.runNow();
  expect(runs()).toBe(0);
});

test("deferred work runs shortly after the start", async () => {
  const { promise: hasRun, resolve } = Promise.withResolvers<void>();
  runAfterStart(resolve).start();
  await hasRun;
});
