import { ClipMeter, withinScale } from "./clip-meter.ts";
import { HighPass } from "./high-pass.ts";
import type { PcmBlock } from "./pcm-block.ts";
import { Resampler } from "./resampler.ts";
import { SampleBuffer } from "./sample-buffer.ts";

/** Sample rate of stored speech: what zero-shot engines require, and more than the analysis needs. */
export const keptRate = 24_000;
/** A 49 MB file may contain many hours. Five minutes contain enough speech, and limit memory to 29 MB. */
export const maxReadSeconds = 300;
/** Below any voice, above most rumble. */
const rumbleHz = 40;
const slowestRate = 4_000;
const fastestRate = 768_000;

/** Stage "read": converts the blocks of a file to one mono signal without rumble, and measures clipping. */
export class SampleReader {
  readonly #kept = new SampleBuffer(maxReadSeconds * keptRate);
  readonly #clipping = new ClipMeter();
  readonly #highPass = new HighPass(rumbleHz, keptRate);
  #resampler: Resampler | null = null;
  #first: { sampleRate: number; channels: number } | null = null;

  /** Ignores unusable blocks (no channel, or an implausible rate). */
  push(block: PcmBlock): void {
    const { channels, sampleRate } = block;
    const isUsable = Number.isInteger(sampleRate) && sampleRate >= slowestRate && sampleRate <= fastestRate;
    if (this.isFull || channels.length === 0 || !isUsable) return;
    this.#first ??= { sampleRate, channels: channels.length };
    this.#clipping.push(channels);
    if (this.#resampler?.from !== sampleRate) {
      this.#end();
      this.#resampler = new Resampler(sampleRate, keptRate);
    }
    this.#keep(this.#resampler.push(mixed(channels)));
  }

  /** The rest of the file would be ignored, so reading can stop. */
  get isFull(): boolean {
    return this.#kept.isFull;
  }

  finish(): SampleRecording {
    this.#end();
    return {
      signal: this.#kept.samples(),
      clippedShare: this.#clipping.clippedShare(),
      sampleRate: this.#first?.sampleRate ?? 0,
      channels: this.#first?.channels ?? 0,
    };
  }

  #end(): void {
    if (this.#resampler !== null) this.#keep(this.#resampler.flush());
    this.#resampler = null;
  }

  #keep(signal: Float32Array): void {
    this.#highPass.run(signal);
    this.#kept.push(signal);
  }
}

/** `signal` is mono at `keptRate`; `sampleRate` and `channels` are those of the file, 0 when nothing came. */
export type SampleRecording = {
  signal: Float32Array;
  clippedShare: number;
  sampleRate: number;
  channels: number;
};

/** Allocates only one array per block: minutes of audio would create garbage faster than it is collected. */
function mixed(channels: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(channels[0]!.length);
  for (const channel of channels)
    for (let i = 0; i < sum.length; i++) sum[i]! += withinScale(channel[i] ?? 0) / channels.length;
  return sum;
}
