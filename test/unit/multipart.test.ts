import { expect, test } from "bun:test";
import { ApiError } from "../../src/platform/base/errors.ts";
import { formParts } from "../../src/platform/http/multipart.ts";
import type { BodySource } from "../../src/platform/http/input.ts";
import { seeded } from "../support/random.ts";

const boundary = "XbX";

/** A request whose body comes in these pieces. */
function formRequest(pieces: readonly Uint8Array[]): BodySource {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece);
      controller.close();
    },
  });
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const request = new Request("http://localhost/", { method: "POST", headers, body });
  return { request, secret: null, keyed: null };
}

async function parts(...pieces: (string | Uint8Array)[]): Promise<string[]> {
  const found: string[] = [];
  for await (const part of formParts(formRequest(pieces.map((piece) => Buffer.from(piece as string))))) {
    if (part.kind === "field") found.push(`${part.name}=${part.value}`);
    else {
      let bytes = 0;
      for await (const chunk of part.body) bytes += chunk.byteLength;
      found.push(`${part.name}:${part.fileName}:${bytes}`);
    }
  }
  return found;
}

const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, content: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;

test("a form comes as its fields and files, however it is cut", async () => {
  const form = field("name", "Ada") + file("a.wav", "x".repeat(5000)) + file("b.wav", "") + field("note", "") + end;
  const expected = ["name=Ada", "files:a.wav:5000", "files:b.wav:0", "note="];
  expect(await parts(form)).toEqual(expected);
  expect(await parts(...Array.from(Buffer.from(form), (byte) => Uint8Array.of(byte)))).toEqual(expected);
});

const incomplete: [string, string][] = [
  [
    "a part without the blank line behind its head",
    `--${boundary}\r\nContent-Disposition: form-data; name="q"\r\n${end}`,
  ],
  ["a file without it", `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n${end}`],
  ["a complete part, and one without it", `${field("a", "b")}--${boundary}\r\nX: y\r\n${end}`],
  ["nothing", ""],
  ["no boundary", "hello"],
  ["a boundary and no more", `--${boundary}`],
  ["a head that breaks off", `--${boundary}\r\nContent-Disposition: form`],
  ["a file that breaks off", `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nabc`],
  ["no last boundary", field("a", "b")],
];
test.each(incomplete)("a form of %s is refused", async (_what, body) => {
  await expect(parts(body)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

test("every form ends, with its parts or with a refusal", async () => {
  const random = seeded(20_260_112);
  const pick = (count: number) => Math.floor(random() * count);
  const whole = Buffer.from(field("name", "Ada") + file("a.wav", "0123456789".repeat(30)) + field("x", "y") + end);
  let refused = 0;
  for (let round = 0; round < 3000; round++) {
    let bytes = Buffer.from(whole);
    for (let change = pick(3); change >= 0; change--) {
      const at = pick(bytes.length);
      const kind = pick(4);
      if (kind === 0) bytes = bytes.subarray(0, at);
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + pick(20))]);
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(end), bytes.subarray(at)]);
      else bytes[at] = pick(256);
    }
    const cut = pick(bytes.length + 1);
    await parts(bytes.subarray(0, cut), bytes.subarray(cut)).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      refused += 1;
    });
  }
  expect(refused).toBeGreaterThan(500);
});
