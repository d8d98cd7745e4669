/**
 * How much each number of a profile (see `profileVector`) varies within one speaker: the standard deviation over
 * samples of 12 s, pooled over 32 speakers of 22 languages from freely licensed word collections and digit recordings.
 */
export const profileSpread: readonly number[] = [
  ...[0.0507, 0.0417], // pitch: mean and deviation of the logarithm
  0.0689, // voiced share
  ...[0.163, 0.135, 0.0493], // formants, logarithm
  ...[1.57, 1.99, 1.09, 0.782, 0.589, 0.495, 0.457, 0.382, 0.305, 0.312, 0.264, 0.222, 0.22, 0.186, 0.157, 0.149],
  ...[0.98, 0.913, 0.69, 0.457, 0.336, 0.284, 0.266, 0.185, 0.174, 0.181],
  ...[0.0286, 0.0439], // aperiodicity of the two bands
];
