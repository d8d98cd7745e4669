import type { ChannelStream } from "./channel-stream.ts";
import { codebooks, windowLines } from "./window-info.ts";

/** Magnitudes to the power of 4/3, as far as escapes and pulses can reach. */
const powers = Float64Array.from({ length: 8192 + 64 }, (_, value) => value ** (4 / 3));

/** Calls `visit` for the lines of each band in each window of the stream, from `start` up to `end`. */
export function forEachBand(
  { info, codebooks: sections }: Pick<ChannelStream, "info" | "codebooks">,
  visit: (place: number, codebook: number, start: number, end: number) => void,
): void {
  let firstWindow = 0;
  for (const [group, windows] of info.groups.entries()) {
    for (let band = 0; band < info.maxBand; band++) {
      const place = group * info.maxBand + band;
      for (let window = firstWindow; window < firstWindow + windows; window++) {
        const offset = window * windowLines;
        visit(place, sections[place]!, offset + info.bandStarts[band]!, offset + info.bandStarts[band + 1]!);
      }
    }
    firstWindow += windows;
  }
}

/**
 * Turns quantised lines into the spectrum (ISO/IEC 14496-3 section 4.6.2.3.3). Bands of noise and intensity stay zero.
 */
export function dequantise(stream: ChannelStream, into: Float64Array): void {
  into.fill(0);
  const { quantised, scaleFactors } = stream;
  forEachBand(stream, (place, codebook, start, end) => {
    if (codebook === codebooks.zero || codebook > codebooks.escape) return;
    const scale = 2 ** ((scaleFactors[place]! - 100) / 4);
    for (let line = start; line < end; line++) {
      const value = quantised[line]!;
      if (value !== 0) into[line] = value < 0 ? -powers[-value]! * scale : powers[value]! * scale;
    }
  });
}

/** Random numbers from -1 to 1; the same ones for the same file, so that decoding twice gives the same. */
export class NoiseGenerator {
  #state = 1;

  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0;
    return this.#state / 2_147_483_648;
  }
}

/** Fills the bands that are only described as noise of some energy (perceptual noise substitution, section 4.6.13). */
export function fillNoise(stream: ChannelStream, spectrum: Float64Array, noise: NoiseGenerator): void {
  forEachBand(stream, (place, codebook, start, end) => {
    if (codebook !== codebooks.noise) return;
    let energy = 0;
    for (let line = start; line < end; line++) {
      const value = noise.next();
      spectrum[line] = value;
      energy += value * value;
    }
    const scale = 2 ** (stream.scaleFactors[place]! / 4) / Math.sqrt(energy || 1);
    for (let line = start; line < end; line++) spectrum[line]! *= scale;
  });
}
