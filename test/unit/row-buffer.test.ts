import { expect, test } from "bun:test";
import { RowBuffer } from "../../src/features/prospecting/import/row-buffer.ts";

const raw = (text: string) => ({ facet: "title" as const, raw: text, epoch: 0, number: 0 });

test("rows come out in their order, with the numbers of what their terms are made of, each told once", () => {
  const buffer = new RowBuffer();
  const [baker, clerk] = [raw("Baker"), raw("Clerk")];
  for (const [row, values] of [
    [2, [baker]],
    [3, [clerk, baker]],
    [4, []],
  ] as const) {
    buffer.begin(10);
    buffer.byte(row);
    buffer.key(row * 100);
    for (const value of values) buffer.raw(value);
    buffer.end(row, "person", row % 4);
  }
  const first = buffer.take(2);
  expect([...first.rows]).toEqual([2, 3]);
  expect([...first.found.keys]).toEqual([200, 300]);
  expect([...first.found.beside]).toEqual([2, 3]);
  expect([...first.found.raws]).toEqual([0, 1, 0]);
  expect([...first.found.rawCounts]).toEqual([1, 2]);
  expect([first.found.from, first.found.added]).toEqual([0, ["title Baker", "title Clerk"]]);
  const second = buffer.take(2);
  expect([[...second.rows], [...second.text], [...second.found.raws]]).toEqual([[4], [4], []]);
  expect([second.found.epoch, second.found.from, second.found.added]).toEqual([first.found.epoch, 2, []]);
});

test("a row that is taken back leaves nothing behind", () => {
  const buffer = new RowBuffer();
  buffer.begin(10);
  buffer.bytes(new Uint8Array([1, 2, 3]));
  buffer.key(1);
  buffer.raw(raw("Baker"));
  buffer.cancel();
  buffer.put(5, "person", "[]", [9], 1);
  const { rows, text, found } = buffer.take(10);
  expect([[...rows], [...text], [...found.keys], [...found.raws]]).toEqual([[5], [0x5b, 0x5d], [9], []]);
});

test("numbers begin anew when there are too many, and rows that have those of before are told without", () => {
  const buffer = new RowBuffer();
  const put = (row: number, text: string): void => {
    buffer.begin(10);
    buffer.raw(raw(text));
    buffer.end(row, "person", row % 4);
  };
  for (let row = 0; row <= 50_001; row++) put(row, `Title ${row}`);
  const before = buffer.take(50_001);
  expect(before.found.added).toHaveLength(50_002);
  put(60_000, "Baker");
  const after = buffer.take(10);
  expect(after.found.epoch).not.toBe(before.found.epoch);
  expect([[...after.rows], [...after.found.rawCounts]]).toEqual([
    [50_001, 60_000],
    [0, 1],
  ]);
  expect([after.found.from, after.found.added]).toEqual([0, ["title Baker"]]);
});
