import { Dct4 } from "../../mdct.ts";
import { bandsOf, type Bands, sampleRates } from "../bands.ts";
import { frameLines } from "../window-info.ts";
import { longWindow } from "../windows.ts";
import { quantiseBand, scaleFactorFor } from "./quantise.ts";
import { countScaleFactorBits, type CodedFrame, writeFrame } from "./frame-writer.ts";
import { MaskingModel, raised } from "./masking.ts";
import { chooseCodebooks } from "./sections.ts";
import { shapeNoise } from "./shaping.ts";

/** The standard's limit for one channel, less the few bits around it. */
const maxFrameBits = 6144 - 64;
/** Around the coded lines: element, gain, window, flags, a shaping filter, the end. */
const overheadBits = 70;
/** Frames' worth of bits that may be saved up for frames that need more. */
const savedFrames = 6;
/** Lines in units of 16-bit samples, times the 2 that the decoder's overlapping halves take away. */
const lineScale = 2 * 32_768;

/** Encodes one channel as AAC-LC. Frames carry the sound 1,024 samples late. */
export class AacEncoder {
  readonly #sampleRate: number;
  readonly #bands: Bands;
  readonly #maxBand: number;
  readonly #frameBits: number;
  readonly #masking: MaskingModel;
  readonly #transform = new Dct4(frameLines);
  readonly #previous = new Float64Array(frameLines);
  #savedBits = 0;
  #step = 1;

  /** `sampleRate`: one that AAC has a number for (`sampleRates`). `bitrate`: bits a second on average, at most. */
  constructor(sampleRate: number, bitrate: number) {
    const rateIndex = sampleRates.indexOf(sampleRate);
    if (rateIndex < 0) throw new RangeError(`AAC has no sample rate of ${sampleRate} Hz.`);
    this.#sampleRate = sampleRate;
    this.#bands = bandsOf(rateIndex);
    this.#frameBits = (bitrate * frameLines) / sampleRate;
    this.#masking = new MaskingModel(this.#bands.long, sampleRate);
    const topLine = (bandwidth(sampleRate, bitrate) * 2 * frameLines) / sampleRate;
    const above = this.#bands.long.findIndex((start) => start >= topLine);
    this.#maxBand = above < 0 ? this.#bands.long.length - 1 : above;
  }

  /** Accepts the next 1,024 samples and returns the frame that starts 1,024 samples before them. */
  encode(samples: Float32Array): Uint8Array {
    const spectrum = this.#analyse(samples);
    const shaping = shapeNoise(
      spectrum,
      this.#bands.long,
      Math.min(this.#maxBand, this.#bands.shapedLong),
      this.#sampleRate,
    );
    const allowed = Math.min(maxFrameBits, this.#frameBits + this.#savedBits / 2);
    const coded = this.#fit(spectrum, allowed - overheadBits);
    const frame = writeFrame({ ...coded, shaping });
    const saved = this.#savedBits + this.#frameBits - frame.length * 8;
    this.#savedBits = Math.max(-this.#frameBits, Math.min(saved, savedFrames * this.#frameBits));
    return frame;
  }

  /** The modified DCT of the last 1,024 samples and these. */
  #analyse(samples: Float32Array): Float64Array {
    const half = frameLines / 2;
    const last = frameLines - 1;
    const window = longWindow.sine;
    const spectrum = new Float64Array(frameLines);
    const rising = (i: number) => this.#previous[i]! * window[i]!;
    const falling = (i: number) => samples[i]! * window[last - i]!;
    for (let i = 0; i < half; i++) {
      spectrum[half + i] = rising(i) - rising(last - i);
      spectrum[half - 1 - i] = -falling(i) - falling(last - i);
    }
    this.#previous.set(samples);
    this.#transform.run(spectrum);
    for (let i = 0; i < frameLines; i++) spectrum[i]! *= lineScale;
    return spectrum;
  }

  /** Quantises as finely as can be heard, or as the bits allow: raises the noise until it fits. */
  #fit(spectrum: Float64Array, allowedBits: number): Omit<CodedFrame, "shaping"> {
    const measures = measure(spectrum, this.#bands.long, this.#maxBand);
    const thresholds = this.#masking.thresholds(measures.energies);
    const best = this.#quantise(spectrum, measures, thresholds);
    if (best.bits <= allowedBits) return best.frame;
    const tryStep = (step: number) => this.#quantise(spectrum, measures, raised(thresholds, measures.energies, step));
    // The last frame's step is a good first guess.
    let low = 0;
    let high = this.#step;
    let result = tryStep(high);
    while (result.bits > allowedBits && high < 1e6) {
      low = high;
      high *= 2;
      result = tryStep(high);
    }
    for (let i = 0; i < 12 && high - low > high / 16; i++) {
      const middle = low === 0 ? high / 2 : (low + high) / 2;
      const attempt = tryStep(middle);
      if (attempt.bits > allowedBits) low = middle;
      else {
        high = middle;
        result = attempt;
      }
    }
    this.#step = high;
    return result.frame;
  }

  #quantise(
    spectrum: Float64Array,
    { energies, roots, peaks, powers }: Measures,
    thresholds: Float64Array,
  ): { frame: Omit<CodedFrame, "shaping">; bits: number } {
    const bandStarts = this.#bands.long;
    const maxBand = this.#maxBand;
    const quantised = new Int32Array(frameLines);
    const scaleFactors = new Int16Array(maxBand);
    const largest = new Int32Array(maxBand);
    let last: number | null = null;
    for (let band = 0; band < maxBand; band++) {
      const wanted = scaleFactorFor(energies[band]!, thresholds[band]!, roots[band]!, peaks[band]!);
      if (wanted === null) continue;
      // Differences are coded up to 60.
      const factor: number = last === null ? wanted : Math.max(last - 60, Math.min(wanted, last + 60));
      largest[band] = quantiseBand(spectrum, powers, bandStarts[band]!, bandStarts[band + 1]!, factor, quantised);
      scaleFactors[band] = factor;
      if (largest[band]! > 0) last = factor;
    }
    const { codebooks, bits } = chooseCodebooks(quantised, largest, bandStarts);
    const total = bits + countScaleFactorBits(codebooks, carried(codebooks, largest, scaleFactors));
    return { frame: { maxBand, bandStarts, codebooks, scaleFactors, quantised }, bits: total };
  }
}

/** Bands of zeros inside a section of another codebook need a scale factor too: the cheapest is the last one. */
function carried(codebooks: Uint8Array, largest: Int32Array, scaleFactors: Int16Array): Int16Array {
  let last = 0;
  for (let band = codebooks.length - 1; band >= 0; band--) if (largest[band]! > 0) last = scaleFactors[band]!;
  for (let band = 0; band < codebooks.length; band++) {
    if (codebooks[band] === 0) continue;
    if (largest[band] === 0) scaleFactors[band] = last;
    last = scaleFactors[band]!;
  }
  return scaleFactors;
}

/** What each band's threshold is weighed against, and each line's magnitude to the power of 3/4. */
type Measures = { energies: Float64Array; roots: Float64Array; peaks: Float64Array; powers: Float64Array };

function measure(spectrum: Float64Array, bandStarts: Uint16Array, maxBand: number): Measures {
  const bands = bandStarts.length - 1;
  const energies = new Float64Array(bands);
  const roots = new Float64Array(bands);
  const peaks = new Float64Array(bands);
  const powers = new Float64Array(spectrum.length);
  for (let band = 0; band < maxBand; band++) {
    for (let line = bandStarts[band]!; line < bandStarts[band + 1]!; line++) {
      const magnitude = Math.abs(spectrum[line]!);
      const root = Math.sqrt(magnitude);
      energies[band]! += magnitude * magnitude;
      roots[band]! += root;
      peaks[band] = Math.max(peaks[band]!, magnitude);
      powers[line] = root * Math.sqrt(root);
    }
  }
  return { energies, roots, peaks, powers };
}

/** The highest frequency worth coding, by bits per line; the highest frequencies of speech are only hiss. */
function bandwidth(sampleRate: number, bitrate: number): number {
  return Math.min(sampleRate / 2, 16_000, Math.max(4_000, bitrate / 6));
}
