import { expect, test } from "bun:test";
import { formatBytes, renderBar } from "../../src/surfaces/cli/progress.ts";
import { RowCounter, type LineFormat } from "../../src/surfaces/cli/row-counter.ts";
import { renderTable } from "../../src/surfaces/cli/table.ts";
import { closest, closestName } from "../../src/platform/base/spelling.ts";

test("a bar is filled by its percentage and never as wide as the screen", () => {
  expect(renderBar(50, "Importing", 80)).toBe(`${"█".repeat(12)}${"░".repeat(12)}  50%  Importing`);
  expect(renderBar(100, "x", 80)).toStartWith("█".repeat(24));
  expect(renderBar(null, "Sending", 80)).toBe("Sending");
  expect(renderBar(50, "y".repeat(200), 40)).toHaveLength(39);
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1500, "1.5 kB"],
  [2_147_483_648, "2.1 GB"],
])("%d bytes are written as %s", (bytes, written) => {
  expect(formatBytes(bytes)).toBe(written);
});

test("columns of a table line up, also under wide letters", () => {
  expect(
    renderTable(
      ["NAME", "ID"],
      [
        ["李雷", "1"],
        ["Ada Lovelace", "22"],
      ],
    ),
  ).toBe(["NAME          ID", "李雷          1", "Ada Lovelace  22"].join("\n"));
});

function countRows(format: LineFormat, text: string, chunkBytes: number): number {
  const counter = new RowCounter(format);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) counter.add(bytes.subarray(at, at + chunkBytes));
  return counter.rows;
}

test.each([1, 3, 1000])("rows are counted in chunks of %d bytes", (chunkBytes) => {
  expect(countRows("csv", 'a,b\n1,"x\ny ""z"""\n2,\n', chunkBytes)).toBe(2);
  expect(countRows("ndjson", '{"a":"\\""}\n{"a":"it\'s 5\\" long"}\n', chunkBytes)).toBe(2);
  expect(countRows("csv", "a,b\n", chunkBytes)).toBe(0);
  expect(countRows("csv", "", chunkBytes)).toBe(0);
});

test("a name finds the one it was meant to be, and only a near one", () => {
  const names = ["listen", "data", "drain-seconds"];
  expect(closest("lisen", names)).toBe("listen");
  expect(closest("drain-second", names)).toBe("drain-seconds");
  expect(closest("date", names)).toBe("data");
  expect(closest("colour", names)).toBeNull();
});

test("a name of several words is also meant by one of them, if no other has it", () => {
  const names = ["includePersonalInfo", "includeCompanyInfo", "includeSocialProfiles"];
  for (const word of ["socail", "social", "Socials", "includeSocial", "profile", "includeSocialProfile"])
    expect(closestName(word, names)).toBe("includeSocialProfiles");
  for (const word of ["info", "include", "x", "everything"]) expect(closestName(word, names)).toBeNull();
});
