import { expect, test } from "bun:test";
import { sortedEntries } from "../../src/lib/key-index/key-entries.ts";
import { KeyChains } from "../../src/lib/key-index/key-lists.ts";
import { RecentKeys } from "../../src/lib/key-index/recent-keys.ts";
import { pick, seeded } from "../support/random.ts";

const everything = Number.POSITIVE_INFINITY;
const found = (table: KeyChains, key: number, most = everything): number[] => {
  const numbers: number[] = [];
  table.find(key, numbers, most);
  return numbers;
};

test("a table of keys finds what was added, the latest first, however much that is", () => {
  const random = seeded(1);
  const table = new KeyChains();
  const known = new Map<number, number[]>();
  const keys = Array.from({ length: 4000 }, () => Math.floor(random() * 2 ** 53));
  for (let number = 1; number <= 10_000; number++) {
    const key = pick(keys, random);
    table.add(key, number);
    known.set(key, [number, ...(known.get(key) ?? [])]);
  }
  for (const key of keys) expect(found(table, key)).toEqual(known.get(key) ?? []);
  expect(table.has(keys[0]! + 1)).toBe(false);
  const [key, numbers] = [...known].find(([, all]) => all.length > 3)!;
  expect(found(table, key, 2)).toEqual(numbers.slice(0, 2));
});

test("a table of keys that was cleared knows nothing, and serves again", () => {
  const table = new KeyChains();
  for (let key = 0; key < 1000; key++) table.add(key, key + 1);
  table.clear();
  expect(Array.from({ length: 1000 }, (_, key) => found(table, key)).flat()).toEqual([]);
  table.add(7, 3);
  expect([found(table, 7), found(table, 8)]).toEqual([[3], []]);
});

test.each([
  ["hashes", (random: () => number) => Math.floor(random() * 2 ** 53)],
  ["many of one key", (random: () => number) => Math.floor(random() * 3) * 2 ** 51],
  ["no hashes: small numbers", (random: () => number) => Math.floor(random() * 500)],
])("entries are sorted by key, and stay in their order where that is the same: %s", (_, keyOf) => {
  const random = seeded(2);
  const entries = Array.from({ length: 5000 }, (_each, number) => ({ key: keyOf(random), number }));
  const part = (start: number, end: number) => ({
    keys: Float64Array.from(entries.slice(start, end), ({ key }) => key),
    numbers: Uint32Array.from(entries.slice(start, end), ({ number }) => number),
  });
  const sorted = sortedEntries([part(0, 3000), part(3000, 5000)]);
  const expected = entries.toSorted((a, b) => a.key - b.key || a.number - b.number);
  expect([...sorted.keys]).toEqual(expected.map(({ key }) => key));
  expect([...sorted.numbers]).toEqual(expected.map(({ number }) => number));
});

test("keys of what was stored lately are found in the order in which they came, as long as somebody may ask", () => {
  const recent = new RecentKeys();
  const endOfFirst = recent.begin();
  recent.beginUnit();
  recent.add(5, 1);
  recent.add(5, 2);
  const endOfSecond = recent.begin();
  recent.beginUnit();
  recent.add(5, 3);
  recent.add(6, 4);
  expect(recent.find(5)).toEqual([1, 2, 3]);
  endOfFirst();
  expect(recent.find(5)).toEqual([3]);
  recent.beginUnit(); // in the memory of the first
  recent.add(7, 5);
  expect([recent.find(5), recent.find(6), recent.find(7)]).toEqual([[3], [4], [5]]);
  endOfSecond();
  expect([recent.find(5), recent.find(7)]).toEqual([[], []]);
});
