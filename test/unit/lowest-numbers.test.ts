import { expect, test } from "bun:test";
import { LowestNumbers } from "../../src/lib/search-index/lowest-numbers.ts";
import { seeded } from "../support/random.ts";

test.each([1, 2, 7, 100, 5000])("slices of %p come to all numbers, each once and in order", (most) => {
  const random = seeded(most);
  const numbers = Array.from({ length: 3000 }, () => Math.floor(random() * 4000));
  const all = [...new Set(numbers)].toSorted((a, b) => a - b);
  const found: number[] = [];
  for (let from = 0, more = true; more && from < 4000;) {
    const lowest = new LowestNumbers(from, most);
    for (const number of numbers) lowest.add(number);
    const slice = lowest.take();
    expect(slice.length).toBeLessThanOrEqual(most);
    found.push(...slice);
    more = slice.length === most;
    from = (slice.at(-1) ?? 0) + 1;
    if (most === 1 && found.length === 50) break; // goes through all of them for each
  }
  expect(found).toEqual(all.slice(0, found.length));
  expect(found.length).toBe(most === 1 ? 50 : all.length);
});

test("numbers that are not wanted take no room", () => {
  const lowest = new LowestNumbers(10, 3);
  expect([...lowest.take()]).toEqual([]);
  for (const number of [9, 12, 12, 11, 12, 11, 10, 50, 2 ** 32 - 1, 13, 10]) lowest.add(number);
  expect([...lowest.take()]).toEqual([10, 11, 12]);
});
