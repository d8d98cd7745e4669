import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProspectFile, type ProspectFileBatch } from "../../src/features/prospecting/import/prospect-file.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-prospect-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Rows with five keys and with one, companies, and rows that are refused, in no regular order. */
function file(rows: number): string {
  const lines = Array.from({ length: rows }, (_, n) => {
    if (n % 7 === 3) return `,,,,Company ${n},company-${n}.example`;
    if (n % 11 === 5) return `Ada,,,,,`;
    if (n % 3 === 1) return `Ada,Byron,ada.${n}@company-${n}.example,https://network.example/in/ada-${n},Engines ${n},`;
    return `,,bob.${n}@gmail.com,,,`;
  });
  const path = join(folder, "people.csv");
  writeFileSync(path, ["First Name,Last Name,Email,LinkedIn,Company,Website", ...lines, ""].join("\n"));
  return path;
}

const decoder = new TextDecoder();

/** What the rows say now: both they and what their content lies in serve again later. */
function told({ rows }: ProspectFileBatch): object[] {
  return rows.map((row) =>
    "errors" in row ? { ...row } : { ...row, content: decoder.decode(row.content), keys: [...row.keys] },
  );
}

async function read(path: string, after: (batch: ProspectFileBatch) => object[]): Promise<object[]> {
  const options = {
    path,
    format: "csv",
    delimiter: null,
    columns: null,
    source: null,
    afterRow: 0,
    batchRows: 100,
  } as const;
  const all: object[] = [];
  for await (const batch of readProspectFile(options, new AbortController().signal)) all.push(...after(batch));
  return all;
}

test("the rows of a batch say the same whether those before were released or not, until it is released itself", async () => {
  const path = file(2050);
  const kept: ProspectFileBatch[] = [];
  await read(path, (batch) => (kept.push(batch), []));
  const expected = kept.flatMap(told);
  // As the import does it: a batch is released while the next is looked at already.
  const released: object[] = [];
  let before: ProspectFileBatch | null = null;
  await read(path, (batch) => {
    if (before !== null) {
      released.push(...told(before));
      before.release();
    }
    before = batch;
    return [];
  });
  released.push(...told(before!));
  expect(released).toHaveLength(2050);
  expect(released).toEqual(expected);
  expect(new Set(expected.map((row) => ("kind" in row ? row.kind : "errors")))).toEqual(
    new Set(["person", "company", "errors"]),
  );
});
