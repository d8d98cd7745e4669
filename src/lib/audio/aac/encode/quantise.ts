/** The largest magnitude that AAC can code. */
const maxQuantised = 8191;
/** Rounds a little down, which is right on average for lines that are rather small than large (section 4.B.2.7). */
const rounding = 0.4054;

/**
 * The scale factor with which quantisation makes as much noise as the threshold allows; null: the band may be left out.
 * `rootSum` is the sum of the square roots of the lines' magnitudes.
 */
export function scaleFactorFor(energy: number, threshold: number, rootSum: number, peak: number): number | null {
  if (energy <= threshold || rootSum === 0) return null;
  // The step between quantised values is 4/3 times the fourth root of the line times step^(3/4); its noise, a twelfth
  // of its square, summed over the band, must equal the threshold.
  const step = ((threshold * 6.75) / rootSum) ** (2 / 3);
  const smallest = peak / maxQuantised ** (4 / 3);
  const wanted = Math.round(4 * Math.log2(step)) + 100;
  const least = Math.ceil(4 * Math.log2(smallest)) + 101;
  return Math.min(255, Math.max(1, wanted, least));
}

/** Quantises lines from `start` up to `end`; answers the largest magnitude. */
export function quantiseBand(
  spectrum: Float64Array,
  powers: Float64Array,
  start: number,
  end: number,
  scaleFactor: number,
  into: Int32Array,
): number {
  const scale = 2 ** (-0.1875 * (scaleFactor - 100));
  let largest = 0;
  for (let line = start; line < end; line++) {
    const magnitude = Math.min(maxQuantised, Math.floor(powers[line]! * scale + rounding));
    into[line] = spectrum[line]! < 0 ? -magnitude : magnitude;
    if (magnitude > largest) largest = magnitude;
  }
  return largest;
}
