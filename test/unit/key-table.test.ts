import { expect, test } from "bun:test";
import { KeyTable } from "../../src/lib/key-index/key-table.ts";
import { createDice } from "../support/ids.ts";

/** What a table has to know, as plain pairs. */
type Pair = [key: number, lead: number];

function leadsOf(pairs: Pair[], key: number): number[] {
  return pairs.filter(([each]) => each === key).map(([, lead]) => lead);
}

const ascending = (a: number, b: number): number => a - b;

test("a table knows what was added and not removed, however it grows, and after it was cleared", () => {
  const dice = createDice(7);
  const table = new KeyTable();
  for (let round = 0; round < 2; round++) {
    // Few keys, whose low bits are often the same: they have several leads, and meet on their way to a free slot.
    const keys = Array.from({ length: 300 }, (_, n) => (n % 2 === 0 ? n : n * 2 ** 40 + 5));
    let pairs: Pair[] = [];
    for (let lead = 0; lead < 3000; lead++) {
      const key = keys[dice.below(keys.length)]!;
      table.add(key, lead);
      pairs.push([key, lead]);
      if (lead % 3 > 0) continue;
      const gone = pairs[dice.below(pairs.length)]!;
      table.remove(...gone);
      pairs = pairs.filter((pair) => pair !== gone);
    }
    for (const key of keys) expect(table.find(key, []).sort(ascending)).toEqual(leadsOf(pairs, key));
    expect([...table.sortedKeys()]).toEqual([...new Set(pairs.map(([key]) => key))].sort(ascending));
    for (const [key, lead] of pairs) expect(table.hasRow(key, lead)).toBe(true);
    table.clear();
    expect(table.size).toBe(0);
    for (const key of keys) expect(table.find(key, [])).toEqual([]);
  }
});

test("rows are put behind those that were found elsewhere", () => {
  const table = new KeyTable();
  table.add(2 ** 53 - 1, 8);
  expect(table.find(2 ** 53 - 1, [3])).toEqual([3, 8]);
});

// Walking through the rows of the key for each of them would take hours.
test("a million rows of one key are added, asked for and removed one by one", () => {
  const table = new KeyTable();
  const [key, count] = [2 ** 40 + 5, 1_000_000];
  for (let row = 0; row < count; row++) {
    table.add(key, row);
    table.add(key, row); // as a write unit that runs again
    if (!table.has(key) || !table.hasRow(key, row)) expect.unreachable(`Row ${row} is not found`);
  }
  expect(table.size).toBe(count);
  expect(table.find(key, [])).toHaveLength(count);
  expect([...table.sortedKeys()]).toEqual([key]);
  for (let row = 0; row < count; row++) table.remove(key, row);
  expect(table.has(key)).toBe(false);
});
