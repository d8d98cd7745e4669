import { expect, test } from "bun:test";
import { ListFileError, readListFile, type ListRow } from "../../src/features/suppression/list-file.ts";
import { createDice } from "../support/ids.ts";

/** Reads a list that arrives in blocks of so many bytes. */
async function read(
  content: string | Uint8Array,
  blockBytes = 1_000_000,
  encoding: string | null = null,
): Promise<ListRow[]> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  async function* blocks() {
    for (let start = 0; start < bytes.length; start += blockBytes) yield bytes.subarray(start, start + blockBytes);
  }
  const rows: ListRow[] = [];
  for await (const some of readListFile(blocks(), encoding)) rows.push(...some);
  return rows;
}

async function valuesOf(content: string | Uint8Array): Promise<(string[] | string)[]> {
  return (await read(content)).map((row) => ("problem" in row ? row.problem : row.values));
}

test.each<[string, string, string[][]]>([
  [
    "a value a line",
    "ada@example.com\n@example.org\n\n+442079460018",
    [["ada@example.com"], ["@example.org"], ["+442079460018"]],
  ],
  ["one value without a line break", "ada@example.com", [["ada@example.com"]]],
  ["lines of Windows", "ada@example.com\r\nbob@example.com\r\n", [["ada@example.com"], ["bob@example.com"]]],
  ["a header and other columns", "Name,E-Mail,Company\nAda,ada@example.com,Engines\n", [["ada@example.com"]]],
  ["empty lines before the header", "\n;\n\nEmail;Name\nada@example.com;Ada\n", [["ada@example.com"]]],
  ["semicolons", "Email;Telefon\nada@example.com;+442079460018\n", [["ada@example.com", "+442079460018"]]],
  ["tabs", "value\treason\n@example.org\tx\n", [["@example.org"]]],
  [
    "several ways to one person",
    "LinkedIn URL,Email\nhttps://n.example/in/a,\n,a@example.com\n",
    [["https://n.example/in/a"], ["a@example.com"]],
  ],
  [
    "a quote that guards against formulas",
    "value\n'@example.org\n'+442079460018\n",
    [["@example.org"], ["+442079460018"]],
  ],
  ["a byte order mark", "\ufeffemail\nada@example.com\n", [["ada@example.com"]]],
])("a list with %s is read", async (_what, content, expected) => {
  expect(await valuesOf(content)).toEqual(expected);
});

test("reasons come from their column, or stand behind the value", async () => {
  expect(await read("reason,email\nasked us,ada@example.com\n,bob@example.com\n")).toEqual([
    { row: 2, values: ["ada@example.com"], reason: "asked us" },
    { row: 3, values: ["bob@example.com"], reason: null },
  ]);
  expect(await read("ada@example.com,asked us\n\nbob@example.com\n")).toEqual([
    { row: 1, values: ["ada@example.com"], reason: "asked us" },
    { row: 3, values: ["bob@example.com"], reason: null },
  ]);
});

test("rows without a value, and with bytes that are no text, are told", async () => {
  const rows = await valuesOf(new Uint8Array([...new TextEncoder().encode("email,name\n,Ada\nx"), 0xe4, 0x40, 0x0a]));
  expect(rows).toEqual([expect.stringContaining("no value"), expect.stringContaining("UTF-8")]);
});

test("UTF-16 with its mark is read", async () => {
  const text = "email\nada@exämple.com\n";
  const bytes = new Uint8Array([0xff, 0xfe, ...new Uint8Array(Uint16Array.from(text, (c) => c.charCodeAt(0)).buffer)]);
  expect(await valuesOf(bytes)).toEqual([["ada@exämple.com"]]);
});

test.each([["binary", [1, 0, 2, 0]]])("%s is refused", async (_what, bytes) => {
  expect(read(new Uint8Array(bytes))).rejects.toThrow(ListFileError);
});

test("it does not matter in which blocks a list arrives", async () => {
  const dice = createDice(5);
  const lines = Array.from({ length: 700 }, (_, n) => `"reason ${n}, \nand more",persön${n}@example.com`);
  const content = `reason,email\n${lines.join("\n")}`;
  const whole = await read(content);
  expect(whole).toHaveLength(700);
  for (let round = 0; round < 5; round++) expect(await read(content, dice.between(1, 5000))).toEqual(whole);
});

test("a list of nothing has no rows", async () => {
  expect(await read("")).toEqual([]);
  expect(await read("\n\n \n")).toEqual([]);
});

test("a list is read in the encoding that it is said to be in, unless a byte order mark says another", async () => {
  const reasons = async (bytes: Uint8Array, encoding: string | null) =>
    (await read(bytes, 1_000_000, encoding)).map((row) => "reason" in row && row.reason);
  const list = (reason: number[]) => Buffer.concat([Buffer.from("email;reason\na@x.com;"), Buffer.from(reason)]);
  expect(await reasons(list([0xa3, 0xf3, 0x64, 0x9f]), "windows-1250")).toEqual(["Łódź"]);
  expect(await reasons(list([0xa3]), null)).toEqual(["\uFFFD"]);
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), list([...Buffer.from("Łódź")])]);
  expect(await reasons(marked, "windows-1250")).toEqual(["Łódź"]);
});
