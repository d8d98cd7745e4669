import { expect, test } from "bun:test";
import { SharedTimeLimit } from "../../src/features/network/shared-time-limit.ts";
import { FakeClock } from "../support/clock.ts";

const never = <T>(): Promise<T> => new Promise(() => {});

test("answers what came in time, and leaves no timer behind", async () => {
  const clock = new FakeClock();
  const limit = new SharedTimeLimit(clock, 1000);
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();
  const both = [limit.within(() => first.promise), limit.within(() => second.promise)];
  first.resolve("first");
  expect(await both[0]).toBe("first");
  expect(clock.pending).toHaveLength(1);
  second.resolve("second");
  expect(await both[1]).toBe("second");
  expect(clock.pending).toHaveLength(0);
});

test("each call has its whole time, whoever began beside it", async () => {
  const clock = new FakeClock();
  const limit = new SharedTimeLimit(clock, 1000);
  const signals: AbortSignal[] = [];
  const begin = () =>
    limit.within((signal) => {
      signals.push(signal);
      return never();
    });
  const early = begin();
  clock.advance(400);
  const late = begin();
  clock.advance(600);
  expect(await early).toBe("timedOut");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  clock.advance(400);
  expect(await late).toBe("timedOut");
  expect(signals[1]!.aborted).toBe(true);
});

test("a call that fails says so, at once or later, and the next has a limit of its own", async () => {
  const clock = new FakeClock();
  const limit = new SharedTimeLimit(clock, 1000);
  const fails = (): Promise<string> => {
    throw new Error("at once");
  };
  await expect(limit.within(fails)).rejects.toThrow("at once");
  await expect(limit.within(() => Promise.reject(new Error("later")))).rejects.toThrow("later");
  expect(clock.pending).toHaveLength(0);
  const hanging = limit.within(never);
  clock.advance(1000);
  expect(await hanging).toBe("timedOut");
  expect(await limit.within(async () => "fine")).toBe("fine");
});
