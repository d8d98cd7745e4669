import { clamp, type PcmBlock } from "./pcm.ts";

const blockSamples = 32_768;

export type Trim = {
  /** Samples to leave out at the start: what an encoder's filters put before the sound. */
  skip?: number;
  /** Samples to keep at most, after `skip`. */
  limit?: number;
  /** Samples at the end that may yet turn out to be none of the sound; `finish` decides. */
  holdBack?: number;
};

/** Gathers the short frames of a codec into blocks, and leaves out what isn't part of the sound. */
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

  /** No more samples are wanted. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** Takes `length` samples a channel, far fewer than a block; gives a block when there is enough for one. */
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

  /** The last block, without `drop` samples at its end; null: there is nothing left. */
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
