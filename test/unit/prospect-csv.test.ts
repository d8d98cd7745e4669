import { expect, test } from "bun:test";
import { ProspectCsvRows, type NumberedProspect } from "../../src/prospecting/import/prospect-csv.ts";
import type { ProspectTarget } from "../../src/prospecting/import/prospect-columns.ts";
import { pick, seeded } from "../support/random.ts";

const targets: ProspectTarget[] = ["firstName", "lastName", "email", "company", "ignore", "technologies", "title"];
const cells = [
  "Ada", "Lovelace", "ada@example.com", "Björn", "", "", " ", "  Acme  ", "'=SUM(1)", "Node.js; React;;Node.js", "Łukasz",
  '"Acme, Inc."', '"two ""quotes"""', '"two\nlines"', '5" pipe', '"open', '"closed" late', '""', '" "', "VP Sales", "\u00a0", "\r",
] as const; // prettier-ignore
/** Fewer of those that swallow what follows them. */
const plainCells = cells.slice(0, 12);

test("blocks of any size are read as by the whole of the rules, whatever the quotes do", () => {
  const random = seeded(3);
  let people = 0;
  for (let round = 0; round < 120; round++) {
    const isTame = round % 3 === 0;
    const newline = pick(["\n", "\r\n", "\r"], random);
    const lines = Array.from({ length: 40 }, () => {
      const length = random() < 0.1 ? Math.floor(random() * 10) : targets.length;
      return Array.from({ length }, () => pick(random() < 0.9 || isTame ? plainCells : cells, random)).join(",");
    });
    const text = lines.join(newline) + (random() < 0.5 ? newline : "");
    const layout = { delimiter: ",", newline: newline === "\r" ? "\r" : "\n", headerRow: 3, targets };
    const blocks = cut(text, random);
    const read = rowsOf(new ProspectCsvRows(layout, "a file", 0), blocks, false);
    // With bytes that could not be read, nothing is taken for plain.
    expect(read).toEqual(rowsOf(new ProspectCsvRows(layout, "a file", 0), [text], true));
    people += read.length;
  }
  expect(people).toBeGreaterThan(2000);
});

test("a line that never ends is given up, and what follows it is read", () => {
  const layout = { delimiter: ",", newline: "\n", headerRow: 0, targets };
  const blocks = [
    ...Array.from({ length: 20 }, () => "x".repeat(65_536)),
    "\n,,ada@example.com\n",
    ",,bob@example.com\n",
  ];
  const read = rowsOf(new ProspectCsvRows(layout, null, 0), blocks, false);
  expect(read.map((row) => row.slice(0, 8))).toEqual(["1 This r", "2 person", "3 person"]);
});

function cut(text: string, random: () => number): string[] {
  const blocks: string[] = [];
  for (let from = 0; from < text.length;) {
    const length = 1 + Math.floor(random() ** 3 * 900);
    blocks.push(text.slice(from, from + length));
    from += length;
  }
  return blocks;
}

function rowsOf(reader: ProspectCsvRows, blocks: string[], hasBadBytes: boolean): string[] {
  return [...blocks, null].flatMap((block) => reader.take(block, hasBadBytes)).map(told);
}

function told({ row, read }: NumberedProspect): string {
  if ("errors" in read) return `${row} ${read.errors.map(({ message }) => message).join()}`;
  return `${row} ${read.kind} ${read.content.join("")} ${read.keys.join()}`;
}
