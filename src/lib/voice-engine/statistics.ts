/** The value below which the share `quantile` (0 to 1) of the values lies, interpolated; NaN of nothing. */
export function quantile(values: ArrayLike<number>, share: number): number {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below]!;
  return low + (sorted[Math.min(below + 1, sorted.length - 1)]! - low) * (place - below);
}

export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** 0 of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / (values.length || 1);
}

/** The standard deviation of the values themselves (not the estimate from a sample); 0 of nothing. */
export function deviation(values: ArrayLike<number>): number {
  const centre = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - centre) ** 2;
  return Math.sqrt(sum / (values.length || 1));
}

export function decibels(power: number): number {
  return 10 * Math.log10(power + 1e-12);
}

/** Returns the mean power of a segment of a signal. Outside of the signal counts as silence. */
export function meanPower(signal: Float32Array, from = 0, to = signal.length): number {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(signal.length, to); i++) sum += signal[i]! ** 2;
  return sum / Math.max(1, to - from);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
