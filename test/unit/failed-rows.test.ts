import { expect, test } from "bun:test";
import { failedRowsCsv } from "../../src/features/leads/import/failed-rows.ts";

const options = { encoding: "utf-8", delimiter: null, columns: null, headers: ["email", "note"] } as const;
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
    const csv = await Array.fromAsync(failedRowsCsv(file.stream, failing(...rows), options));
    expect(csv.join("")).toBe(`email,note,Import problem\r\n${lines.join("")}`);
  }
});

test("a file is closed behind its last failed row, and if it is another file", async () => {
  const file = fileOf(20_000, 65_536);
  expect(await Array.fromAsync(failedRowsCsv(file.stream, failing(2), options))).toHaveLength(2);
  expect(file.isClosed()).toBeTrue();
  const other = fileOf(20_000, 65_536);
  const rows = failedRowsCsv(other.stream, failing(2), { ...options, headers: ["phone"] });
  expect(await Array.fromAsync(rows).catch(String)).toContain("not the file of the import");
  expect(other.isClosed()).toBeTrue();
});

test("a large chunk is parsed in parts, so that other work can go on", async () => {
  const file = fileOf(100_000, 10_000_000);
  let turns = 0;
  let isDone = false;
  const count = () => void (turns++, isDone || setImmediate(count));
  setImmediate(count);
  await Array.fromAsync(failedRowsCsv(file.stream, failing(99_999), options));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(Math.floor(file.bytes / 65_536) - 1);
});
