import { applyAffine, type AffineMap } from "./cmllr.ts";
import { forLikely, MixtureScorer } from "./gaussian-mixture.ts";
import { melBands, MelCepstrum, warpMel } from "./mel.ts";
import type { ToneTransform } from "./voice-model.ts";

/** Cepstral coefficients of a tone colour. */
export const toneOrder = 24;

/** Works out what each frame of the base voice has to gain to sound like the speaker. */
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

  /**
   * The change of log power in each learned band that turns this voiced frame of the base voice into the speaker's.
   * `strength` (0 to 1) is how much of the way to go, `isCorrected` whether what speaking adds is evened out.
   */
  gains(mel: Float32Array, strength: number, isCorrected: boolean): Float64Array {
    const from = this.#cepstrum.coefficients(mel);
    const to = this.#target(mel);
    const gains = new Float64Array(this.transform.bands);
    this.#cepstrum.mel(
      to.map((value, i) => strength * (value - from[i]!)),
      gains,
    );
    if (isCorrected) this.transform.correction.forEach((value, band) => (gains[band]! += strength * value));
    return gains;
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
