import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { eachLine } from "../../src/surfaces/mcp/lines.ts";

test.each([1, 2, 3, 7, 100])("lines come whole, however they are cut into pieces of %d bytes", async (size) => {
  const bytes = Buffer.from('{"name":"Zoë 山田"}\r\n\n \t\r\n{"n":2}\n{"last":"without an end"}');
  const lines: string[] = [];
  const input = new PassThrough();
  const ended = new Promise<void>((resolve) =>
    eachLine(input, resolve, (line) => lines.push(Buffer.from(line).toString())),
  );
  for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
  input.end();
  await ended;
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { name: "Zoë 山田" },
    { n: 2 },
    { last: "without an end" },
  ]);
});

test("who has stopped reads nothing more", async () => {
  const lines: Uint8Array[] = [];
  const input = new PassThrough();
  const stop = eachLine(
    input,
    () => {},
    (line) => {
      lines.push(line);
      stop();
    },
  );
  input.write("one\n");
  await new Promise((resolve) => setImmediate(resolve));
  input.write("two\n");
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines).toHaveLength(1);
});
