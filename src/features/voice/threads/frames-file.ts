import { readFileSync } from "node:fs";
import type { SampleReport } from "../../../lib/voice-engine/sample-report.ts";
import type { SpeechFrames } from "../../../lib/voice-engine/speech-frames.ts";

const columns = ["mel", "f0", "aperiodicity", "formants"] as const;

type Header = { count: number; lengths: number[]; report: SampleReport };

export type MeasuredSpeech = { report: SampleReport; frames: SpeechFrames };

/**
 * A file with the measurements of a sample, so that a clone can be retrained without decoding the sample again or after
 * it was deleted: the length of the header, the header as JSON, and the columns as 32-bit floats.
 */
export function framesFile({ report, frames }: MeasuredSpeech): Uint8Array {
  const lengths = columns.map((column) => frames[column].length);
  const header: Header = { count: frames.count, lengths, report };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const parts = columns.map((column) => new Uint8Array(Float32Array.from(frames[column]).buffer));
  return Buffer.concat([length, text, ...parts]);
}

/** Null if the file is absent or damaged. */
export function readFrames(path: string): MeasuredSpeech | null {
  try {
    const file = readFileSync(path);
    const start = 4 + file.readUInt32LE(0);
    const { count, lengths, report } = JSON.parse(file.toString("utf8", 4, start)) as Header;
    const expected = start + 4 * lengths.reduce((sum, length) => sum + length, 0);
    if (file.length !== expected) return null;
    const floats = new Float32Array(new Uint8Array(file.subarray(start)).buffer);
    const [mel = 0, f0 = 0, aperiodicity = 0] = lengths;
    const frames = {
      count,
      mel: floats.subarray(0, mel),
      f0: floats.subarray(mel, mel + f0),
      aperiodicity: floats.subarray(mel + f0, mel + f0 + aperiodicity),
      formants: floats.subarray(mel + f0 + aperiodicity),
    };
    return { report, frames };
  } catch {
    return null; // whatever the cause, measuring again fixes it
  }
}
