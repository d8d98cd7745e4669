import { clamp, type PcmBlock } from "./pcm.ts";

const blockSamples = 32_768;

export type Trim = {
  /** Samples to skip at the start, added by an encoder's filters. */
  skip?: number;
  /** Maximum samples to return, after `skip`. */
  limit?: number;
  /** Samples at the end that may turn out to be padding; `finish` decides. */
  holdBack?: number;
};

/** Collects the short frames of a codec into blocks, without padding. */
export class PcmBuilder {
  readonly #channels: Float32Array[];
  readonly #sampleRate: number;
  readonly #holdBack: number;
  #skip: number;
  #left: number;
  #filled = 0;

  constructor(channels: number, sampleRate: number, { skip = 0, limit = Infinity, holdBack = 0 }: Trim = {}) {
    this.#channels = Array.from({ length: channels }, () => new Float32Array(blockSamples + holdBack));
    this.#sampleRate = sampleRate;
    this.#skip = skip;
    this.#left = limit;
    this.#holdBack = holdBack;
  }

  /** Whether all requested samples have arrived. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** Accepts `length` samples per channel, far fewer than a block. Returns a block once there are enough. */
  add(frame: Float32Array[], length: number): PcmBlock | null {
    const from = Math.min(this.#skip, length);
    const count = Math.min(length - from, this.#left);
    this.#skip -= from;
    this.#left -= count;
    const block = this.#filled + count > this.#channels[0]!.length ? this.#take(this.#filled - this.#holdBack) : null;
    for (const [i, samples] of this.#channels.entries()) {
      samples.set(frame[i]!.subarray(from, from + count), this.#filled);
    }
    this.#filled += count;
    return block;
  }

  /** Returns the last block, without `drop` samples at its end; null if nothing is left. */
  finish(drop = 0): PcmBlock | null {
    const count = this.#filled - drop;
    return count > 0 ? this.#take(count) : null;
  }

  #take(count: number): PcmBlock {
    const channels = this.#channels.map((samples) => {
      const taken = clamp(samples.slice(0, count));
      samples.copyWithin(0, count, this.#filled);
      return taken;
    });
    this.#filled -= count;
    return { channels, sampleRate: this.#sampleRate };
  }
}
