/** This many equal samples in a row at the top of a wave are not a coincidence. */
const shortestRun = 3;
/** Equal within this much: half a step of 14 bits, so that dither does not hide a flat top. */
const flatness = 3e-5;
const levels = 200;

/**
 * Counts flat tops at the rate of the source, before mixing or resampling round them off. A recording that was clipped
 * and then turned down has them too, below full scale; so runs are counted by level and judged against the peak.
 */
export class ClipMeter {
  readonly #samplesAt = new Float64Array(levels + 1);
  readonly #runs: { value: number; length: number }[] = [];
  #peak = 0;
  #total = 0;

  push(channels: readonly Float32Array[]): void {
    channels.forEach((channel, index) => this.#measure(channel, (this.#runs[index] ??= { value: 0, length: 0 })));
  }

  /** The share of the samples that lie on a flat top within 2 % of the peak. */
  clippedShare(): number {
    for (const run of this.#runs) this.#close(run);
    let clipped = 0;
    for (let level = Math.floor(this.#peak * 0.98 * levels); level <= levels; level++)
      clipped += this.#samplesAt[level]!;
    // Digital silence is flat as well, and no recording of a voice peaks below a hundredth.
    return this.#peak < 0.01 ? 0 : clipped / this.#total;
  }

  #measure(channel: Float32Array, run: { value: number; length: number }): void {
    this.#total += channel.length;
    for (let i = 0; i < channel.length; i++) {
      const value = withinScale(channel[i]!);
      if (Math.abs(value - run.value) <= flatness) run.length += 1;
      else {
        this.#close(run);
        run.value = value;
        run.length = 1;
      }
      const size = Math.abs(value);
      if (size > this.#peak) this.#peak = size;
    }
  }

  #close(run: { value: number; length: number }): void {
    if (run.length >= shortestRun) this.#samplesAt[Math.floor(Math.abs(run.value) * levels)]! += run.length;
    run.length = 0;
  }
}

/** A damaged file decodes to values far beyond full scale, or to none at all. */
export function withinScale(value: number): number {
  return value > 1 ? 1 : value < -1 ? -1 : Number.isNaN(value) ? 0 : value;
}
