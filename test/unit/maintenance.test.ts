import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { Maintenance, type Chore } from "../../src/platform/jobs/maintenance.ts";
import { createLog, type Log } from "../../src/platform/base/log.ts";
import { startOfTests } from "../support/clock.ts";

// Croner knows only the timers of the platform.
beforeEach(() => {
  jest.useFakeTimers({ now: startOfTests });
});
afterEach(() => {
  jest.useRealTimers();
});

const everySecond = "* * * * * *";

test("a chore runs at each of its turns, and not before", () => {
  let runs = 0;
  const maintenance = started({ pattern: "*/10 * * * * *", run: () => void runs++ });
  expect(runs).toBe(0);
  jest.advanceTimersByTime(9_000);
  expect(runs).toBe(0);
  jest.advanceTimersByTime(22_000);
  expect(runs).toBe(3);
  maintenance.stop();
});

test("a chore that takes longer than its turn is not started a second time", async () => {
  let runs = 0;
  const end = Promise.withResolvers<void>();
  const maintenance = started({
    run: async () => {
      runs++;
      await end.promise;
    },
  });
  jest.advanceTimersByTime(5_000);
  expect(runs).toBe(1);
  end.resolve();
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  jest.advanceTimersByTime(1_000);
  expect(runs).toBe(2);
  maintenance.stop();
});

test("a chore that fails is run again at its next turn", async () => {
  let runs = 0;
  const maintenance = started({
    run: async () => {
      runs++;
      throw new Error("The disk is full");
    },
  });
  for (let second = 0; second < 3; second++) {
    jest.advanceTimersByTime(1_000);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  expect(runs).toBe(3);
  maintenance.stop();
});

test("a chore that keeps failing is told of once, and when something else is wrong, and when it works again", async () => {
  const outcomes = ["The disk is full", "The disk is full", "The disk is gone", null, null, "The disk is full"];
  const lines: string[] = [];
  const log = {
    error: ({ err }: { err: Error }) => void lines.push(err.message),
    info: (_fields: object, line: string) => void lines.push(line),
  } as unknown as Log;
  const run = async () => {
    const problem = outcomes.shift();
    if (problem) throw new Error(problem);
  };
  const maintenance = new Maintenance([{ name: "test", pattern: everySecond, run }], log);
  maintenance.start();
  while (outcomes.length > 0) {
    jest.advanceTimersByTime(1_000);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  expect(lines).toEqual(["The disk is full", "The disk is gone", "chore recovered", "The disk is full"]);
  maintenance.stop();
});

test("a chore that is under way when everything stops, and so fails, is nothing to tell of", async () => {
  const lines: string[] = [];
  const log = { error: ({ err }: { err: Error }) => void lines.push(err.message) } as unknown as Log;
  const closing = Promise.withResolvers<void>();
  const run = async () => closing.promise;
  const maintenance = new Maintenance([{ name: "test", pattern: everySecond, run }], log);
  maintenance.start();
  jest.advanceTimersByTime(1_000);
  maintenance.stop();
  closing.reject(new Error("The database is closed"));
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  expect(lines).toEqual([]);
});

test("starting twice does not double the chores, and stopping ends them, also twice", () => {
  let runs = 0;
  const maintenance = started({ run: () => void runs++ });
  maintenance.start();
  jest.advanceTimersByTime(3_000);
  expect(runs).toBe(3);
  maintenance.stop();
  maintenance.stop();
  jest.advanceTimersByTime(10_000);
  expect(runs).toBe(3);
});

function started(chore: Partial<Chore>): Maintenance {
  const maintenance = new Maintenance(
    [{ name: "test", pattern: everySecond, run: () => {}, ...chore }],
    createLog("silent"),
  );
  maintenance.start();
  return maintenance;
}
