import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cellFormat, numberText } from "../../src/lib/workbook/cell-formats.ts";
import { Workbook } from "../../src/lib/workbook/workbook.ts";
import { zipLimits, type ZipLimits } from "../../src/lib/workbook/zip-parts.ts";
import { sheetXml, textRows, workbookFile, type WorkbookOptions } from "../support/workbooks.ts";

const folder = mkdtempSync(join(tmpdir(), "workbook-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "file.xlsx");

async function opened<T>(file: Uint8Array, use: (workbook: Workbook) => Promise<T>, limits?: ZipLimits): Promise<T> {
  writeFileSync(path, file);
  const descriptor = openSync(path, "r");
  try {
    return await use(await Workbook.open(descriptor, limits));
  } finally {
    closeSync(descriptor);
  }
}

function rowsOf(file: Uint8Array, sheet: string | null = null, limits?: ZipLimits) {
  return opened(file, async (workbook) => (await Array.fromAsync(workbook.rows(workbook.sheet(sheet)))).flat(), limits);
}

/** The cells of the first row of a sheet with this XML. */
async function cellsOf(cells: string, options: Omit<WorkbookOptions, "sheets"> = {}): Promise<string[] | undefined> {
  const sheets = [{ name: "One", rows: `<row r="1">${cells}</row>` }];
  return (await rowsOf(workbookFile({ sheets, ...options })))[0]?.cells;
}

function problemOf(file: Uint8Array, limits?: ZipLimits): Promise<unknown> {
  return rowsOf(file, null, limits).then(
    () => null,
    (error: unknown) => error,
  );
}

describe("cells", () => {
  test("texts are shared, inline, or results of formulas", async () => {
    const texts =
      "<si><t>Ada</t></si><si><r><t>Love</t></r><r><rPr><b/></rPr><t xml:space='preserve'>lace &amp; co </t></r></si>" +
      "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>";
    const cells =
      '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c>' +
      '<c r="D1" t="inlineStr"><is><t>in</t><rPh><t>x</t></rPh></is></c>' +
      '<c r="E1" t="str"><f>A1&amp;"x"</f><v>Adax</v></c><c r="F1"><f>1-1</f><v>0</v></c>';
    expect(await cellsOf(cells, { texts })).toEqual(["Ada", "Lovelace & co ", "東京", "in", "Adax", "0"]);
  });

  test("cells keep their columns, and empty ones at the end do not count", async () => {
    expect(await cellsOf('<c r="B1"><v>1</v></c><c r="AA1"><v>2</v></c><c r="AB1" s="1"/>')).toEqual([
      "", "1", ...Array<string>(24).fill(""), "2",
    ]); // prettier-ignore
  });

  test("booleans are texts, and errors are empty", async () => {
    const cells = '<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2024-02-29</v></c>';
    expect(await cellsOf(cells)).toEqual(["TRUE", "FALSE", "", "2024-02-29"]);
  });

  test("escaped characters and line breaks are restored", async () => {
    const cells = '<c t="inlineStr"><is><t>a_x000D_&#10;b_x0041_c_x005F_x0041_</t></is></c>';
    expect(await cellsOf(cells)).toEqual(["a\nbAc_x0041_"]);
  });

  test("names of elements may have a prefix", async () => {
    const xml =
      '<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>';
    const file = workbookFile({ sheets: [{ name: "One", rows: "" }], parts: { "xl/worksheets/sheet1.xml": xml } });
    expect(await rowsOf(file)).toEqual([{ row: 1, cells: ["a"] }]);
  });

  test("rows keep their numbers", async () => {
    const rows = '<row r="3"><c><v>1</v></c></row><row r="4"><c/></row><row><c><v>2</v></c></row>';
    expect(await rowsOf(workbookFile({ sheets: [{ name: "One", rows }] }))).toEqual([
      { row: 3, cells: ["1"] },
      { row: 5, cells: ["2"] },
    ]);
  });
});

describe("numbers", () => {
  test.each([
    ["491511234567", "491511234567"],
    ["4.9151123456E+11", "491511234560"],
    ["1.2345678901234567E+19", "12345678901234600000"],
    ["1.5E-7", "0.00000015"],
    ["-2.5E-3", "-0.0025"],
    ["0.30000000000000004", "0.3"],
    ["12345678901234567890", "12345678901234567890"],
    ["-7", "-7"],
    ["1E400", "1E400"],
  ])("%s is %s", (value, text) => {
    expect(numberText(value, "number", false)).toBe(text);
  });

  test("leading zeros that a format adds are kept", () => {
    expect(numberText("1069", cellFormat(164, "00000"), false)).toBe("01069");
    expect(numberText("-1", cellFormat(164, "00000"), false)).toBe("-1");
  });

  test.each([
    [14, undefined, "45351", "2024-02-29"],
    [22, undefined, "45351.5", "2024-02-29T12:00:00"],
    [20, undefined, "0.75", "18:00:00"],
    [46, undefined, "1.5", "36:00:00"],
    [164, "dd/mm/yyyy", "45351.99", "2024-02-29"],
    [164, "[$-409]d-mmm-yy h:mm AM/PM;@", "45351.25", "2024-02-29T06:00:00"],
    [164, 'yyyy"年"m"月"d"日"', "45351", "2024-02-29"],
    [164, "mmmm", "45351", "2024-02-29"],
    [164, "mm:ss", "0.5", "12:00:00"],
    [164, '0.00" days"', "1.5", "1.5"],
    [164, "[Red]#,##0", "1000", "1000"],
    [164, "General", "5", "5"],
    [14, undefined, "-1", "-1"],
    [14, undefined, "2958466", "2958466"],
    [14, undefined, "2958465", "9999-12-31"],
  ])("format %p %p shows %s as %s", (id, code, value, text) => {
    expect(numberText(value, cellFormat(id, code), false)).toBe(text);
  });

  test("the 1900 system has a 29 February 1900, and the 1904 system starts four years later", () => {
    const dates = ["1", "59", "60", "61"].map((day) => numberText(day, "date", false));
    expect(dates).toEqual(["1900-01-01", "1900-02-28", "1900-02-29", "1900-03-01"]);
    expect(["0", "59", "43889"].map((day) => numberText(day, "date", true))).toEqual([
      "1904-01-01",
      "1904-02-29",
      "2024-02-29",
    ]);
  });

  test("a moment is rounded to the second, also over midnight", () => {
    expect(numberText("45350.999999", "dateTime", false)).toBe("2024-02-29T00:00:00");
  });

  test("styles and the date system of the workbook apply", async () => {
    const cells = '<c s="0"><v>1</v></c><c s="1"><v>43889</v></c><c s="2"><v>7</v></c>';
    expect(await cellsOf(cells, { formats: [0, 14, "000"], is1904: true })).toEqual(["1", "2024-02-29", "007"]);
  });
});

describe("sheets", () => {
  const file = workbookFile({
    sheets: [
      { name: "Notes", rows: textRows([["hidden"]]), state: "hidden" },
      { name: "Leads", rows: textRows([["first"]]) },
      { name: "2", rows: textRows([["two"]]) },
    ],
  });

  test.each([
    [null, "first"],
    ["Leads", "first"],
    [" leads ", "first"],
    ["Notes", "hidden"],
    ["2", "two"],
    ["1", "hidden"],
    ["3", "two"],
  ])("%p selects the sheet with %s", async (sheet, text) => {
    expect(await rowsOf(file, sheet)).toEqual([{ row: 1, cells: [text] }]);
  });

  test("an unknown one is refused with the names of all", async () => {
    expect(rowsOf(file, "Kunden")).rejects.toMatchObject({
      problem: "noSheet",
      message: 'The workbook has no sheet called "Kunden". It has: Notes, Leads, 2.',
      sheets: ["Notes", "Leads", "2"],
    });
  });
});

describe("a workbook made to exhaust memory is refused", () => {
  const small: ZipLimits = { ...zipLimits, unpackedBytes: 100_000 };

  test("by its unpacked size", async () => {
    const file = workbookFile({
      sheets: [{ name: "One", rows: textRows(Array.from({ length: 3000 }, () => ["some text"])) }],
    });
    expect(await problemOf(file, small)).toMatchObject({
      problem: "tooLarge",
      message: expect.stringContaining("CSV"),
    });
  });

  test("by its ratio", async () => {
    const rows = `<row><c><v>${"1".repeat(200_000)}</v></c></row>`.repeat(150);
    const file = workbookFile({ sheets: [{ name: "One", rows }] });
    expect(await problemOf(file)).toMatchObject({ message: expect.stringContaining("200 times its size") });
  });

  test("by the number of its parts", async () => {
    const parts = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`xl/media/${at}.png`, "x"]));
    const file = workbookFile({ sheets: [{ name: "One", rows: "" }], parts });
    expect(await problemOf(file, { ...zipLimits, entries: 20 })).toMatchObject({
      problem: "tooLarge",
      message: expect.stringContaining("36 files; the limit is 20"),
    });
  });

  test("by one cell that never ends", async () => {
    const text = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => 97 + ((at * at) % 23))).toString();
    const file = workbookFile({ sheets: [{ name: "One", rows: textRows([[text]]) }] });
    expect(await problemOf(file)).toMatchObject({ problem: "tooLarge", message: expect.stringContaining("cell") });
  });

  test("by elements within each other", async () => {
    const file = workbookFile({ sheets: [{ name: "One", rows: "<a>".repeat(300) }] });
    expect(await problemOf(file)).toMatchObject({ message: expect.stringContaining("nested") });
  });

  test("by a part that is held in memory as a whole, and the length of what it names", async () => {
    const path = "xl/_rels/workbook.xml.rels";
    const relations = `<Relationships>${"<Relationship/>".repeat(1_200_000)}</Relationships>`;
    const large = workbookFile({ sheets: [{ name: "One", rows: textRows([["Ada"]]) }], parts: { [path]: relations } });
    expect(await problemOf(large, { ...zipLimits, ratio: 100_000 })).toMatchObject({
      problem: "tooLarge",
      message: expect.stringContaining(path),
    });
    // Each bracket would be looked at from each other one.
    const cells = '<c r="A1" s="0"><v>5</v></c>';
    expect(await cellsOf(cells, { formats: ["[".repeat(1_000_000)] })).toEqual(["5"]);
  });

  test("by a text that is shared too often", async () => {
    const texts = `<si><t>${"long ".repeat(20_000)}</t></si>`;
    const rows = `<row>${'<c t="s"><v>0</v></c>'.repeat(5)}</row>`.repeat(5000);
    const file = workbookFile({ sheets: [{ name: "One", rows }], texts });
    expect(await problemOf(file)).toMatchObject({ problem: "tooLarge", message: expect.stringContaining("repeat") });
  });

  test("by a row that is too long", async () => {
    const texts = `<si><t>${"long ".repeat(20_000)}</t></si>`;
    const rows = `<row>${'<c t="s"><v>0</v></c>'.repeat(11)}</row>`;
    const file = workbookFile({ sheets: [{ name: "One", rows }], texts });
    expect(await problemOf(file)).toMatchObject({ message: expect.stringMatching(/^Row 1 has more than 1,048,576/) });
  });

  test("by its different texts", async () => {
    const { SharedStrings } = await import("../../src/lib/workbook/shared-strings.ts");
    const texts = new SharedStrings(2 * 2 ** 20);
    expect(() => {
      for (let at = 0; at < 100_000; at++) texts.add(`a text with the number ${at}`);
    }).toThrow("The workbook has more than 2 MB of different texts, which is the limit. Save the sheet as CSV");
  });
});

describe("a damaged workbook is refused", () => {
  const one = [{ name: "One", rows: "" }];
  const sheet = (xml: string) => workbookFile({ sheets: one, parts: { "xl/worksheets/sheet1.xml": xml } });
  test.each([
    ["one with a document type", sheet(`<!DOCTYPE x [<!ENTITY a "b">]>${sheetXml("")}`), "document type"],
    ["one whose XML ends early", sheet(sheetXml("").slice(0, -20)), "not valid XML"],
    ["rows in disorder", sheet(sheetXml('<row r="5"/><row r="4"/>')), 'row 5 is followed by row "4"'],
    ["a cell beyond all columns", sheet(sheetXml('<row><c r="XFE1"><v>1</v></c></row>')), "XFE1"],
    ["a row beyond all", sheet(sheetXml('<row r="1048577"/>')), "1048577"],
    ["a text that it lacks", sheet(sheetXml('<row><c t="s"><v>7</v></c></row>')), "lacks"],
    [
      "a sheet that it lacks",
      workbookFile({ sheets: one, parts: { "xl/worksheets/sheet1.xml": null } }),
      "lacks the part",
    ],
    ["half a file", workbookFile({ sheets: one }).subarray(0, 700), "incomplete"],
  ])("%s", async (_what, file, message) => {
    expect(await problemOf(file)).toMatchObject({ problem: "damaged", message: expect.stringContaining(message) });
  });

  test.each([
    ["an OpenDocument sheet", { "content.xml": "<x/>" }, ".ods"],
    ["a binary workbook", { "xl/workbook.bin": "x" }, ".xlsb"],
    ["a Word document", { "word/document.xml": "<x/>" }, "Word"],
    ["an archive", { "leads.csv": "email" }, "Unpack it first"],
  ])("%s is named", async (_what, parts, says) => {
    const file = workbookFile({
      sheets: one,
      parts: { "_rels/.rels": null, "xl/workbook.xml": null, ...parts },
    });
    expect(await problemOf(file)).toMatchObject({ problem: "notWorkbook", message: expect.stringContaining(says) });
  });
});

test("a cell in the last row and column takes no memory for those before it", async () => {
  const file = workbookFile({
    sheets: [{ name: "One", rows: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>' }],
  });
  const [row] = await rowsOf(file);
  expect(row).toMatchObject({ row: 1_048_576 });
  expect(row!.cells).toHaveLength(16_384);
});
