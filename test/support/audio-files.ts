import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bytesSource, decodeAudio } from "../../src/lib/audio/audio.ts";
import { joined } from "./sound.ts";

/** The bytes of a file of test/fixtures/audio. */
export function audioFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dir, "../fixtures/audio", name)));
}

/** All that the bytes decode to. */
export function decoded(bytes: Uint8Array): { channels: Float32Array[]; sampleRate: number } {
  return joined(decodeAudio(bytesSource(bytes)));
}
