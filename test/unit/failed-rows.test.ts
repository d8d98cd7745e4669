import { expect, test } from "bun:test";
import { failedRowsText } from "../../src/features/leads/import/failed-rows.ts";

const options = {
  format: "csv",
  encoding: "utf-8",
  delimiter: null,
  columns: null,
  headers: ["email", "note"],
} as const;
const problem = [{ path: "email", message: "Expected an email address." }];

/** A file of rows that failed, if their number is in `failed`, in chunks as the network delivers them. */
function fileOf(rows: number, chunkBytes: number) {
  const lines = Array.from({ length: rows }, (_, at) => `p${at + 2},ünïcödé note of row ${at + 2}\n`);
  const bytes = new TextEncoder().encode(`email,note\n${lines.join("")}`);
  let at = 0;
  let isClosed = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += chunkBytes)));
    },
    cancel: () => void (isClosed = true),
  });
  return { stream, bytes: bytes.length, isClosed: () => isClosed };
}

async function* failing(...rows: number[]) {
  for (const row of rows) yield { row, errors: problem };
}

test("failed rows are those of the file, whatever the size of the chunks that it arrives in", async () => {
  const rows = [2, 3_000, 19_999];
  const lines = rows.map((row) => `p${row},ünïcödé note of row ${row},email: Expected an email address.\r\n`);
  for (const chunkBytes of [997, 65_536, 10_000_000]) {
    const file = fileOf(20_000, chunkBytes);
    const csv = await Array.fromAsync(failedRowsText(file.stream, failing(...rows), options));
    expect(csv.join("")).toBe(`email,note,Import problem\r\n${lines.join("")}`);
  }
});

test("a file is closed behind its last failed row, and if it is another file", async () => {
  const file = fileOf(20_000, 65_536);
  expect(await Array.fromAsync(failedRowsText(file.stream, failing(2), options))).toHaveLength(2);
  expect(file.isClosed()).toBeTrue();
  const other = fileOf(20_000, 65_536);
  const rows = failedRowsText(other.stream, failing(2), { ...options, headers: ["phone"] });
  expect(await Array.fromAsync(rows).catch(String)).toContain("not the file of the import");
  expect(other.isClosed()).toBeTrue();
});

test("a large chunk is parsed in parts, so that other work can go on", async () => {
  const file = fileOf(100_000, 10_000_000);
  let turns = 0;
  let isDone = false;
  const count = () => void (turns++, isDone || setImmediate(count));
  setImmediate(count);
  await Array.fromAsync(failedRowsText(file.stream, failing(99_999), options));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(Math.floor(file.bytes / 65_536) - 1);
});

test("failed lines of NDJSON are those of the file, whatever the size of the chunks that it arrives in", async () => {
  const long = "x".repeat(1_100_000);
  const lines = Array.from({ length: 20_000 }, (_, at) => `{"email":"p${at + 1}","note":"ünïcödé"}`);
  lines[2_998] = `{"email":"${long}"}`;
  lines[10_000] = '{"email":"p10001"';
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const expected = [
    '{"email":"p1","note":"ünïcödé","Import problem":"email: Expected an email address."}',
    '{"Import problem":"Line 2999: email: Expected an email address."}',
    '{"Import problem":"Line 10001: email: Expected an email address."}\n{"email":"p10001"',
    '{"email":"p20000","note":"ünïcödé","Import problem":"email: Expected an email address."}',
  ];
  for (const chunkBytes of [997, 65_536, 10_000_000]) {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    }
    for (const format of ["ndjson", "auto"] as const) {
      const rows = failedRowsText(chunks(), failing(1, 2_999, 10_001, 20_000), { ...options, format });
      expect((await Array.fromAsync(rows)).join("")).toBe(`${expected.join("\n")}\n`);
    }
  }
});
