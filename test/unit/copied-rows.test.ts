import { expect, test } from "bun:test";
import type { ColumnKind } from "../../src/adapters/storage/copy/copied-table.ts";
import { canonicalJson, canonicalRows, decodeRow, encodeRows } from "../../src/adapters/storage/copy/row-text.ts";
import { RowHasher } from "../../src/adapters/storage/copy/table-sum.ts";

const columnsOf = (...kinds: ColumnKind[]) => kinds.map((kind, at) => ({ name: `column${at}`, kind }));

/** A row as SQLite stores it, and then after it was read from its line. */
function returned(kind: ColumnKind, value: unknown) {
  const line = encodeRows(columnsOf(kind), [[value]]).toString("utf8");
  expect(line).toEndWith("\n");
  expect(line.slice(0, -1)).not.toMatch(/[\n\r]/);
  return decodeRow(columnsOf(kind), line.slice(0, -1))[0];
}

test("values come back from their line as they were", () => {
  for (const text of ["", "\\N", "\\", "a\tb\nc\rd\be\ff\vg", "\\t", "é👋\u0001\u2028", "\\\\x00"])
    expect(returned("text", text)).toBe(text);
  for (const number of [0, -1, 9007199254740991]) expect(returned("whole", number)).toBe(number);
  for (const number of [0.1 + 0.2, 1e-7, 1e21, 3]) expect(returned("real", number)).toBe(number);
  for (const flag of [0, 1]) expect(returned("flag", flag)).toBe(flag);
  expect(returned("json", '{ "b": 1.0, "a": "\\u0000" }')).toBe('{ "b": 1.0, "a": "\\u0000" }');
  expect(returned("bytes", Uint8Array.of(0, 92, 255))).toEqual(Buffer.from([0, 92, 255]));
  for (const kind of ["text", "whole", "real", "flag", "json", "object", "bytes"] as const)
    expect(returned(kind, null)).toBeNull();
});

test("what PostgreSQL cannot store is replaced", () => {
  expect(returned("text", "a\0b")).toBe("a\ufffdb");
  expect(returned("object", '{"\\u0000":"\\ud800","a":"\\\\u0000"}')).toBe('{"a":"\\\\u0000","\ufffd":"\ufffd"}');
});

test("JSON has one text, whatever the order of names, spaces, and forms of numbers", () => {
  const sqlite = '{"bb":[1e-7,1.50,{"z":null,"y":true}],"a":"é\\u00e9"}';
  const postgres = '{"a": "éé", "bb": [0.0000001, 1.50, {"y": true, "z": null}]}';
  expect(canonicalJson(postgres)).toBe(canonicalJson(sqlite));
});

test("lines of PostgreSQL become those of SQLite", () => {
  const columns = columnsOf("whole", "real", "object", "text");
  const lines = Buffer.from('1\t1e-07\t{"a": "\\\\t", "b": 1}\tx\\ty\n2\t\\N\t\\N\t\\N\n');
  expect(canonicalRows(columns, lines).toString()).toBe('1\t1e-7\t{"a":"\\\\t","b":1}\tx\\ty\n2\t\\N\t\\N\t\\N\n');
});

test("a checksum depends on every row, but not on the order", () => {
  const sumOf = (text: string) => {
    const hasher = new RowHasher();
    hasher.add(Buffer.from(text));
    return hasher.result();
  };
  expect(sumOf("1\ta\n2\tb\n")).toEqual(sumOf("2\tb\n1\ta\n"));
  expect(sumOf("1\ta\n2\tb\n").rows).toBe(2);
  const others = ["1\ta\n2\tc\n", "1\ta\n", "1\ta\n1\ta\n2\tb\n2\tb\n", "1\ta\n2\tb\n2\tb\n", "1\tb\n2\ta\n"];
  for (const other of others) expect(sumOf(other).checksum).not.toBe(sumOf("1\ta\n2\tb\n").checksum);
});
