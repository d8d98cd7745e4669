import { expect, test } from "bun:test";
import { wellFormedJson } from "../../src/adapters/storage/postgres/json-rows.ts";

test("rows are valid text for PostgreSQL, whatever half characters they contain", () => {
  const rows = [{ title: "a\ud800b", tags: ["\udc00"], fields: { name: "\ud83d\ude00" } }];
  const replaced = [{ title: "a\ufffdb", tags: ["\ufffd"], fields: { name: "\ud83d\ude00" } }];
  expect(JSON.parse(wellFormedJson(rows))).toEqual(replaced);
});

test("a text that looks like an escape stays as it is", () => {
  expect(JSON.parse(wellFormedJson([{ title: "\\ud800" }]))).toEqual([{ title: "\\ud800" }]);
});
