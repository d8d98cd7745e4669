import { applyAffine, type AffineMap } from "./cmllr.ts";
import { forLikely, MixtureScorer } from "./gaussian-mixture.ts";
import { melBands, MelCepstrum, warpMel } from "./mel.ts";
import { clamp } from "./statistics.ts";
import type { ToneTransform } from "./voice-model.ts";

/** Cepstral coefficients of a tone colour. */
export const toneOrder = 24;
/**
 * Maximum deviation of a frame's coloring from the others in any band, as natural logarithm of power: 10 dB. With 15 dB
 * a recogniser misheard 36 instead of 32 of 100 words, and the voice came hardly nearer.
 */
const limit = 10 / 4.343;

export type ToneStrength = { steady: number; moving: number };

/** Computes the gain that makes each frame of the base voice sound like the speaker. */
export class ToneMap {
  readonly #cepstrum: MelCepstrum;
  readonly #affine: AffineMap;
  readonly #scorer: MixtureScorer;
  readonly #shifts: Float64Array[];
  readonly #warped = new Float32Array(melBands);

  constructor(readonly transform: ToneTransform) {
    const rows = (matrix: number[][]) => matrix.map((row) => Float64Array.from(row));
    this.#cepstrum = new MelCepstrum(transform.bands, toneOrder);
    this.#affine = { matrix: rows(transform.matrix), offset: Float64Array.from(transform.offset) };
    this.#scorer = new MixtureScorer({
      weights: Float64Array.from(transform.weights),
      means: rows(transform.means),
      variances: rows(transform.variances),
    });
    this.#shifts = rows(transform.shifts);
  }

  /** Returns the change of log power in each learned band that the map alone requires in this voiced frame. */
  mapped(mel: Float32Array): Float64Array {
    const from = this.#cepstrum.coefficients(mel);
    const gains = new Float64Array(this.transform.bands);
    this.#cepstrum.mel(
      this.#target(mel).map((value, i) => value - from[i]!),
      gains,
    );
    return gains;
  }

  /**
   * The change that turns this voiced frame of the base voice into the speaker's: `steady` is the share of the change
   * that all frames have in common, `moving` the share of this frame's individual change (0 to 1 each), and
   * `isCorrected` whether the effect of the synthesis is compensated.
   */
  gains(mel: Float32Array, { steady, moving }: ToneStrength, isCorrected: boolean): Float64Array {
    const { mean, voiced } = this.transform;
    const colour = isCorrected ? voiced : mean;
    return this.mapped(mel).map(
      (value, band) => clamp(moving * (value - mean[band]!), -limit, limit) + steady * colour[band]!,
    );
  }

  #target(mel: Float32Array): Float64Array {
    warpMel(mel, this.transform.warp, this.#warped);
    const moved = applyAffine(this.#affine, this.#cepstrum.coefficients(this.#warped));
    this.#scorer.score(moved);
    const shifted = moved.slice();
    forLikely(this.#scorer.posteriors, (component, share) =>
      this.#shifts[component]!.forEach((value, i) => (shifted[i]! += share * value)),
    );
    return shifted;
  }
}
