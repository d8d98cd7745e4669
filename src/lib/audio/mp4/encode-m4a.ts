import { AacEncoder } from "../aac/encode/encoder.ts";
import { sampleRates } from "../aac/bands.ts";
import type { AudioTags } from "../tags.ts";
import { m4aBytes } from "./write-m4a.ts";

const frameSamples = 1024;

/**
 * Encodes one channel of sound as AAC-LC in an M4A file, which browsers, phones and messengers play. Samples may come in
 * pieces; only the coded frames are kept, 8 KB for a second at 64 kbit/s.
 */
export class M4aEncoder {
  readonly #encoder: AacEncoder;
  readonly #sampleRate: number;
  readonly #frames: Uint8Array[] = [];
  readonly #pending = new Float32Array(frameSamples);
  #pendingLength = 0;
  #samples = 0;

  /** Throws RangeError for a sample rate that AAC doesn't have. `bitrate`: bits a second on average, at most. */
  constructor(sampleRate: number, bitrate = defaultBitrate(sampleRate)) {
    this.#sampleRate = sampleRate;
    this.#encoder = new AacEncoder(sampleRate, bitrate);
  }

  /** Encodes samples of -1 to 1. */
  add(samples: Float32Array): void {
    this.#samples += samples.length;
    for (let at = 0; at < samples.length;) {
      const taken = Math.min(frameSamples - this.#pendingLength, samples.length - at);
      this.#pending.set(samples.subarray(at, at + taken), this.#pendingLength);
      this.#pendingLength += taken;
      at += taken;
      if (this.#pendingLength === frameSamples) this.#encodePending();
    }
  }

  /** The file. Nothing can be added afterwards. */
  finish(tags: AudioTags = {}): Uint8Array {
    // The last sound comes out one frame late.
    if (this.#pendingLength > 0) this.#encodePending();
    this.#encodePending();
    const bits = this.#frames.reduce((sum, frame) => sum + frame.length * 8, 0);
    const seconds = (this.#frames.length * frameSamples) / this.#sampleRate;
    return m4aBytes(
      {
        frames: this.#frames,
        sampleRate: this.#sampleRate,
        config: audioSpecificConfig(this.#sampleRate),
        samples: this.#samples,
        delay: frameSamples,
        averageBitrate: Math.round(bits / seconds),
      },
      tags,
    );
  }

  #encodePending(): void {
    this.#pending.fill(0, this.#pendingLength);
    this.#frames.push(this.#encoder.encode(this.#pending));
    this.#pendingLength = 0;
  }
}

/** Enough that speech isn't told from the original without comparing closely: 64 kbit/s from 24 kHz on. */
function defaultBitrate(sampleRate: number): number {
  return Math.max(24_000, Math.min(64_000, Math.round(sampleRate * 2.67)));
}

/** AAC-LC, the rate, one channel (ISO/IEC 14496-3 section 1.6.2.1). */
function audioSpecificConfig(sampleRate: number): Uint8Array {
  const word = (2 << 11) | (sampleRates.indexOf(sampleRate) << 7) | (1 << 3);
  return Uint8Array.of(word >> 8, word & 0xff);
}
