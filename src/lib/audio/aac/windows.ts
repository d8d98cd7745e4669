/** The rising halves of AAC's windows (ISO/IEC 14496-3 section 4.6.11.3.2), by shape. Falling halves are mirrored. */
export type Window = { sine: Float64Array; kaiser: Float64Array };

export const longWindow: Window = { sine: sineWindow(1024), kaiser: kaiserWindow(1024, 4) };
export const shortWindow: Window = { sine: sineWindow(128), kaiser: kaiserWindow(128, 6) };

function sineWindow(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => Math.sin((Math.PI / (2 * length)) * (i + 0.5)));
}

/** Kaiser-Bessel derived: roots of the running sum of a Kaiser window, so that the squares of both halves add up to 1. */
function kaiserWindow(length: number, alpha: number): Float64Array {
  const kernel = Float64Array.from({ length: length + 1 }, (_, i) => {
    return bessel(Math.PI * alpha * Math.sqrt(1 - ((2 * i) / length - 1) ** 2));
  });
  const total = kernel.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  return Float64Array.from({ length }, (_, i) => Math.sqrt((sum += kernel[i]!) / total));
}

/** The modified Bessel function of the first kind, order 0, by its series. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
