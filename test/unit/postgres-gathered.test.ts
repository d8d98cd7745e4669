import { describe, expect, test } from "bun:test";
import { gathered } from "../../src/adapters/storage/postgres/gathered.ts";

describe("writes that are gathered", () => {
  test("share the write that follows the one in progress, at most as many as allowed", async () => {
    const batches: number[][] = [];
    const { promise: isFirstDone, resolve: endFirst } = Promise.withResolvers<void>();
    const write = gathered(3, async (items: readonly number[]) => {
      batches.push([...items]);
      if (batches.length === 1) await isFirstDone;
      return items.map((item) => item * 10);
    });
    const values = [1, 2, 3, 4, 5, 6].map(write);
    endFirst();
    expect(await Promise.all(values)).toEqual([10, 20, 30, 40, 50, 60]);
    expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
    expect(await write(7)).toBe(70);
  });

  test("are repeated one by one if the write fails, so that only the item at fault does", async () => {
    const batches: number[][] = [];
    const write = gathered(9, async (items: readonly number[]) => {
      batches.push([...items]);
      if (items.includes(3)) throw new Error("3 is refused");
      return [...items];
    });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(write));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
    expect(await write(5)).toBe(5);
  });
});
