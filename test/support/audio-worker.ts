import { closeSync, openSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { decodeAudio, fileSource, M4aEncoder } from "../../src/lib/audio/audio.ts";

/** What a decoded file is compared by; the same samples give the same sums on one machine. */
export type DecodedSummary = { sampleRate: number; samples: number[]; sums: number[]; encodedBytes: number };

/** Decodes a file, and encodes its first channel again. */
export function summarise(path: string): DecodedSummary {
  const file = openSync(path, "r");
  const source = fileSource(file);
  const samples: number[] = [];
  const sums: number[] = [];
  let sampleRate = 0;
  let encoder: M4aEncoder | null = null;
  for (const block of decodeAudio(source)) {
    sampleRate = block.sampleRate;
    encoder ??= new M4aEncoder(sampleRate);
    encoder.add(block.channels[0]!);
    for (const [channel, values] of block.channels.entries()) {
      samples[channel] = (samples[channel] ?? 0) + values.length;
      for (const value of values) sums[channel] = (sums[channel] ?? 0) + value * value;
    }
  }
  closeSync(file);
  return { sampleRate, samples, sums, encodedBytes: encoder?.finish().length ?? 0 };
}

// In a thread: a path comes in, its summary goes out.
parentPort?.on("message", (path: string) => parentPort?.postMessage(summarise(path)));
