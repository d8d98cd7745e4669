/**
 * A pseudorandom number in [0, 1) that is always the same for the same seed. The breaks and caps of a day are the same
 * each time they are computed, even after a restart, without being stored.
 */
export function drawOf(...seed: (string | number)[]): number {
  return Bun.hash.xxHash32(seed.join("\n")) / 2 ** 32;
}

/** The inverse of the standard normal distribution function (Acklam's approximation, error below 1e-8). */
export function normalQuantile(p: number): number {
  const share = Math.min(Math.max(p, 1e-9), 1 - 1e-9);
  if (share > 1 - tail) return -normalQuantile(1 - share);
  if (share < tail) {
    const q = Math.sqrt(-2 * Math.log(share));
    return horner(tailAbove, q) / (horner(tailBelow, q) * q + 1);
  }
  const q = share - 0.5;
  return (horner(centerAbove, q * q) * q) / (horner(centerBelow, q * q) * q * q + 1);
}

const tail = 0.02425;
const centerAbove = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const centerBelow = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
];
const tailAbove = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const tailBelow = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416];

function horner(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
