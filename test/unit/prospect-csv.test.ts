import { expect, test } from "bun:test";
import {
  ProspectCsvRows,
  prospectLayout,
  type ProspectLayout,
} from "../../src/features/prospecting/import/prospect-csv.ts";
import { unpacked } from "../../src/features/prospecting/import/prospect-file.ts";
import { RowWriter } from "../../src/features/prospecting/import/row-writer.ts";
import type { ProspectTarget } from "../../src/features/prospecting/import/prospect-targets.ts";
import type { ProspectRow } from "../../src/features/prospecting/directory-model.ts";
import { pick, seeded } from "../support/random.ts";

const targets: ProspectTarget[] = ["firstName", "lastName", "email", "company", "ignore", "technologies", "title"];
const cells = [
  "Ada", "Lovelace", "ada@example.com", "Björn", "", "", " ", "  Acme  ", "'=SUM(1)", "Node.js; React;;Node.js", "Łukasz",
  '"Acme, Inc."', '"two ""quotes"""', '"two\nlines"', '5" pipe', '"open', '"closed" late', '""', '" "', "VP Sales", "\u00a0", "\r",
] as const; // prettier-ignore
const ignored: ReadonlySet<string> = new Set();
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
    const layout = {
      delimiter: ",",
      newline: newline === "\r" ? "\r" : "\n",
      headerRow: 3,
      headers: [],
      targets,
      ignored,
    };
    const blocks = cut(text, random);
    const read = rowsOf(layout, "a file", blocks, false);
    // With bytes that could not be read, nothing is taken for plain.
    expect(read).toEqual(rowsOf(layout, "a file", [text], true));
    people += read.length;
  }
  expect(people).toBeGreaterThan(2000);
});

test("a column with more profiles of people than of companies makes names those of people", () => {
  const targets = (...paths: string[]) => {
    const rows = paths.map((path) => `Ada Lovelace,https://network.example/${path}/a`);
    const text = ["Name,LinkedIn URL", ...rows, ""].join("\n");
    return prospectLayout({ text, isWholeFile: true }, null, new Map()).targets;
  };
  expect(targets("in", "company", "in")).toEqual(["fullName", "networkUrl"]);
  expect(targets("in", "company", "company")).toEqual(["company", "companyNetworkUrl"]);
});

test("a line that never ends is given up, and what follows it is read", () => {
  const layout = { delimiter: ",", newline: "\n", headerRow: 0, headers: [], targets, ignored };
  const blocks = [
    ...Array.from({ length: 20 }, () => "x".repeat(65_536)),
    "\n,,ada@example.com\n",
    ",,bob@example.com\n",
  ];
  const read = rowsOf(layout, null, blocks, false);
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

function rowsOf(layout: ProspectLayout, source: string | null, blocks: string[], hasBadBytes: boolean): string[] {
  const writer = new RowWriter();
  const reader = new ProspectCsvRows(layout, source, 0, writer);
  for (const block of [...blocks, null]) reader.take(block, hasBadBytes);
  return unpacked(writer.buffer.take(Number.POSITIVE_INFINITY)).map(told);
}

function told(row: ProspectRow): string {
  if ("errors" in row) return `${row.row} ${row.errors.map(({ message }) => message).join()}`;
  return `${row.row} ${row.kind} ${new TextDecoder().decode(row.content)} ${row.keys.join()}`;
}
