/**
 * A rate as a dot on the line of its confidence interval, in percent. `most`: the end of the scale. The numbers are in the text
 * beside it.
 */
export function Interval({ rate, low, high, most }: { rate: number; low: number; high: number; most: number }) {
  const at = (percent: number) => `${Math.min(100, (percent / most) * 100)}%`;
  return (
    <svg class="interval" aria-hidden="true" width="100%" height="18">
      <line class="scale" x1="0" x2="100%" y1="9" y2="9" />
      <line class="range" x1={at(low)} x2={at(high)} y1="9" y2="9" />
      <circle cx={at(rate)} cy="9" r="5" />
    </svg>
  );
}

/** A readable end of a scale for these percentages. */
export function scaleEnd(highs: readonly number[]): number {
  const most = Math.max(...highs, 1);
  return [1, 2, 5, 10, 20, 30, 40, 50, 60, 80].find((end) => end >= most) ?? 100;
}
