import { expect, test } from "bun:test";
import { KeyTable } from "../../src/storage/sqlite/key-table.ts";
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
    expect([...table.sortedKeys()]).toEqual(pairs.map(([key]) => key).sort(ascending));
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
