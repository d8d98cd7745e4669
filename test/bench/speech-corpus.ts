import { join } from "node:path";
import { resample } from "../../src/lib/voice-engine/resampler.ts";

/** All recordings of one person, one after the other, at 16 kHz. */
export type RecordedSpeaker = { name: string; signal: Float32Array };

/**
 * Reads a folder of recordings named `<speaker>-<anything>.wav` (PCM, 16 bit, mono); null when none is named. Recordings
 * of people are no part of the project: `VOICE_BENCH_SPEECH` names a folder on this machine, of speakers that nothing
 * was tuned on, each with two minutes or more.
 */
export async function recordedSpeakers(): Promise<RecordedSpeaker[] | null> {
  const folder = process.env["VOICE_BENCH_SPEECH"];
  if (folder === undefined) return null;
  const files = [...new Bun.Glob("*.wav").scanSync({ cwd: folder, followSymlinks: true })].toSorted();
  if (files.length === 0) throw new Error(`VOICE_BENCH_SPEECH names ${folder}, which has no recordings (*.wav).`);
  const names = [...new Set(files.map((file) => file.split("-", 1)[0]!))];
  return await Promise.all(
    names.map(async (name) => {
      const own = files.filter((file) => file.startsWith(`${name}-`));
      const parts = await Promise.all(own.map(async (file) => readWav(await Bun.file(join(folder, file)).bytes())));
      return { name, signal: Float32Array.from(parts.flatMap((part) => [...part])) };
    }),
  );
}

export function writeWav(signal: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(44 + 2 * signal.length));
  const text = (at: number, value: string) => new Uint8Array(view.buffer).set(new TextEncoder().encode(value), at);
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * signal.length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 16_000, true);
  view.setUint32(28, 32_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * signal.length, true);
  signal.forEach((value, i) => view.setInt16(44 + 2 * i, Math.round(Math.max(-1, Math.min(1, value)) * 32_767), true));
  return new Uint8Array(view.buffer);
}

function readWav(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [channels, rate, bits] = [view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)];
  if (channels !== 1 || bits !== 16)
    throw new Error(`Expected 16-bit mono WAV, got ${bits} bits, ${channels} channels.`);
  let chunk = 12;
  while (view.getUint32(chunk, false) !== 0x64617461 /* "data" */) chunk += 8 + view.getUint32(chunk + 4, true);
  const count = Math.min(view.getUint32(chunk + 4, true), bytes.length - chunk - 8) >> 1;
  const signal = Float32Array.from({ length: count }, (_, i) => view.getInt16(chunk + 8 + 2 * i, true) / 32_768);
  return resample(signal, rate, 16_000);
}
