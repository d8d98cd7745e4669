import { describe, expect, test } from "bun:test";
import { CsvRecords, maxRecordLength, newlineOf, type CsvRecord } from "../../src/lib/table-file/csv-records.ts";
import { pick, seeded } from "../support/random.ts";

function recordsOf(text: string, { delimiter = ",", cuts = [] as number[] } = {}): CsvRecord[] {
  const records = new CsvRecords(delimiter, newlineOf(text));
  const edges = [0, ...cuts, text.length];
  const blocks = edges.slice(1).map((end, index) => text.slice(edges[index], end));
  return [...blocks, null].flatMap((block) => records.take(block));
}

const cellsOf = (text: string) => recordsOf(text).map((record) => ("cells" in record ? record.cells : record.problem));

describe("CSV records", () => {
  test("quotes protect separators, line breaks and doubled quotes", () => {
    expect(cellsOf('a,"b, c","d\ne","say ""hi"""\n')).toEqual([["a", "b, c", "d\ne", 'say "hi"']]);
  });

  test("a file without a final line break has the same records as one with it", () => {
    expect(cellsOf("a,b\nc,d")).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(cellsOf("a,b\nc,d\n")).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(cellsOf('a,b\nc,"d"')).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  test("a file with bare carriage returns is cut into lines too", () => {
    expect(cellsOf("a,b\rc,d\r")).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  test("quotes inside a cell that is not quoted, or that is quoted badly within its line, are text", () => {
    expect(cellsOf('Bob "Bobby" Lee,6\' 2"\n"Ann "Annie" Lee",x\n')).toEqual([
      ['Bob "Bobby" Lee', "6' 2\""],
      ['Ann "Annie" Lee', "x"],
    ]);
  });

  test("rows are counted as a spreadsheet does, empty ones too", () => {
    expect(recordsOf('a\n\n"b\nb"\nc\n').map(({ row }) => row)).toEqual([1, 2, 3, 4]);
  });

  test("a quote that is never closed costs its own line only", () => {
    const records = recordsOf('a,b\nc,"d\ne,f\n"g, G",h\ni,j\n');
    expect(records.map((record) => ("cells" in record ? record.cells[0] : "problem"))).toEqual([
      "a",
      "problem",
      "e",
      "g, G",
      "i",
    ]);
    expect(records[1]?.row).toBe(2);
  });

  test("a quote that is never closed does not gather the file in memory", () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `name ${index},company\n`);
    lines[10] = '"name 10,company\n';
    const text = lines.join("");
    const cuts = Array.from({ length: Math.floor(text.length / 65_536) }, (_, index) => (index + 1) * 65_536);
    const records = recordsOf(text, { cuts });
    expect(records).toHaveLength(200_000);
    expect(records.filter((record) => "problem" in record).map(({ row }) => row)).toEqual([11]);
  });

  test("a line beyond the limit fails alone", () => {
    const long = "x".repeat(maxRecordLength + 10);
    const records = recordsOf(`a\n${long}\nb\n`, { cuts: [70_000, maxRecordLength + 5] });
    expect(records.map((record) => ("cells" in record ? record.cells[0] : record.problem.slice(0, 18)))).toEqual([
      "a",
      "This row is longer",
      "b",
    ]);
  });

  test("a file of nothing but opened quotes fails line by line, in no more time than its size asks for", () => {
    const text = `"a\n`.repeat(400_000);
    const records = recordsOf(text);
    expect(records).toHaveLength(400_000);
    expect(records.every((record) => "problem" in record)).toBe(true);
  });

  test("wherever a file is cut into blocks, its records are the same", () => {
    const random = seeded(42);
    const pieces = ["a", "é😀", '"b, c"', '"d\r\ne"', '""', '"say ""hi"""', 'x"y', '"bad" quote"', "", " ", '"open'];
    const ends = [",", ",", ",", "\n", "\r\n"];
    for (let round = 0; round < 300; round++) {
      let text = "";
      for (let count = 0; count < 30; count++) text += pick(pieces, random) + pick(ends, random);
      const cuts = Array.from({ length: 5 }, () => Math.floor(random() * text.length)).toSorted((a, b) => a - b);
      expect(recordsOf(text, { cuts })).toEqual(recordsOf(text));
    }
  });
});
