/** Rows of equal length. */
export type Matrix = Float64Array[];

export function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, i) => {
    const row = new Float64Array(size);
    row[i] = 1;
    return row;
  });
}

/** Gauss-Jordan elimination with row pivots. A singular matrix yields huge numbers, not an error. */
export function inverted(matrix: Matrix): Matrix {
  const size = matrix.length;
  const rows = matrix.map((row, i) => {
    const wide = new Float64Array(2 * size);
    wide.set(row);
    wide[size + i] = 1;
    return wide;
  });
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const own = rows[column]!;
    const scale = own[column]! || 1e-12;
    for (let j = 0; j < own.length; j++) own[j]! /= scale;
    for (const row of rows) {
      const factor = row[column]!;
      if (row === own || factor === 0) continue;
      for (let j = column; j < row.length; j++) row[j]! -= factor * own[j]!;
    }
  }
  return rows.map((row) => row.slice(size));
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

export function times(matrix: Matrix, vector: ArrayLike<number>): Float64Array {
  return Float64Array.from(matrix, (row) => dot(row, vector));
}

export function product(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => {
    const out = new Float64Array(b[0]!.length);
    for (let k = 0; k < b.length; k++) for (let j = 0; j < out.length; j++) out[j]! += row[k]! * b[k]![j]!;
    return out;
  });
}
