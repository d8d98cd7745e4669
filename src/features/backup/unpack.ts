import { mkdir, open, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { Value } from "@sinclair/typebox/value";
import { ArchiveError } from "./archive-error.ts";
import { archiveFormat, Manifest, memberNames, type ArchiveMember } from "./model.ts";
import { readTar } from "./tar.ts";
import { wholeFrames } from "./zstd-frames.ts";

/** Accepts only names that backups contain, so that no name can escape the directory. */
const blobForm = /^blobs\/[a-z][a-z-]*\/[\w-]+(\.[\w-]+)*$/;
/** Manifests and checksums list every file, with about 200 bytes each. */
const maxTextBytes = 256 * 2 ** 20;

/**
 * Extracts the database and files of an archive into an empty directory, durably, and verifies every byte. Throws
 * `ArchiveError` if the archive is truncated, damaged, or not a backup; files written so far remain.
 */
export async function unpackArchive(chunks: AsyncIterable<Uint8Array>, directory: string): Promise<Manifest> {
  const found = new Map<string, ArchiveMember>();
  const texts = new Map<string, string>();
  const folders = new Set([directory]);
  for await (const { name, size, body } of readTar(decompress(chunks))) {
    if (found.has(name) || texts.has(memberNames.sums))
      throw new ArchiveError(`it contains ${name} in an unexpected position`);
    if (name === memberNames.manifest || name === memberNames.sums) {
      if (size > maxTextBytes) throw new ArchiveError(`its ${name} is too large`);
      const bytes = Buffer.concat(await Array.fromAsync(body, (piece) => Buffer.from(piece)));
      texts.set(name, bytes.toString("utf8"));
      found.set(name, { name, size, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") });
      continue;
    }
    if (name !== memberNames.database && !blobForm.test(name))
      throw new ArchiveError(`it contains ${JSON.stringify(name)}, which does not belong in a backup`);
    const path = join(directory, name);
    await requireSpace(directory, name, size);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    found.set(name, { name, size, sha256: await write(path, body) });
  }
  const manifest = checkedManifest(found, texts);
  for (const { name } of manifest.missing) await rm(join(directory, name), { force: true });
  for (const folder of folders) await syncFolder(folder);
  return manifest;
}

async function* decompress(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bytes = pipeline(Readable.from(wholeFrames(chunks), { objectMode: false }), createZstdDecompress(), () => {});
  try {
    yield* bytes as AsyncIterable<Uint8Array>;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    // Errors of the underlying file are passed on unchanged.
    if (!/zstd/i.test(code)) throw cause;
    throw new ArchiveError("it is damaged or not a backup", { cause });
  }
}

async function requireSpace(directory: string, name: string, size: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (size <= bavail * bsize) return;
  throw new ArchiveError(
    `its ${name} needs ${size} bytes, but only ${bavail * bsize} are free on the disk of ${directory}`,
  );
}

/** Writes a file and returns its SHA-256. */
async function write(path: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const file = await open(path, "wx", 0o600);
  try {
    for await (const piece of body) {
      hash.update(piece);
      for (let at = 0; at < piece.length;) at += (await file.write(piece, at, piece.length - at)).bytesWritten;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

function checkedManifest(found: Map<string, ArchiveMember>, texts: Map<string, string>): Manifest {
  const text = texts.get(memberNames.manifest);
  const sums = texts.get(memberNames.sums);
  if (text === undefined || sums === undefined) throw new ArchiveError("it has no manifest");
  const members = [...found.values()].filter(({ name }) => name !== memberNames.sums);
  const wanted = sums.split("\n").filter((line) => line !== "");
  const seen = members.map(({ name, sha256 }) => `${sha256}  ${name}`);
  const damaged = members.find((_, i) => seen[i] !== wanted[i]);
  if (damaged !== undefined) throw new ArchiveError(`its ${damaged.name} does not match its checksum`);
  if (wanted.length !== seen.length) throw new ArchiveError("files are missing from it");
  const manifest = parseManifest(text);
  if (manifest.format !== archiveFormat)
    throw new ArchiveError(`it was created by outreachd ${manifest.version}, whose archives this version cannot read`);
  const isSame = ({ name, size, sha256 }: ArchiveMember, i: number): boolean => {
    const listed = manifest.members[i];
    return listed?.name === name && listed.size === size && listed.sha256 === sha256;
  };
  const files = members.filter(({ name }) => name !== memberNames.manifest);
  if (files.length !== manifest.members.length || !files.every(isSame))
    throw new ArchiveError("its manifest does not match its files");
  if (!found.has(memberNames.database)) throw new ArchiveError("it contains no database");
  return manifest;
}

/** A manifest and its checksums can be forged, so its names must not escape the directory either. */
function parseManifest(text: string): Manifest {
  let manifest: unknown = null;
  try {
    manifest = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (!Value.Check(Manifest, manifest) || manifest.missing.some(({ name }) => !blobForm.test(name)))
    throw new ArchiveError("its manifest is not valid");
  return manifest;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
