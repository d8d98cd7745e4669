import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { BlobContent } from "../../platform/blobs/model.ts";
import type { FilesPlace } from "../../platform/blobs/place.ts";
import { giveWay, type ThreadPort } from "../../threads.ts";
import type { ArchiveStore } from "./archive-store.ts";
import { ArchiveWriter } from "./archive-writer.ts";
import { memberNames, type MissingFile } from "./model.ts";
import type { ArchivePlace } from "./place.ts";
import type { ServerDatabase, Snapshot } from "./snapshot-store.ts";

export type BackupRequest = {
  name: string;
  /** Program version. */
  version: string;
  createdAt: number;
  place: ArchivePlace;
  /** The database, or only where it would be if it were not on a server: beside it is room for its copy. */
  databasePath: string;
  /** Null: the embedded database. */
  server: ServerDatabase | null;
  files: FilesPlace;
};

export type BackupMessage =
  | { kind: "progress"; percent: number }
  | { kind: "completed"; bytes: number; files: number; missing: MissingFile[] }
  /** Nothing was left behind. `code` is the error code of the operating system or SQLite, if any. */
  | { kind: "failed"; message: string; code: string | undefined };

export type BackupThread = {
  task: "backup";
  init: BackupRequest;
  port: ThreadPort<{ stop: true }, BackupMessage>;
};

type BackupTools = {
  createArchives: (place: ArchivePlace) => ArchiveStore;
  findBlob: (files: FilesPlace, name: string) => Promise<BlobContent | null>;
  takeSnapshot: (path: string, now: number) => Snapshot;
  /** Copies a database on a server to a file beside `path`. `onProgress` gets the share; what it throws ends the copy. */
  takeLiveSnapshot: (
    server: ServerDatabase,
    path: string,
    now: number,
    onProgress: (share: number) => void,
  ) => Promise<Snapshot>;
};

/** Read limit that leaves even a slow disk enough time for commits. */
const bytesPerSecond = 100e6;
const pieceBytes = 2 ** 20;
/** Copying rows from a server takes several times as long as packing the copy. */
const percentOfRows = 75;

/**
 * The task "backup": copies the database and the files that its rows reference into an archive. It should not be
 * stopped from outside before it responds: its partial output would remain until the next backup.
 */
export async function runBackupThread(
  port: BackupThread["port"],
  request: BackupRequest,
  tools: BackupTools,
): Promise<void> {
  giveWay();
  const stop = { requested: false };
  port.onMessage(() => (stop.requested = true));
  try {
    port.post(await makeBackup(request, tools, stop, (percent) => port.post({ kind: "progress", percent })));
  } catch (error) {
    // An error loses its code when it is copied between threads.
    const { message, code } = error as Error & { code?: string };
    port.post({ kind: "failed", message, code });
  }
}

async function makeBackup(
  request: BackupRequest,
  tools: BackupTools,
  stop: { requested: boolean },
  onProgress: (percent: number) => void,
): Promise<BackupMessage> {
  const { name, version, createdAt, place, databasePath, server, files: filesPlace } = request;
  const { createArchives, findBlob, takeSnapshot, takeLiveSnapshot } = tools;
  const refuseStop = (): void => {
    if (stop.requested) throw new Error("Stopped because the server is stopping.");
  };
  // First, so that an unwritable destination fails before anything is copied.
  const sink = await createArchives(place).create(name);
  let snapshot: Snapshot | null = null;
  let bytes = 0;
  let read = 0;
  let packedFrom = performance.now();
  const write = async (chunk: Uint8Array): Promise<void> => {
    refuseStop();
    await sink.write(chunk);
    bytes += chunk.length;
    await Bun.sleep(Math.max(0, (read / bytesPerSecond) * 1000 - (performance.now() - packedFrom)));
  };
  const percentBefore = server === null ? 0 : percentOfRows;
  const onRows = (share: number): void => {
    refuseStop();
    onProgress(share * percentBefore);
  };
  try {
    snapshot =
      server === null
        ? takeSnapshot(databasePath, createdAt)
        : await takeLiveSnapshot(server, databasePath, createdAt, onRows);
    packedFrom = performance.now();
    const { bytes: databaseBytes, migrations, audit } = snapshot;
    const archive = new ArchiveWriter({ version, createdAt, migrations, audit }, write);
    async function* counted(pieces: Pieces): AsyncGenerator<Uint8Array, void, void> {
      for await (const piece of pieces) {
        yield piece;
        read += piece.length;
        onProgress(percentBefore + Math.min(1, read / databaseBytes) * (100 - percentBefore));
      }
    }
    // Files follow the rows that reference them: each existed when the snapshot was taken, or has been deleted since.
    await archive.add(memberNames.database, databaseBytes, counted(snapshot.pieces()));
    let files = 0;
    for (const blob of snapshot.blobs()) {
      const file = await openFile(filesPlace, blob.name);
      if (file === null && blob.required) archive.miss({ name: `blobs/${blob.name}`, reason: "gone" });
      if (file === null) continue;
      try {
        await archive.add(`blobs/${blob.name}`, file.bytes, counted(file.pieces));
        files++;
      } finally {
        file.close();
      }
    }
    const { missing } = await archive.finish();
    await sink.complete();
    return { kind: "completed", bytes, files, missing };
  } catch (error) {
    await sink.discard();
    throw error;
  } finally {
    snapshot?.close();
  }

  async function openFile(place: FilesPlace, fileName: string): Promise<OpenFile | null> {
    if (place.kind === "disk") return openOnDisk(join(place.path, fileName));
    const blob = await findBlob(place, fileName);
    return blob && { bytes: blob.bytes, pieces: piecesOfBlob(blob), close() {} };
  }
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
type OpenFile = { bytes: number; pieces: Pieces; close(): void };

/** Reads it to its end even if it is removed meanwhile. */
function openOnDisk(path: string): OpenFile | null {
  const file = openIfThere(path);
  return file === null ? null : { bytes: fstatSync(file).size, pieces: piecesOf(file), close: () => closeSync(file) };
}

/** Ends early if the blob is removed meanwhile. */
async function* piecesOfBlob({ bytes, body }: BlobContent): AsyncGenerator<Uint8Array, void, void> {
  const content = body(0, bytes);
  try {
    yield* content instanceof Blob ? content.stream() : content;
  } catch (error) {
    if ((error as { code?: string }).code !== "NoSuchKey") throw error;
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
}

function* piecesOf(file: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(pieceBytes);
  for (;;) {
    const length = readSync(file, buffer, 0, pieceBytes, null);
    if (length === 0) return;
    yield buffer.subarray(0, length);
  }
}
