import { WavHead, type SampleFormat } from "./wav-head.ts";

/** Decodes the bytes of a response to audio as they arrive. */
export type SoundDecoder = {
  /** Known once samples have arrived. */
  readonly sampleRate: number;
  /**
   * Returns the samples that these bytes complete, mixed to one channel, from -1 to 1. Throws `NoSound` for anything
   * but audio.
   */
  decode(chunk: Uint8Array): Float32Array;
};

/** PCM without a header: 16 bits, lowest byte first, one channel. */
export class PcmDecoder implements SoundDecoder {
  readonly sampleRate: number;
  readonly #samples = new SampleReader({ encoding: "integer", bytesPerSample: 2, channels: 1 });

  constructor(sampleRate: number) {
    this.sampleRate = sampleRate;
  }

  decode(chunk: Uint8Array): Float32Array {
    return this.#samples.read(chunk);
  }
}

/**
 * WAV of 16 to 32 bits, integer or float. The length in a header is used only if it is plausible: servers that stream
 * write zero, or nearly the maximum.
 */
export class WavDecoder implements SoundDecoder {
  sampleRate = 0;
  readonly #head = new WavHead();
  #samples: SampleReader | null = null;
  #bytesLeft = Infinity;

  decode(chunk: Uint8Array): Float32Array {
    let content = chunk;
    if (this.#samples === null) {
      const head = this.#head.read(chunk);
      if (head === null) return new Float32Array(0);
      this.sampleRate = head.format.sampleRate;
      this.#bytesLeft = head.dataBytes ?? Infinity;
      this.#samples = new SampleReader(head.format);
      content = head.rest;
    }
    const taken = content.subarray(0, Math.min(content.byteLength, this.#bytesLeft));
    this.#bytesLeft -= taken.byteLength;
    return this.#samples.read(taken);
  }
}

/** Reads frames from chunks that may end in the middle of one. */
class SampleReader {
  readonly #format: SampleFormat;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(format: SampleFormat) {
    this.#format = format;
  }

  read(chunk: Uint8Array): Float32Array {
    const { bytesPerSample, channels } = this.#format;
    const bytes = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frameBytes = bytesPerSample * channels;
    const samples = new Float32Array(Math.floor(bytes.byteLength / frameBytes));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const sampleAt = this.#sampleAt(view);
    for (let i = 0; i < samples.length; i++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += sampleAt(i * frameBytes + channel * bytesPerSample);
      samples[i] = within(sum / channels);
    }
    this.#rest = Uint8Array.from(bytes.subarray(samples.length * frameBytes));
    return samples;
  }

  #sampleAt(view: DataView): (at: number) => number {
    const { encoding, bytesPerSample } = this.#format;
    if (encoding === "float") return (at) => view.getFloat32(at, true);
    if (bytesPerSample === 2) return (at) => view.getInt16(at, true) / 32_768;
    if (bytesPerSample === 3) return (at) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 8_388_608;
    return (at) => view.getInt32(at, true) / 2_147_483_648;
  }
}

/** NaN becomes silence. */
function within(sample: number): number {
  if (sample >= -1 && sample <= 1) return sample;
  return sample > 1 ? 1 : sample < -1 ? -1 : 0;
}
