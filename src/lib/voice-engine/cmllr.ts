import { forLikely, MixtureScorer, type GaussianMixture } from "./gaussian-mixture.ts";
import { dot, identity, inverted, times, type Matrix } from "./matrix.ts";

/** y = matrix · x + offset. */
export type AffineMap = { matrix: Matrix; offset: Float64Array };

const rounds = 6;
const rowSweeps = 3;
/** Weight of the identity, in observations per vector, so that little speech does not distort the voice. */
const ridge = 0.3;

/**
 * The affine map that makes the vectors most likely under a mixture: constrained maximum likelihood linear regression,
 * after M. Gales, "Maximum likelihood linear transformations for HMM-based speech recognition", Computer Speech and
 * Language 12 (1998), row by row. Needs no parallel recordings: any speech of both sides will do.
 */
export function fitAffine(vectors: readonly Float64Array[], target: GaussianMixture): AffineMap {
  const size = vectors[0]!.length;
  // Rows of the map; the offset is their last number.
  let rows: Matrix = identity(size).map((row) => Float64Array.from([...row, 0]));
  for (let round = 0; round < rounds; round++) {
    const statistics = gather(vectors, target, rows);
    rows = improved(rows, statistics, vectors.length);
  }
  return { matrix: rows.map((row) => row.slice(0, size)), offset: Float64Array.from(rows, (row) => row[size]!) };
}

export function applyAffine({ matrix, offset }: AffineMap, vector: Float64Array): Float64Array {
  return times(matrix, vector).map((value, i) => value + offset[i]!);
}

/** For each row: the weighted outer products of the extended vectors, and their products with the target's means. */
type RowStatistics = { outer: Matrix; toward: Float64Array };

function gather(vectors: readonly Float64Array[], target: GaussianMixture, rows: Matrix): RowStatistics[] {
  const size = rows.length;
  const scorer = new MixtureScorer(target);
  const statistics = rows.map(() => ({
    outer: Array.from({ length: size + 1 }, () => new Float64Array(size + 1)),
    toward: new Float64Array(size + 1),
  }));
  const extended = new Float64Array(size + 1).fill(1);
  const precision = new Float64Array(size);
  const pull = new Float64Array(size);
  for (const vector of vectors) {
    extended.set(vector);
    scorer.score(times(rows, extended));
    precision.fill(0);
    pull.fill(0);
    forLikely(scorer.posteriors, (k, share) => {
      const means = target.means[k]!;
      const variances = target.variances[k]!;
      for (let i = 0; i < size; i++) {
        const weight = share / variances[i]!;
        precision[i]! += weight;
        pull[i]! += weight * means[i]!;
      }
    });
    for (let i = 0; i < size; i++) {
      const { outer, toward } = statistics[i]!;
      for (let a = 0; a <= size; a++) {
        const weighted = precision[i]! * extended[a]!;
        const row = outer[a]!;
        for (let b = 0; b <= a; b++) row[b]! += weighted * extended[b]!;
        toward[a]! += pull[i]! * extended[a]!;
      }
    }
  }
  statistics.forEach((row, i) => regularise(row, i, ridge * vectors.length));
  return statistics;
}

function regularise({ outer, toward }: RowStatistics, row: number, weight: number): void {
  const size = outer.length - 1;
  for (let a = 0; a <= size; a++) for (let b = a + 1; b <= size; b++) outer[a]![b] = outer[b]![a]!;
  for (let a = 0; a < size; a++) outer[a]![a]! += weight;
  toward[row]! += weight;
}

/** Each row in turn has a closed form, given the cofactors that the other rows make. */
function improved(rows: Matrix, statistics: readonly RowStatistics[], observations: number): Matrix {
  const size = rows.length;
  const next: Matrix = rows.map((row) => row.slice());
  const inverses = statistics.map(({ outer }) => inverted(outer));
  for (let sweep = 0; sweep < rowSweeps; sweep++) {
    for (let i = 0; i < size; i++) {
      const inverse = inverted(next.map((row) => row.slice(0, size)));
      const cofactors = Float64Array.from({ length: size + 1 }, (_, j) => (j < size ? inverse[j]![i]! : 0));
      next[i] = bestRow(statistics[i]!, inverses[i]!, cofactors, observations);
    }
  }
  return next;
}

function bestRow(
  { outer, toward }: RowStatistics,
  inverse: Matrix,
  cofactors: Float64Array,
  observations: number,
): Float64Array {
  const projected = times(inverse, cofactors);
  const quadratic = dot(cofactors, projected);
  const linear = dot(toward, projected);
  const root = Math.sqrt(linear * linear + 4 * quadratic * observations);
  const candidates = [(-linear + root) / (2 * quadratic), (-linear - root) / (2 * quadratic)].map((scale) =>
    times(
      inverse,
      toward.map((value, a) => scale * cofactors[a]! + value),
    ),
  );
  const objective = (row: Float64Array) =>
    observations * Math.log(Math.abs(dot(cofactors, row)) + 1e-300) -
    0.5 * dot(row, times(outer, row)) +
    dot(toward, row);
  const [plus, minus] = candidates.map(objective) as [number, number];
  return candidates[plus >= minus ? 0 : 1]!;
}
