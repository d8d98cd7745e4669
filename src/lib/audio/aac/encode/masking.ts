/** Noise under a band's own sound that can't be heard: 29 dB (3GPP TS 26.403 section 5.4.2). */
const ownMasking = 10 ** -2.9;
/** How masking falls off towards higher and lower neighbours, in decibels a Bark. */
const upwardSlope = 15;
const downwardSlope = 30;
/** Energy per line of noise of half a 16-bit step, the limit of hearing. */
const quietPerLine = 512;
/** An audible band keeps at least this share of its energy as signal; otherwise, it would drop out at times. */
const maxNoiseShare = 0.7;

/** Computes how much noise each band tolerates, from the energy of its lines. */
export class MaskingModel {
  readonly #upward: Float64Array;
  readonly #downward: Float64Array;
  readonly #quiet: Float64Array;

  constructor(bandStarts: Uint16Array, sampleRate: number) {
    const bands = bandStarts.length - 1;
    const bark = Array.from({ length: bands }, (_, band) => {
      const middle = (bandStarts[band]! + bandStarts[band + 1]!) / 2;
      return toBark((middle * sampleRate) / 2048);
    });
    const fall = (slope: number, band: number) => 10 ** ((-slope * (bark[band]! - (bark[band - 1] ?? 0))) / 10);
    this.#upward = Float64Array.from({ length: bands }, (_, band) => fall(upwardSlope, band));
    this.#downward = Float64Array.from({ length: bands }, (_, band) => fall(downwardSlope, band));
    this.#quiet = Float64Array.from({ length: bands }, (_, band) => {
      return quietPerLine * (bandStarts[band + 1]! - bandStarts[band]!);
    });
  }

  /** The thresholds by band. */
  thresholds(energies: Float64Array): Float64Array {
    const result = energies.map((energy) => energy * ownMasking);
    for (let band = 1; band < result.length; band++) {
      result[band] = Math.max(result[band]!, result[band - 1]! * this.#upward[band]!);
    }
    for (let band = result.length - 1; band > 0; band--) {
      result[band - 1] = Math.max(result[band - 1]!, result[band]! * this.#downward[band]!);
    }
    return result.map((threshold, band) => Math.max(threshold, this.#quiet[band]!));
  }
}

/**
 * Thresholds raised by the same step of loudness everywhere, to save bits (3GPP TS 26.403 section 5.6.1.2).
 * `step` 0 changes nothing.
 */
export function raised(thresholds: Float64Array, energies: Float64Array, step: number): Float64Array {
  return thresholds.map((threshold, band) => {
    const energy = energies[band]!;
    if (threshold >= energy) return threshold;
    return Math.max(threshold, Math.min((threshold ** 0.25 + step) ** 4, energy * maxNoiseShare));
  });
}

/** Critical bands (Zwicker and Terhardt 1980). */
function toBark(hertz: number): number {
  return 13 * Math.atan(0.00076 * hertz) + 3.5 * Math.atan((hertz / 7500) ** 2);
}
