import { expect, test } from "bun:test";
import { lineOfKey, parseToml, placeOf } from "../../src/platform/base/toml.ts";

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
  ['log-level = "info\nlisten = "x"\n', 1, 18],
  ["a = 1\r\nb = 'x\r\nc = 2\r\n", 2, 7],
  ["a = ['x, 1]\n", 1, 12],
])("an unclosed string is named as such: %j", (source, line, column) => {
  expect(() => parseToml(source)).toThrow(`Line ${line}, column ${column}: the string is not closed.\n`);
});

test("a control character in a string is named as such", () => {
  expect(() => parseToml('a = "x\u0001"\n')).toThrow("control characters are not allowed in strings");
});

test.each<[string, "key" | "value", number, number]>([
  ["a = 1\n  listen   =\t5", "value", 2, 14],
  ["a = 1\n  listen   =\t5", "key", 2, 3],
  ["listen=5\r\n", "value", 1, 8],
])("the place of a key and of its value: %j, %s", (source, part, line, column) => {
  expect(placeOf(part, "listen", source)).toEqual({ line, column });
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

test.each<[string, string, number | null]>([
  ["listen = 5", "listen", 1],
  ["# listen = 1\r\n\r\n  listen=5\r\n", "listen", 3],
  ['a = "listen = 1"\nlisten-not = 1\n"listen" = 5', "listen", 3],
  ['a = """\nlisten = 1\n# \\""" no end\n"""\nlisten = 5', "listen", 5],
  ["a = '''\nlisten = 1\n'''\nlisten = 5", "listen", 4],
  ['a = [\n  "listen = 1", # listen = 2\n]\nlisten = 5', "listen", 4],
  ["a = 1\n[table] # one\nlisten = 5\n", "listen", null],
  ["a = 1\n[table] # one\n", "table", 2],
  ["[[table.below]]\n", "table", 1],
  ["a = 1\ntable . b = 1\n", "table", 2],
  ["a = { listen = 5 }", "listen", null],
])("the line of a key: %j, %s", (source, key, line) => {
  expect(lineOfKey(source, key)).toBe(line);
});

test("the line of a key in a table is not that of its namesake in another one", () => {
  const source = "name = 0\n[a]\nname = 1\n[[b.c]]\nother = 1\nname = 2\n";
  expect([lineOfKey(source, "name"), lineOfKey(source, "name", "a"), lineOfKey(source, "name", "b.c")]).toEqual([
    1, 3, 6,
  ]);
});
