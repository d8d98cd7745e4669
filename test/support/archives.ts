import { ArchiveWriter } from "../../src/features/backup/archive-writer.ts";
import { unpackArchive } from "../../src/features/backup/unpack.ts";
import { tarEnd, tarHeader, tarPadding } from "../../src/features/backup/tar.ts";

/** A moment in the name of archives. */
export const madeAt = Date.parse("2026-01-05T10:00:00.000Z");

type Texts = Record<string, string>;

/** An archive with these files, as a backup writes it. */
export async function archiveOf(files: Texts): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const migrations = [{ number: 1, name: "0001_init.sql", hash: "abc" }];
  const writer = new ArchiveWriter({ version: "0.1.0", createdAt: madeAt, migrations }, async (chunk) => {
    chunks.push(chunk);
  });
  for (const [name, text] of Object.entries(files)) {
    const bytes = new TextEncoder().encode(text);
    await writer.add(name, bytes.length, [bytes]);
  }
  await writer.finish();
  return Buffer.concat(chunks);
}

/** An archive as somebody else would make it: these members, in this order, with sums that fit them. */
export function forgedArchive(members: Texts): Uint8Array {
  const sums = Object.entries(members).map(([name, text]) => `${sha256(text)}  ${name}\n`);
  return zipped(tarOf({ ...members, SHA256SUMS: sums.join("") }));
}

export function tarOf(members: Texts): Uint8Array {
  const parts = Object.entries(members).flatMap(([name, text]) => {
    const bytes = new TextEncoder().encode(text);
    return [tarHeader({ name, size: bytes.length }, madeAt), bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...parts, tarEnd]);
}

export function zipped(bytes: Uint8Array): Uint8Array {
  return Bun.zstdCompressSync(bytes);
}

export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Unpacks bytes that come in pieces of `pieceBytes`. */
export function unpack(archive: Uint8Array, directory: string, pieceBytes = 1000) {
  return unpackArchive(inPieces(archive, pieceBytes), directory);
}

export async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
