import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveWriter } from "../../src/features/backup/archive-writer.ts";
import { tarHeader } from "../../src/features/backup/tar.ts";
import { ArchiveError } from "../../src/features/backup/archive-error.ts";
import { archiveOf, forgedArchive, madeAt, sha256, tarOf, unpack, zipped } from "../support/archives.ts";

const files = {
  "outreachd.db": "rows ".repeat(1000),
  "blobs/voice/a.reference": "sound",
  "blobs/imports/0198-b": "email\n",
};
const manifest = {
  format: 1,
  version: "0.1.0",
  createdAt: "2026-01-05T10:00:00.000Z",
  migrations: [],
  members: [{ name: "outreachd.db", size: 4, sha256: sha256("rows") }],
  missing: [] as { name: string; reason: string }[],
};

let root: string;
let directory: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-archive-"));
  directory = join(root, "a", "b");
  mkdirSync(directory, { recursive: true });
});

afterEach(() => rmSync(root, { recursive: true }));

test("what was put in comes out, for our eyes only, with a manifest that tells all of it", async () => {
  const read = await unpack(await archiveOf(files), directory);
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(join(directory, name), "utf8")).toBe(text);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  }
  expect(read).toEqual({
    format: 1,
    version: "0.1.0",
    createdAt: new Date(madeAt).toISOString(),
    migrations: [{ number: 1, name: "0001_init.sql", hash: "abc" }],
    members: Object.entries(files).map(([name, text]) => ({ name, size: text.length, sha256: sha256(text) })),
    missing: [],
  });
});

test("an archive of more than one frame comes out whole", async () => {
  const large = { "outreachd.db": "0123456789".repeat(350_000) };
  await unpack(await archiveOf(large), directory, 100_000);
  expect(Bun.hash(readFileSync(join(directory, "outreachd.db")))).toBe(Bun.hash(large["outreachd.db"]));
});

test("a file that became shorter while it was read is told as missing, and does not come out", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new ArchiveWriter({ version: "1", createdAt: madeAt, migrations: [] }, async (chunk) => {
    chunks.push(chunk);
  });
  await writer.add("outreachd.db", 4, [Buffer.from("rows")]);
  await writer.add("blobs/voice/a.clip", 10, [Buffer.from("four")]);
  await writer.finish();
  const { missing } = await unpack(Buffer.concat(chunks), directory);
  expect(missing).toEqual([{ name: "blobs/voice/a.clip", reason: "changed" }]);
  expect(existsSync(join(directory, "blobs/voice/a.clip"))).toBe(false);
});

test("an archive that is cut off anywhere is refused", async () => {
  const whole = await archiveOf(files);
  for (let length = 0; length < whole.length; length += 37)
    await expect(unpack(whole.subarray(0, length), fresh(length))).rejects.toThrow(ArchiveError);
});

test("what is put behind an archive is found, however little and however it is put there", async () => {
  const whole = await archiveOf(files);
  const frame = zipped(Buffer.from("more"));
  const behind: [string, Uint8Array][] = [
    ["a byte", Uint8Array.of(0)],
    ["text", Buffer.from("garbage")],
    ["zeros", new Uint8Array(100_000)],
    ["a frame", frame],
    ["the archive once more", whole],
    ["an archive of another time", await archiveOf({ "outreachd.db": "other" })],
    ["the beginning of a frame", frame.subarray(0, 4)],
    ["most of a frame", frame.subarray(0, -1)],
    ["another packed file", Bun.gzipSync(Buffer.from("hello"))],
  ];
  for (const [n, [what, bytes]] of behind.entries())
    for (const chunkBytes of [10, 1_000_000]) {
      const forged = unpack(Buffer.concat([whole, bytes]), fresh(n * 10 + chunkBytes), chunkBytes);
      await expect(forged, what).rejects.toThrow(ArchiveError);
    }
});

test("zeros behind the end, as tar writes them, are no more than that", async () => {
  const plain = Bun.zstdDecompressSync(await archiveOf(files));
  await unpack(zipped(Buffer.concat([plain, new Uint8Array(10_240)])), directory);
  const trailing = zipped(Buffer.concat([plain, new Uint8Array(10_240), Uint8Array.of(1)]));
  await expect(unpack(trailing, fresh(1))).rejects.toThrow("it has trailing data");
});

test("a single byte that was changed is found, wherever it is", async () => {
  const whole = await archiveOf(files);
  for (let at = 0; at < whole.length; at += 23) {
    const changed = Uint8Array.from(whole);
    changed[at]! ^= 0x10;
    await expect(unpack(changed, fresh(at))).rejects.toThrow(ArchiveError);
  }
});

test("a byte that was changed before it was zipped is found, wherever it is", async () => {
  const plain = Bun.zstdDecompressSync(await archiveOf(files));
  const padding = new Set<number>(); // between files, and in what headers do not use: bytes that mean nothing
  for (let at = 0; at < plain.length; at += 307) {
    const changed = Uint8Array.from(plain);
    changed[at]! ^= 0x01;
    try {
      await unpack(zipped(changed), fresh(at), 10_000);
      padding.add(at);
    } catch (error) {
      expect(error).toBeInstanceOf(ArchiveError);
    }
  }
  for (const at of padding) expect(plain[at]).toBe(0);
});

test.each([
  ["text", Buffer.from("email,name\nada@example.com,Ada\n")],
  ["another packed file", Bun.gzipSync(Buffer.from("hello"))],
  ["zstd of something else", zipped(Buffer.from("hello"))],
  ["nothing", new Uint8Array(0)],
  ["a tar without a manifest", zipped(tarOf({ "outreachd.db": "rows" }))],
])("%s is refused", async (_, bytes) => {
  await expect(unpack(bytes, directory)).rejects.toThrow(ArchiveError);
});

const stored = { "outreachd.db": "rows" };
const withManifest = (changes: object) => ({ ...stored, "manifest.json": JSON.stringify({ ...manifest, ...changes }) });

test.each([
  ["a name that leads out", { ...stored, "../escaped": "x" }, "does not belong in a backup"],
  ["a name that leads out of blobs", { ...stored, "blobs/voice/../../../escaped": "x" }, "does not belong in a backup"],
  ["an absolute name", { ...stored, "/tmp/escaped": "x" }, "does not belong in a backup"],
  ["a file that no backup has", { ...stored, "lock.db": "x" }, "does not belong in a backup"],
  ["a manifest that is no JSON", { ...stored, "manifest.json": "{" }, "is not valid"],
  ["a manifest without members", withManifest({ members: undefined }), "is not valid"],
  [
    "a missing file that leads out",
    withManifest({ missing: [{ name: "../../kept", reason: "gone" }] }),
    "is not valid",
  ],
  ["a manifest of other files", withManifest({ members: [] }), "does not match its files"],
  ["a later format", withManifest({ format: 2, version: "9.0.0" }), "created by outreachd 9.0.0"],
  ["no database", { "manifest.json": JSON.stringify({ ...manifest, members: [] }) }, "no database"],
])("an archive that was forged with %s is refused, and touches nothing outside", async (_, members, reason) => {
  await Bun.write(join(root, "kept"), "kept");
  await expect(unpack(forgedArchive(members), directory)).rejects.toThrow(reason);
  expect(readdirSync(root).toSorted()).toEqual(["a", "kept"]);
});

test("a file that takes more than the disk has is refused before it is written", async () => {
  const header = tarHeader({ name: "outreachd.db", size: 2 ** 50 }, madeAt);
  await expect(unpack(zipped(header), directory)).rejects.toThrow("needs 1125899906842624 bytes");
  expect(readdirSync(directory)).toEqual([]);
});

function fresh(at: number): string {
  const path = join(root, String(at));
  mkdirSync(path);
  return path;
}
