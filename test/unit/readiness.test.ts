import { expect, test } from "bun:test";
import { Readiness } from "../../src/platform/operations/readiness.ts";
import type { Log } from "../../src/platform/base/log.ts";
import { FakeClock } from "../support/clock.ts";

const second = 1000;
const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

test("all is well while the check finds nothing", async () => {
  const { readiness, lines } = setUp(async () => null);
  expect(await readiness.problem()).toBeNull();
  expect(lines).toEqual([]);
});

test("what the check answers or throws is told in words that give nothing away", async () => {
  expect(await setUp(async () => "the clock is wrong").readiness.problem()).toBe("the clock is wrong");
  expect(await setUp(() => Promise.reject(full)).readiness.problem()).toBe("the disk is full");
  expect(await setUp(() => Promise.reject(new Error("x of y"))).readiness.problem()).toBe(
    "database: the check failed; the log says why",
  );
});

test("all who ask within a second share one look", async () => {
  let looks = 0;
  const { readiness, clock } = setUp(async () => (looks++, null));
  await Promise.all([readiness.problem(), readiness.problem()]);
  clock.advance(second - 1);
  await readiness.problem();
  expect(looks).toBe(1);
  clock.advance(1);
  await readiness.problem();
  expect(looks).toBe(2);
});

test("a server that has just got going is ready at once", async () => {
  let told: string | null = "the server is starting";
  const { readiness } = setUp(
    async () => null,
    () => told,
  );
  expect(await readiness.failures()).toEqual([{ check: "node", reason: "the server is starting" }]);
  told = null;
  expect(await readiness.problem()).toBeNull();
});

test("a request that failed for the disk counts at once, and for five seconds", async () => {
  const { readiness, clock } = setUp(async () => null);
  expect(await readiness.problem()).toBeNull();
  readiness.reportError(full);
  expect(await readiness.problem()).toBe("the disk is full");
  clock.advance(4 * second);
  expect(await readiness.problem()).toBe("the disk is full");
  clock.advance(second);
  expect(await readiness.problem()).toBeNull();
});

test("a request that found no database counts only until the database is found again", async () => {
  let isReachable = true;
  const lost = Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" });
  const { readiness } = setUp(() => (isReachable ? Promise.resolve(null) : Promise.reject(lost)));
  expect(await readiness.problem()).toBeNull();
  isReachable = false;
  readiness.reportError(lost);
  expect(await readiness.problem()).toBe("the database cannot be reached");
  isReachable = true;
  readiness.reportError(lost);
  expect(await readiness.problem()).toBeNull();
});

test("a request that failed for another reason does not count", async () => {
  const { readiness } = setUp(async () => null);
  readiness.reportError(new Error("A fault of ours"));
  expect(await readiness.problem()).toBeNull();
});

test("the log hears of a problem once, and when it is over", async () => {
  let isFull = true;
  const { readiness, clock, lines } = setUp(() => (isFull ? Promise.reject(full) : Promise.resolve(null)));
  for (let turn = 0; turn < 4; turn++) {
    await readiness.problem();
    clock.advance(second);
    if (turn === 1) isFull = false;
  }
  expect(lines).toEqual(["not ready", "ready again"]);
});

test("every failed check is named with its reason, and one that does not respond fails too", async () => {
  const readiness = new Readiness({
    checkRunning: () => null,
    checks: [
      { name: "database", run: () => Promise.reject(full) },
      { name: "clock", run: async () => null },
      { name: "files", run: () => new Promise(() => {}) },
    ],
    clock: new FakeClock(),
    log: { error: () => {} } as unknown as Log,
  });
  expect(await readiness.failures()).toEqual([
    { check: "database", reason: "the disk is full" },
    { check: "files", reason: "files: no response within 2 seconds" },
  ]);
  expect(await readiness.problem()).toBe("the disk is full; files: no response within 2 seconds");
});

test("a server that is stopping checks nothing else", async () => {
  let looks = 0;
  const { readiness, lines } = setUp(
    async () => (looks++, null),
    () => "the server is stopping",
  );
  expect(await readiness.problem()).toBe("the server is stopping");
  expect(looks).toBe(0);
  expect(lines).toEqual(["info: not ready"]);
});

function setUp(run: () => Promise<string | null>, checkRunning: () => string | null = () => null) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = {
    error: (_fields: object, line: string) => void lines.push(line),
    info: (...args: [object, string] | [string]) => void lines.push(args.length === 1 ? args[0] : `info: ${args[1]}`),
  } as unknown as Log;
  return { clock, lines, readiness: new Readiness({ checkRunning, checks: [{ name: "database", run }], clock, log }) };
}
