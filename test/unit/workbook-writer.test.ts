import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { Workbook } from "../../src/lib/workbook/workbook.ts";
import { workbookPieces, type WrittenCell } from "../../src/lib/workbook/workbook-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "workbook-writer-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function* pagesOf(...pages: WrittenCell[][][]) {
  yield* pages;
}

async function written(header: string[], pages: AsyncIterable<WrittenCell[][]>, maxRows?: number): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(workbookPieces(header, pages, "Leads", maxRows)));
}

/** The cells of all sheets, as they are read. */
async function readBack(file: Uint8Array): Promise<Record<string, string[][]>> {
  const path = join(folder, "file.xlsx");
  writeFileSync(path, file);
  const descriptor = openSync(path, "r");
  try {
    const workbook = await Workbook.open(descriptor);
    const sheets: Record<string, string[][]> = {};
    for (const sheet of workbook.sheets) {
      const rows = (await Array.fromAsync(workbook.rows(sheet))).flat();
      sheets[sheet.name] = rows.map(({ cells }) => cells);
    }
    return sheets;
  } finally {
    closeSync(descriptor);
  }
}

test("texts and dates come back as they were", async () => {
  const texts = [
    "=1+1",
    "+49 151",
    "-1",
    "@x",
    "007",
    "1234567890123456789",
    " a ",
    "a\nb",
    "<&>\"'",
    "ä東😀",
    "\u0007",
    "_x0041_",
  ];
  const file = await written(["A"], pagesOf([[...texts, null, "", new Date("2024-02-29T12:30:00Z")]]));
  expect(await readBack(file)).toEqual({ Leads: [["A"], [...texts, "", "", "2024-02-29T12:30:00"]] });
});

test("no cell is a formula, a number, or a shared text", async () => {
  const file = await written(["A"], pagesOf([["=HYPERLINK(1)", "5"]]));
  const sheet = strFromU8(unzipSync(file)["xl/worksheets/sheet1.xml"]!);
  expect(sheet).not.toContain("<f>");
  expect(sheet).not.toContain("<v>");
  expect(sheet).toContain('<c r="A2" s="1" t="inlineStr"><is><t>=HYPERLINK(1)</t></is></c>');
});

test("text that is not well-formed is repaired", async () => {
  const file = await written(["A"], pagesOf([["a\ud800b"]]));
  expect(await readBack(file)).toEqual({ Leads: [["A"], ["a\ufffdb"]] });
});

test("rows beyond a sheet go to another one, with the header", async () => {
  const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => [`${from + at}`]);
  const file = await written(["N"], pagesOf(rows(0, 3), rows(3, 8)), 4);
  expect(await readBack(file)).toEqual({
    Leads: [["N"], ["0"], ["1"], ["2"]],
    "Leads 2": [["N"], ["3"], ["4"], ["5"]],
    "Leads 3": [["N"], ["6"], ["7"]],
  });
  const full = await written(["N"], pagesOf(rows(0, 3)), 4);
  expect(Object.keys(await readBack(full))).toEqual(["Leads"]);
});

test("nothing to write is a sheet with the header", async () => {
  expect(await readBack(await written(["A", "B"], pagesOf()))).toEqual({ Leads: [["A", "B"]] });
});

test("an error of the rows ends the file, or prevents it", async () => {
  const failing = async function* (after: number) {
    for (let page = 0; page < after; page++) yield [["x"]];
    throw new Error("no more");
  };
  for (const after of [0, 3]) expect(written(["A"], failing(after))).rejects.toThrow("no more");
});

test("a consumer that leaves ends the reading of rows", async () => {
  let isEnded = false;
  async function* endless() {
    try {
      for (;;) yield Array.from({ length: 500 }, () => [crypto.randomUUID()]);
    } finally {
      isEnded = true;
    }
  }
  const pieces = workbookPieces(["A"], endless(), "Leads");
  await pieces.next();
  await pieces.return();
  expect(isEnded).toBe(true);
});
