import { open } from "node:fs/promises";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import { voiceFiles } from "./files.ts";
import type { AudioClip } from "./voice-engine.ts";

/** Clips are written by the analysis thread: mono, 16-bit, after a plain header (RIFF without further chunks). */
export const clipRate = 24_000;
const headerBytes = 44;
const bytesPerSecond = clipRate * 2;
/** Maximum length used by engines that clone from a short clip. */
const maxSeconds = 30;

export function clipSeconds(bytes: number): number {
  return Math.max(0, bytes - headerBytes) / bytesPerSecond;
}

/** Combines the clips of a clone, best first, into one reference clip of up to 30 s. Returns its length in seconds. */
export async function writeReference(blobs: BlobStore, cloneId: string, clips: readonly AudioClip[]): Promise<number> {
  const { wavHeader } = await import("../../lib/audio/wav/encode-wav.ts");
  const chosen: Buffer[] = [];
  let remainingBytes = maxSeconds * bytesPerSecond;
  for (const { path } of clips) {
    if (remainingBytes === 0) break;
    const samples = await readSamples(path, remainingBytes);
    remainingBytes -= samples.length;
    chosen.push(samples);
  }
  const bytes = maxSeconds * bytesPerSecond - remainingBytes;
  const header = wavHeader(clipRate, { samples: bytes / 2 });
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield header;
    yield* chosen;
  }
  await blobs.receive(voiceFiles.reference(cloneId), parts(), header.length + bytes);
  return bytes / bytesPerSecond;
}

async function readSamples(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(maxBytes);
    const { bytesRead } = await file.read(buffer, 0, maxBytes, headerBytes);
    return buffer.subarray(0, bytesRead - (bytesRead % 2));
  } finally {
    await file.close();
  }
}
