import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leadContent } from "../../src/features/leads/identity.ts";
import type { LeadFileOptions } from "../../src/features/leads/import/lead-file-batch.ts";
import { leadCsvHeader, leadCsvRow } from "../../src/features/leads/lead-csv.ts";
import { unguardedCell } from "../../src/lib/table-file/csv-cell.ts";
import { leadStatuses, leadTextFields, type LeadContent, type LeadView } from "../../src/features/leads/model.ts";
import { readRows } from "../support/lead-files.ts";
import { pick, seeded } from "../support/random.ts";

const folder = mkdtempSync(join(tmpdir(), "lead-csv-"));
afterAll(() => rmSync(folder, { recursive: true }));

function viewOf(content: Partial<LeadContent>): LeadView {
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, null])) as Record<
    (typeof leadTextFields)[number],
    null
  >;
  return {
    ...{ ...texts, id: "l1", status: "new", tags: [], customFields: {}, assignedTo: null },
    ...{ createdAt: "2026-01-02T03:04:05.000Z", updatedAt: "2026-01-02T03:04:05.000Z" },
    ...content,
  };
}

async function imported(views: LeadView[]): Promise<unknown[]> {
  const path = join(folder, "export.csv");
  writeFileSync(path, leadCsvHeader() + views.map(leadCsvRow).join(""));
  const options: LeadFileOptions = {
    ...{ path, owner: 1, format: "auto", delimiter: null, columns: null },
    ...{ tags: [], source: null, assignTo: [], afterRow: 0, batchRows: 200 },
  };
  return (await readRows(options)).map((row) => ("content" in row ? row.content : row));
}

describe("the export of leads", () => {
  test("names its columns", () => {
    expect(leadCsvHeader()).toStartWith("firstName,lastName,email,company,title,phone,networkUrl,");
    expect(leadCsvHeader()).toEndWith("status,tags,customFields,id,createdAt,updatedAt,assignedTo\r\n");
  });

  test("quotes what has separators, quotes or line breaks", () => {
    const row = leadCsvRow(
      viewOf({ company: "Acme, Inc.", notes: 'He said "hi"\nand left', tags: ["a", "b"], customFields: { n: 1 } }),
    );
    expect(row).toContain(',"Acme, Inc.",');
    expect(row).toContain(',"He said ""hi""\nand left",new,a;b,"{""n"":1}",l1,');
  });

  test.each(["=1+1", "+49 30 1234", "-5", "@SUM(A1)", "\tx", "\rx", "'=1", "''-1"])(
    "%j is made a text for spreadsheets, and an import takes that back",
    (text) => {
      const [cell = ""] = leadCsvRow(viewOf({ firstName: text })).split(",");
      const bare = cell.replace(/^"|"$/g, "");
      expect(bare).toBe(`'${text}`);
      expect(unguardedCell(bare)).toBe(text);
    },
  );

  test("a quote that stands for itself is kept", () => {
    expect(["'s-Hertogenbosch", "O'Neil", "''"].map(unguardedCell)).toEqual(["'s-Hertogenbosch", "O'Neil", "''"]);
    expect(leadCsvRow(viewOf({ firstName: "'s-Hertogenbosch" }))).toStartWith("'s-Hertogenbosch,");
  });

  test("an import of an export gives the same leads", async () => {
    const random = seeded(7);
    const contents = Array.from({ length: 1500 }, () => randomContent(random));
    expect(await imported(contents.map(viewOf))).toEqual(contents);
  });
});

const pieces = [
  "a",
  "Z",
  "é",
  "😀",
  "\u0301",
  "漢",
  " ",
  "  ",
  '"',
  '""',
  "'",
  ",",
  ";",
  "\n",
  "\r\n",
  "\t",
  "=",
  "+",
  "-",
  "@",
  "|",
  "[",
  "]",
  "{",
  "\\",
  "\u00a0",
  "\ufffd",
  "＝",
  "1",
  "#N/A",
];

/** A lead as it would be stored, of texts that try to break the format. */
function randomContent(random: () => number): LeadContent {
  const text = (): string => Array.from({ length: Math.floor(random() * 8) }, () => pick(pieces, random)).join("");
  const texts = Object.fromEntries(leadTextFields.map((field) => [field, random() < 0.3 ? null : text()]));
  const result = leadContent({
    ...texts,
    email: `p${Math.floor(random() * 1e6)}@example.com`,
    networkUrl: null,
    status: pick(leadStatuses, random),
    tags: Array.from({ length: Math.floor(random() * 4) }, text),
    customFields: random() < 0.5 ? {} : { [text() || "x"]: text(), n: random(), deep: { list: [text(), null, true] } },
  });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  return result.content;
}
