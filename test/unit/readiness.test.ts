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
  expect(await setUp(async () => "the job runner is not running").readiness.problem()).toBe(
    "the job runner is not running",
  );
  expect(await setUp(() => Promise.reject(full)).readiness.problem()).toBe("the disk is full");
  expect(await setUp(() => Promise.reject(new Error("x of y"))).readiness.problem()).toBe(
    "the database is not working",
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
  let told: string | null = "the job runner is not running";
  const { readiness } = setUp(async () => told);
  expect(await readiness.problem()).toBe("the job runner is not running");
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

function setUp(check: () => Promise<string | null>) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = {
    error: (_fields: object, line: string) => void lines.push(line),
    info: (line: string) => void lines.push(line),
  } as unknown as Log;
  return { clock, lines, readiness: new Readiness(check, clock, log) };
}
