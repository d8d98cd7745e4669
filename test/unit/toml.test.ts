import { expect, test } from "bun:test";
import { parseToml } from "../../src/platform/base/toml.ts";

test.each([
  ['a = 1\nb = "x\\ty"\n[t]\nc = [1, 2]\n[[v]]\nd = true\n', { a: 1, b: "x\ty", t: { c: [1, 2] }, v: [{ d: true }] }],
  ["# only a comment\r\n", {}],
  [
    "a.b.c = 0xff\nd = 1_000\ne = -1.5e3\nf = '''x\ny'''\ng = {h = 1}\n",
    { a: { b: { c: 255 } }, d: 1000, e: -1500, f: "x\ny", g: { h: 1 } },
  ],
])("%j is read as by the parser of the platform", (source, value) => {
  expect(parseToml(source) as object).toEqual(value);
  expect(Bun.TOML.parse(source)).toEqual(value);
});

test("an error shows its place", () => {
  expect(() => parseToml('log-level = "info"\n\tlisten = = 1\n')).toThrow(
    "Line 2, column 11: invalid value.\n  \tlisten = = 1\n  \t         ^",
  );
});

test.each([
  'global-key = "oak_123" x',
  'database = "postgres://user:hunter2@db/outreachd" x',
  'smtp-password = "hunter2',
  `a = "${"x".repeat(200)}`,
])("a line that may have a secret is not shown: %s", (source) => {
  const error = (() => {
    try {
      return parseToml(source);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect((error as Error).message).toMatch(/^Line 1, column \d+: [^\n]+\.$/);
});
