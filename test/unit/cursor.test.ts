import { expect, test } from "bun:test";
import { ApiError } from "../../src/platform/base/errors.ts";
import { decodeCursor, encodeCursor } from "../../src/platform/http/cursor.ts";

test.each([[[1767607200000, "019b8d99-6900"]], [["Ünï “text” 🧮/+=", "id"]], [["", 0]], [[]]])(
  "%j comes back from a cursor as it was",
  (parts) => {
    expect(decodeCursor(encodeCursor(parts), parts.length)).toEqual(parts);
  },
);

test("a cursor needs no escaping in a query", () => {
  for (let n = 0; n < 200; n++) expect(encodeCursor([`${n}??>>~~`, n])).toMatch(/^[\w-]+$/);
});

test.each([
  ["a text that is no base64", "%%%"],
  ["an empty text", ""],
  ["no JSON", Buffer.from("hello").toString("base64url")],
  ["no list", Buffer.from('{"a":1}').toString("base64url")],
  ["a list with something else in it", Buffer.from('["a",{"b":1}]').toString("base64url")],
  ["a list with null in it", Buffer.from('["a",null]').toString("base64url")],
  ["the cursor of a shorter list", encodeCursor(["a"])],
  ["the cursor of a longer list", encodeCursor(["a", 1, 2])],
  ["half a cursor", encodeCursor(["some text", "and more"]).slice(0, 9)],
])("%s is refused as a cursor", (_what, cursor) => {
  const attempt = () => decodeCursor(cursor, 2);
  expect(attempt).toThrow(ApiError);
  expect(attempt).toThrow("cursor: Expected the nextCursor of a page");
});
