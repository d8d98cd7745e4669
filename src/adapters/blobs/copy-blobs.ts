import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";

/** The folders of all features that store files. */
export const blobFolders = ["failed-rows/", "imports/", "prospect-imports/", "speech/", "voice/"];

/** `checksum`: SHA-256 of the names and the SHA-256 of all files. */
export type FolderSum = { folder: string; files: number; bytes: number; checksum: string };

/**
 * Copies the files of a folder that the target does not have yet, and reads each of them back. Throws if one differs, or
 * disappears meanwhile.
 */
export async function copyFolder(
  source: BlobStore,
  target: BlobStore,
  folder: string,
  onFile: (name: string) => Promise<void>,
): Promise<FolderSum> {
  const sum = new Bun.CryptoHasher("sha256");
  // On a disk, uploads that were interrupted have left their beginnings.
  const blobs = (await source.list(folder))
    .filter(({ name }) => !name.endsWith(".part"))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  let bytes = 0;
  for (const { name, changedAt } of blobs) {
    await onFile(name);
    const content = await found(source, name);
    const checksum = await checksumOf(content);
    const existing = await target.find(name);
    if (existing === null || existing.bytes !== content.bytes || (await checksumOf(existing)) !== checksum) {
      await target.receive(name, chunksOf(content), content.bytes);
      const stored = await checksumOf(await found(target, name));
      if (stored !== checksum) throw new Error(`Expected ${name} to be stored with SHA-256 ${checksum}, got ${stored}`);
    }
    await target.touch(name, changedAt);
    sum.update(`${name} ${checksum}\n`);
    bytes += content.bytes;
  }
  return { folder, files: blobs.length, bytes, checksum: sum.digest("hex") };
}

async function found(blobs: BlobStore, name: string): Promise<BlobContent> {
  const content = await blobs.find(name);
  if (content === null) throw new Error(`Expected the file ${name}, found none`);
  return content;
}

async function checksumOf(content: BlobContent): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of chunksOf(content)) hash.update(chunk);
  return hash.digest("hex");
}

function chunksOf({ bytes, body }: BlobContent): AsyncIterable<Uint8Array> {
  const content = body(0, bytes);
  return content instanceof Blob ? content.stream() : content;
}
