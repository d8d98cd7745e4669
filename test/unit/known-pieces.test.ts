import { beforeEach, expect, test } from "bun:test";
import { KnownPieces } from "../../src/features/prospecting/import/known-pieces.ts";

let made: string[];
let pieces: KnownPieces<string>;

beforeEach(() => {
  made = [];
  pieces = new KnownPieces((kind, raw) => {
    made.push(raw);
    return `${kind} ${raw}`;
  });
});

test("what comes again and again is made twice at most", () => {
  for (let time = 0; time < 5; time++) expect(pieces.of(1, "Head of Sales")).toBe("1 Head of Sales");
  expect(made).toHaveLength(2);
});

test("a text of another kind is another one", () => {
  for (let time = 0; time < 3; time++)
    for (const kind of [1, 2, 3]) expect(pieces.of(kind, "Sales")).toBe(`${kind} Sales`);
});

test.each([64, 65, 200])("texts of %i bytes that differ in the last one are told apart", (length) => {
  const texts = ["a", "b"].map((end) => "x".repeat(length - 1) + end);
  for (let time = 0; time < 4; time++) for (const text of texts) expect(pieces.of(1, text)).toBe(`1 ${text}`);
  // What is longer than a slot is never kept.
  expect(made).toHaveLength(length > 64 ? 8 : 4);
});

test("the empty text is one as well", () => {
  for (let time = 0; time < 3; time++) expect(pieces.of(1, "")).toBe("1 ");
});
