/** A density over vectors: a weighted sum of normal distributions with separate variances in each direction. */
export type GaussianMixture = { weights: Float64Array; means: Float64Array[]; variances: Float64Array[] };

export type MixtureOptions = { components: number; rounds: number; random: () => number };

const clusterRounds = 8;
/** Minimum vectors per component. */
const leastVectors = 30;
/** No component gets narrower than this share of the total variance. */
const leastVariance = 0.02;

/** Fits a mixture by expectation maximisation from k-means; there are fewer components when vectors are few. */
export function fitMixture(vectors: readonly Float64Array[], options: MixtureOptions): GaussianMixture {
  const count = Math.max(1, Math.min(options.components, Math.floor(vectors.length / leastVectors)));
  const whole = spreadOf(vectors);
  const means = clusterCentres(vectors, count, whole, options.random);
  let mixture: GaussianMixture = {
    weights: new Float64Array(count).fill(1 / count),
    means,
    variances: means.map(() => whole.map((variance) => variance / 2)),
  };
  for (let round = 0; round < options.rounds; round++) mixture = reestimated(mixture, vectors, whole);
  return mixture;
}

/** Scores vectors under a mixture, with everything precomputed that does not depend on the vector. */
export class MixtureScorer {
  readonly posteriors: Float64Array;
  readonly #mixture: GaussianMixture;
  readonly #constants: Float64Array;
  readonly #precisions: Float64Array[];

  constructor(mixture: GaussianMixture) {
    this.#mixture = mixture;
    this.posteriors = new Float64Array(mixture.weights.length);
    this.#precisions = mixture.variances.map((row) => row.map((variance) => 0.5 / variance));
    this.#constants = mixture.weights.map((weight, k) =>
      mixture.variances[k]!.reduce(
        (sum, variance) => sum - 0.5 * Math.log(2 * Math.PI * variance),
        Math.log(weight + 1e-300),
      ),
    );
  }

  /** Returns the log-likelihood of a vector, and stores the posterior of each component in `posteriors` (sum 1). */
  score(vector: Float64Array): number {
    const shares = this.posteriors;
    let highest = -Infinity;
    for (let k = 0; k < shares.length; k++) {
      const centre = this.#mixture.means[k]!;
      const precision = this.#precisions[k]!;
      let log = this.#constants[k]!;
      for (let d = 0; d < vector.length; d++) log -= (vector[d]! - centre[d]!) ** 2 * precision[d]!;
      shares[k] = log;
      if (log > highest) highest = log;
    }
    let sum = 0;
    for (let k = 0; k < shares.length; k++) sum += shares[k] = Math.exp(shares[k]! - highest);
    for (let k = 0; k < shares.length; k++) shares[k]! /= sum;
    return highest + Math.log(sum);
  }
}

/** The mean log-likelihood of the vectors. */
export function likelihood(mixture: GaussianMixture, vectors: readonly Float64Array[]): number {
  const scorer = new MixtureScorer(mixture);
  return vectors.reduce((sum, vector) => sum + scorer.score(vector), 0) / vectors.length;
}

/**
 * Computes for each component how many vectors belong to it, and their mean. Components without vectors have a mean of
 * 0.
 */
export function componentMeans(mixture: GaussianMixture, vectors: readonly Float64Array[]) {
  const scorer = new MixtureScorer(mixture);
  const counts = new Float64Array(mixture.weights.length);
  const means = mixture.means.map((row) => new Float64Array(row.length));
  for (const vector of vectors) {
    scorer.score(vector);
    forLikely(scorer.posteriors, (k, share) => {
      counts[k]! += share;
      const sums = means[k]!;
      for (let d = 0; d < vector.length; d++) sums[d]! += share * vector[d]!;
    });
  }
  means.forEach((row, k) => row.forEach((sum, d) => (row[d] = counts[k]! > 0 ? sum / counts[k]! : 0)));
  return { counts, means };
}

/** Skips components with negligible weight. */
export function forLikely(posteriors: Float64Array, visit: (component: number, share: number) => void): void {
  for (let k = 0; k < posteriors.length; k++) if (posteriors[k]! > 1e-3) visit(k, posteriors[k]!);
}

function reestimated(mixture: GaussianMixture, vectors: readonly Float64Array[], whole: Float64Array): GaussianMixture {
  const scorer = new MixtureScorer(mixture);
  const counts = new Float64Array(mixture.weights.length);
  const sums = mixture.means.map((row) => new Float64Array(row.length));
  const squares = mixture.means.map((row) => new Float64Array(row.length));
  for (const vector of vectors) {
    scorer.score(vector);
    forLikely(scorer.posteriors, (k, share) => {
      counts[k]! += share;
      const sum = sums[k]!;
      const square = squares[k]!;
      for (let d = 0; d < vector.length; d++) {
        const part = share * vector[d]!;
        sum[d]! += part;
        square[d]! += part * vector[d]!;
      }
    });
  }
  const isFed = (k: number) => counts[k]! >= 3;
  const means = mixture.means.map((old, k) => (isFed(k) ? sums[k]!.map((sum) => sum / counts[k]!) : old));
  const variances = mixture.variances.map((old, k) =>
    isFed(k)
      ? squares[k]!.map((sum, d) => Math.max(whole[d]! * leastVariance, sum / counts[k]! - means[k]![d]! ** 2))
      : old,
  );
  const weights = mixture.weights.map((old, k) => (isFed(k) ? counts[k]! / vectors.length : old));
  return { weights, means, variances };
}

/** The variance in each direction. */
function spreadOf(vectors: readonly Float64Array[]): Float64Array {
  const size = vectors[0]?.length ?? 0;
  const sums = new Float64Array(size);
  const squares = new Float64Array(size);
  for (const vector of vectors)
    for (let d = 0; d < size; d++) {
      sums[d]! += vector[d]!;
      squares[d]! += vector[d]! ** 2;
    }
  return sums.map((sum, d) => squares[d]! / vectors.length - (sum / vectors.length) ** 2 + 1e-6);
}

/** k-means in directions of equal spread. */
function clusterCentres(
  vectors: readonly Float64Array[],
  count: number,
  whole: Float64Array,
  random: () => number,
): Float64Array[] {
  const anyVector = () => vectors[Math.floor(random() * vectors.length)]!.slice();
  let centres = Array.from({ length: count }, anyVector);
  for (let round = 0; round < clusterRounds; round++) {
    const counts = new Float64Array(count);
    const sums = centres.map((row) => new Float64Array(row.length));
    for (const vector of vectors) {
      const nearest = nearestCentre(vector, centres, whole);
      counts[nearest]! += 1;
      const sum = sums[nearest]!;
      for (let d = 0; d < vector.length; d++) sum[d]! += vector[d]!;
    }
    centres = sums.map((sum, k) => (counts[k]! > 2 ? sum.map((value) => value / counts[k]!) : anyVector()));
  }
  return centres;
}

function nearestCentre(vector: Float64Array, centres: readonly Float64Array[], whole: Float64Array): number {
  let nearest = 0;
  let shortest = Infinity;
  for (let k = 0; k < centres.length; k++) {
    const centre = centres[k]!;
    let distance = 0;
    for (let d = 0; d < vector.length && distance < shortest; d++)
      distance += (vector[d]! - centre[d]!) ** 2 / whole[d]!;
    if (distance < shortest) {
      shortest = distance;
      nearest = k;
    }
  }
  return nearest;
}
