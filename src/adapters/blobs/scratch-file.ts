import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { BlobFault } from "../../platform/blobs/blob-store.ts";
import { giveToOwner, makeOwnedFolder } from "../disk/owned-folder.ts";

/** Writes a new file, in a folder that is created if necessary. Throws `BlobFault` on a full disk. */
export async function writeScratchFile(path: string, content: () => AsyncIterable<Uint8Array>): Promise<void> {
  try {
    makeOwnedFolder(dirname(path));
    const file = await open(path, "wx", 0o600);
    try {
      giveToOwner(file.fd, dirname(path));
      for await (const chunk of content())
        for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at, chunk.length - at)).bytesWritten;
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    throw new BlobFault("BLOBS_NO_SCRATCH", `The disk of ${dirname(path)} is full`, error);
  }
}
