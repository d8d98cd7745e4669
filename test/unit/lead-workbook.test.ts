import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ImportFileError } from "../../src/platform/imports/import-file-error.ts";
import { inspectLeadFile } from "../../src/features/leads/import/lead-file.ts";
import type { LeadFileOptions } from "../../src/features/leads/import/lead-file-batch.ts";
import { readRows } from "../support/lead-files.ts";
import { compoundFile, peopleWorkbook, textRows, workbookFile } from "../support/workbooks.ts";

const folder = mkdtempSync(join(tmpdir(), "lead-workbook-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

function optionsOf(content: string | Uint8Array, options: Partial<LeadFileOptions> = {}): LeadFileOptions {
  const path = join(folder, `${++files}`);
  writeFileSync(path, content);
  return {
    ...{ path, owner: 1, format: "auto", delimiter: null, columns: null, tags: [], source: null },
    ...{ assignTo: [], afterRow: 0, batchRows: 200, ...options },
  };
}

function rowsOf(content: string | Uint8Array, options: Partial<LeadFileOptions> = {}) {
  return readRows(optionsOf(content, options));
}

const never = new AbortController().signal;

test("rows are read as those of a CSV file, with the numbers that the sheet shows", async () => {
  const file = peopleWorkbook([
    ["List of customers"],
    ["Email", "First Name", "Budget"],
    ["ada@example.com", "Ada", "1,5;x"],
    [],
    ["not an address", "Bob", ""],
    ["eve@example.com", '=Eve "the\nfirst"', ""],
  ]);
  expect(await rowsOf(file)).toMatchObject([
    { row: 3, content: { email: "ada@example.com", customFields: { Budget: "1,5;x" } } },
    { row: 5, errors: [{ path: "email" }] },
    { row: 6, content: { firstName: '=Eve "the first"' } },
  ]);
});

test("an import that was interrupted continues behind the last row", async () => {
  const file = peopleWorkbook([["Email"], ...Array.from({ length: 500 }, (_, at) => [`p${at}@example.com`])]);
  const rows = await rowsOf(file, { afterRow: 400 });
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 101 }, (_, at) => 401 + at));
});

test("rows after many empty ones are read", async () => {
  const rows = textRows([["Email"]]) + textRows([["ada@example.com"]], 1_048_576);
  expect(await rowsOf(workbookFile({ sheets: [{ name: "One", rows }] }))).toMatchObject([
    { row: 1_048_576, content: { email: "ada@example.com" } },
  ]);
});

test("the first visible sheet is read, or the one that is named", async () => {
  const sheets = [
    { name: "Old", rows: textRows([["Email"], ["old@example.com"]]), state: "hidden" as const },
    { name: "Now", rows: textRows([["Email"], ["now@example.com"]]) },
  ];
  const file = workbookFile({ sheets });
  expect(await rowsOf(file)).toMatchObject([{ content: { email: "now@example.com" } }]);
  expect(await rowsOf(file, { sheet: "Old" })).toMatchObject([{ content: { email: "old@example.com" } }]);
  expect(await inspectLeadFile(optionsOf(file).path, optionsOf(file), never)).toMatchObject({
    ...{ format: "xlsx", sheet: "Now", sheets: ["Old", "Now"], delimiter: null, encoding: null, headerRow: 1 },
    columns: [{ header: "Email", target: "email" }],
  });
});

describe("a file that can't be read says what to do", () => {
  const people = peopleWorkbook([["Email"], ["ada@example.com"]]);
  test.each<[string, string | Uint8Array, Partial<LeadFileOptions>, string, string]>([
    ["a workbook sent as CSV", people, { format: "csv" }, "notText", "sent as CSV"],
    ["CSV sent as a workbook", "email\nada@example.com\n", { format: "xlsx" }, "notText", "extension .csv"],
    ["a protected workbook", compoundFile("EncryptedPackage"), {}, "notText", "protected with a password"],
    ["an old workbook", compoundFile("Workbook"), { format: "xlsx" }, "notText", "(.xls)"],
    ["a damaged workbook", people.subarray(0, 600), {}, "damaged", "save it again"],
    ["an unknown sheet", people, { sheet: "Kunden" }, "noSheet", "It has: People."],
    ["an empty sheet", workbookFile({ sheets: [{ name: "One", rows: "<row/>" }] }), {}, "empty", 'The sheet "One"'],
  ])("%s", async (_what, content, options, reason, message) => {
    const refusal = await rowsOf(content, options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ImportFileError);
    expect(refusal).toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  test("a sheet without people, with the names of the others", async () => {
    const sheets = ["Cover", "Leads"].map((name) => ({ name, rows: textRows([[name]]) }));
    const refusal = await rowsOf(workbookFile({ sheets })).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      reason: "noColumns",
      message: expect.stringMatching(/Only the sheet "Cover" was read.*--sheet.*: Leads\.$/),
      details: { sheet: "Cover", sheets: ["Cover", "Leads"] },
    });
  });
});

describe("files as other programs save them", () => {
  const fixture = (name: string) => readFileSync(join(import.meta.dir, "../fixtures/workbooks", name));

  test("LibreOffice", async () => {
    const custom = { "Seen at": "2024-02-29 18:30:15", Budget: "1234567.5", Active: "TRUE", Zip: "1069" };
    expect(await rowsOf(fixture("libreoffice.xlsx"))).toMatchObject([
      {
        row: 2,
        content: {
          email: "ada@example.com",
          phone: "491511234567",
          customFields: { Since: "2024-02-29", ...custom },
        },
      },
      { row: 3, content: { firstName: "Grace Hopper", phone: "+49 30 1234", customFields: { Since: "2023-12-31" } } },
    ]);
  });

  test("exceljs, with formats, a formula, an error, rich text, a link, and a hidden sheet", async () => {
    const dates = { Since: "2024-02-29", "Seen at": "2024-02-29T18:30:15" };
    expect(await rowsOf(fixture("exceljs.xlsx"))).toMatchObject([
      { row: 2, content: { customFields: { ...dates, Zip: "01069", Sum: "2469135", Active: "TRUE" } } },
      { row: 3, content: { email: "grace@example.com", firstName: "Grace" } },
    ]);
  });

  test.each([
    ["libreoffice.ods", ".ods"],
    ["libreoffice.xls", ".xls"],
    ["sheetjs.xlsb", ".xlsb"],
  ])("%s is refused by its name", async (name, says) => {
    const refusal = await rowsOf(fixture(name)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ reason: "notText", message: expect.stringContaining(`(${says})`) });
  });
});
