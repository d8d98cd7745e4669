import { expect, test } from "bun:test";
import {
  isLead,
  RowPacker,
  rowsBetween,
  withList,
  type ImportRow,
} from "../../src/features/leads/import/packed-rows.ts";
import { leadKeysOf, phoneKey } from "../../src/features/leads/identity.ts";
import { createFactories } from "../support/factories.ts";
import { unpackedRows } from "../support/lead-files.ts";

const make = createFactories();
const errors: ImportRow = { row: 3, errors: [{ path: "tags", message: 'Expected "x".', index: 1 }] };

function packed(rows: ImportRow[], packer = new RowPacker(7)) {
  for (const row of rows)
    if ("errors" in row) packer.addErrors(row.row, row.errors);
    else packer.add(row.row, row.id, row.content, row.identity);
  return packer.take();
}

test("rows come out as they were put in, leads and errors, in their order", () => {
  const rows = [
    make.importRow(2, { firstName: 'Zoë "Z" \\', company: "株式会社", title: "🦊", notes: "one\ntwo\t3" }),
    errors,
    make.importRow(4, {
      status: "qualified",
      tags: ["Ünï", "b"],
      customFields: { 'a"': [1, { b: null }], c: "\ud800" },
    }),
  ];
  const all = packed(rows);
  expect(unpackedRows(all)).toEqual(rows);
  expect([0, 1, 2].map((place) => isLead(all, place))).toEqual([true, false, true]);
});

test("what is taken is gone, and what comes next is packed anew", () => {
  const packer = new RowPacker(7);
  const [first, second] = [make.importRow(2, { tags: ["a"] }), make.importRow(3, { tags: ["b", "c"] })];
  const before = packed([first], packer);
  expect(packer.count).toBe(0);
  const behind = packed([second, errors], packer);
  expect(unpackedRows(before)).toEqual([first]);
  expect(unpackedRows(behind)).toEqual([second, errors]);
  expect(packer.take().numbers).toHaveLength(0);
});

test("rows of any length fit", () => {
  const rows = [10_000, 3, 10_000].map((length, index) => make.importRow(index, { notes: "€".repeat(length) }));
  const many = Array.from({ length: 60 }, () => rows).flat();
  expect(unpackedRows(packed(many))).toEqual(many);
});

test("the keys are those that the owner's leads are found by", () => {
  const row = make.importRow(2, {
    email: null,
    networkUrl: null,
    firstName: "A",
    lastName: "B",
    company: "C",
    phone: "+44 20 7946 0018",
  });
  if ("errors" in row) throw new Error("Expected a lead");
  const keys = [Number.NaN, Number.NaN, leadKeysOf(7, row.identity).name ?? 0, phoneKey(7, "+442079460018") ?? 0];
  expect([...packed([row]).keys]).toEqual(keys);
  expect([...packed([row], new RowPacker(8)).keys]).not.toEqual([...packed([row]).keys]);
});

test("tags are told in lower case, with the places of their rows", () => {
  const rows = [make.importRow(2), make.importRow(3, { tags: ["Ä", "b"] }), errors, make.importRow(5, { tags: ["B"] })];
  const { tags, tagRows } = packed(rows);
  expect(tags).toEqual(["ä", "b", "b"]);
  expect([...tagRows]).toEqual([1, 1, 3]);
});

test("any part of the rows can be had as a JSON list, also twice and after a failure", () => {
  const rows = packed([make.importRow(2), make.importRow(3), errors, make.importRow(5)]);
  const before = rows.json.slice();
  const ids = (from: number, to: number) =>
    withList(rows, from, to, (list) => (JSON.parse(new TextDecoder().decode(list)) as unknown[][]).map(([id]) => id));
  const all = unpackedRows(rows).map((row) => ("id" in row ? row.id : errors.errors[0]));
  for (const [from, to] of [
    [0, 4],
    [1, 3],
    [3, 4],
    [0, 1],
  ] as const)
    expect(ids(from, to)).toEqual(all.slice(from, to));
  const fail = () => {
    throw new Error("full");
  };
  expect(() => withList(rows, 1, 2, fail)).toThrow("full");
  expect(rows.json).toEqual(before);
});

test("a part of the rows is those rows alone, with their keys and tags", () => {
  const rows: ImportRow[] = Array.from({ length: 9 }, (_none, at) =>
    at === 4
      ? errors
      : make.importRow(at + 2, { email: `p${at}@example.com`, tags: at % 3 === 0 ? [] : [`T${at}`, "all"] }),
  );
  const all = packed(rows);
  for (let from = 0; from < 9; from++)
    for (let to = from + 1; to <= 11; to++) {
      const part = rowsBetween(all, from, to);
      const alone = packed(rows.slice(from, to));
      const { json: _json, starts: _starts, ...others } = alone;
      expect(part).toMatchObject(others);
      expect(unpackedRows(part)).toEqual(rows.slice(from, to));
      const end = part.numbers.length;
      const list = withList(part, 0, end, (bytes) => Buffer.from(bytes).toString());
      expect(list).toBe(withList(alone, 0, end, (bytes) => Buffer.from(bytes).toString()));
    }
  expect(unpackedRows(all)).toEqual(rows);
});
