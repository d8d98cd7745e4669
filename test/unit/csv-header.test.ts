import { array, assert, constantFrom, property, stringMatching } from "fast-check";
import { expect, test } from "bun:test";
import { csvLayout } from "../../src/features/leads/import/csv-layout.ts";
import { prospectLayout } from "../../src/features/prospecting/import/prospect-csv.ts";
import { readListFile } from "../../src/features/suppression/list-file.ts";
import { findHeader, type HeaderCandidate } from "../../src/platform/imports/csv-header.ts";

const delimiters = [",", ";", "\t", "|"];

function headerOf(text: string, isHeader: (candidate: HeaderCandidate) => boolean, maxRecords?: number) {
  const options = { delimiter: null, ...(maxRecords !== undefined && { maxRecords }) };
  return findHeader({ text, isWholeFile: true }, options, (candidate) => ({
    isUsable: isHeader(candidate),
    understood: candidate.cells.length,
  }));
}

async function valuesOf(text: string): Promise<string[]> {
  const values: string[] = [];
  for await (const rows of readListFile(new Response(text).body!))
    for (const row of rows) if ("values" in row) values.push(...row.values);
  return values;
}

test("every kind of import honors the delimiter of a first line sep=", async () => {
  for (const delimiter of ["#", ...delimiters]) {
    const text = [`sep=${delimiter}`, ["Email", "Note"].join(delimiter), ["ada@example.com", "x"].join(delimiter)].join(
      "\r\n",
    );
    const sample = { text, isWholeFile: true };
    expect(csvLayout(sample, null, new Map())).toMatchObject({ delimiter, headerRow: 2 });
    expect(prospectLayout(sample, null, new Map())).toMatchObject({ delimiter, headerRow: 2 });
    expect(await valuesOf(text)).toEqual(["ada@example.com"]);
  }
});

test("a do-not-contact list without a header may start with sep= too", async () => {
  expect(await valuesOf("sep=;\nada@example.com;asked us to stop\nbob@example.com\n")).toEqual([
    "ada@example.com",
    "bob@example.com",
  ]);
});

test("the header is found under any delimiter and behind an explanation", () => {
  const cell = stringMatching(/^[A-Za-z]{1,8}$/);
  const isHeader = ({ cells }: HeaderCandidate) => cells[0] === "HEADER";
  assert(
    property(
      constantFrom(...delimiters),
      array(cell, { maxLength: 10 }),
      array(cell, { minLength: 1, maxLength: 5 }),
      (delimiter, explanation, names) => {
        const cells = ["HEADER", ...names];
        const text = [...explanation, cells.join(delimiter), "", "1", ""].join("\n");
        expect(headerOf(text, isHeader)).toMatchObject({ delimiter, cells, row: explanation.length + 1 });
      },
    ),
  );
});

test("records beyond the limit are no header, and empty ones do not count", () => {
  const isHeader = ({ cells }: HeaderCandidate) => cells[0] === "email";
  expect(headerOf("\n\nemail\na@example.com\n", isHeader, 1)).toMatchObject({ isUsable: true, row: 3 });
  expect(headerOf("a@example.com\nemail\n", isHeader, 1)).toMatchObject({ isUsable: false, row: 1 });
});
