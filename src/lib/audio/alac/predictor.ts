/** Special number of coefficients: each sample is the previous one plus a difference. */
export const firstOrder = 31;

/**
 * Turns residuals into samples of `width` bits, in place. The coefficients learn from the sign of every residual, the
 * same way as in the encoder, so all arithmetic is that of 32-bit whole numbers.
 */
export function predict(
  samples: Int32Array,
  count: number,
  coefficients: Int16Array,
  shift: number,
  width: number,
): void {
  const order = coefficients.length;
  const unused = 32 - width;
  if (order === 0) return;
  const warmUp = Math.min(count, order + 1);
  for (let i = 1; i < warmUp; i++) samples[i] = ((samples[i]! + samples[i - 1]!) << unused) >> unused;
  const half = shift > 0 ? 1 << (shift - 1) : 0;
  for (let i = order + 1; i < count; i++) {
    const oldest = samples[i - order - 1]!;
    let sum = half;
    for (let k = 0; k < order; k++) sum = (sum + Math.imul(coefficients[k]!, samples[i - 1 - k]! - oldest)) | 0;
    const residual = samples[i]!;
    if (residual !== 0) adapt(samples, i, coefficients, shift, residual, oldest);
    samples[i] = ((residual + oldest + (sum >> shift)) << unused) >> unused;
  }
}

/** For `firstOrder`. */
export function integrate(samples: Int32Array, count: number, width: number): void {
  const unused = 32 - width;
  for (let i = 1; i < count; i++) samples[i] = ((samples[i]! + samples[i - 1]!) << unused) >> unused;
}

/** Moves coefficients by one, from the oldest on, until they would have foretold the residual. */
function adapt(
  samples: Int32Array,
  i: number,
  coefficients: Int16Array,
  shift: number,
  residual: number,
  oldest: number,
): void {
  const direction = residual > 0 ? 1 : -1;
  let left = residual;
  for (let k = coefficients.length - 1; k >= 0 && left * direction > 0; k--) {
    const difference = (oldest - samples[i - 1 - k]!) | 0;
    if (difference === 0) continue;
    const sign = difference > 0 ? direction : -direction;
    coefficients[k]! -= sign;
    left = (left - Math.imul(coefficients.length - k, (sign * difference) >> shift)) | 0;
  }
}
