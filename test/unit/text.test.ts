import { expect, test } from "bun:test";
import { maxJsonDepth, parseJson, replaceNul } from "../../src/platform/base/text.ts";

test("U+0000 is removed from the strings and names of JSON", () => {
  expect(parseJson(String.raw`{"a\u0000b":["\u0000x\u0000",{"c":"\u0000"}],"d":1,"e":null}`)).toEqual({
    ab: ["x", { c: "" }],
    d: 1,
    e: null,
  });
  expect(parseJson(String.raw`"\\u0000"`)).toBe(String.raw`\u0000`);
  expect(parseJson(String.raw`{"__proto__\u0000":1}`)).not.toHaveProperty("a");
});

test("JSON that is nested too deep is refused", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(parseJson(nested(maxJsonDepth))).toBeArray();
  expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow(SyntaxError);
});

test("another character can stand in for U+0000", () => {
  expect(replaceNul({ id: "a\0", names: ["\0"] }, "\uFFFD")).toEqual({ id: "a\uFFFD", names: ["\uFFFD"] });
});
