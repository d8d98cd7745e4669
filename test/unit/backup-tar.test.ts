import { expect, test } from "bun:test";
import { ArchiveError } from "../../src/features/backup/archive-error.ts";
import { readTar, tarEnd, tarHeader, tarPadding } from "../../src/features/backup/tar.ts";
import { inPieces, madeAt, tarOf } from "../support/archives.ts";

const files = { "outreachd.db": "x".repeat(1000), "blobs/voice/a.clip": "", "manifest.json": "y".repeat(512) };

async function read(bytes: Uint8Array, pieceBytes = 4096): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, size, body } of readTar(inPieces(bytes, pieceBytes))) {
    const content = Buffer.concat(await Array.fromAsync(body, (piece) => Buffer.from(piece)));
    expect(content.length).toBe(size);
    found[name] = content.toString();
  }
  return found;
}

test.each([1, 511, 512, 4096, 1_000_000])(
  "what is written is read again, in pieces of %d bytes",
  async (pieceBytes) => {
    expect(await read(tarOf(files), pieceBytes)).toEqual(files);
  },
);

test.skipIf(Bun.which("tar") === null)("the system's tar reads it", async () => {
  const listed = Bun.spawn(["tar", "-tvf", "-"], {
    stdin: Buffer.from(tarOf(files)),
    stdout: "pipe",
    env: { TZ: "UTC" },
  });
  const lines = (await new Response(listed.stdout).text()).trim().split("\n");
  expect(await listed.exited).toBe(0);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^-rw------- .* 1000 .*2026.* outreachd\.db$|^-rw------- .* 1000 Jan .* outreachd\.db$/);
});

test("a file of 8 GiB and more has its size", async () => {
  for (const size of [8 ** 11 - 1, 8 ** 11, 5e12]) {
    const header = tarHeader({ name: "outreachd.db", size }, madeAt);
    const { value } = await readTar(inPieces(header, 512)).next();
    expect(value).toMatchObject({ name: "outreachd.db", size });
  }
});

test("an archive that ends too early is told as cut off, wherever that is", async () => {
  const whole = tarOf(files);
  for (const length of [0, 1, 511, 512, 700, 1536, 2048, whole.length - 512, whole.length - 1])
    await expect(read(whole.subarray(0, length))).rejects.toThrow(new ArchiveError("it is truncated"));
});

test("a header that was changed is told as damaged", async () => {
  for (const at of [0, 124, 130, 156, 265]) {
    const bytes = Uint8Array.from(tarOf(files));
    bytes[at]! ^= 1;
    await expect(read(bytes)).rejects.toThrow(new ArchiveError("it is damaged"));
  }
});

test.each([
  ["a link", 156, "2"],
  ["a folder", 156, "5"],
  ["a file whose name has a prefix", 345, "folder"],
])("%s is refused", async (_, at, text) => {
  const header = tarHeader({ name: "outreachd.db", size: 0 }, madeAt);
  header.set(new TextEncoder().encode(text), at);
  header.fill(32, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  await expect(read(Buffer.concat([header, tarPadding(0), tarEnd]))).rejects.toThrow("which is not a plain file");
});

test("a name that does not fit is refused when it is written", () => {
  expect(() => tarHeader({ name: "ä".repeat(51), size: 0 }, madeAt)).toThrow(RangeError);
});
