import type { Rows } from "./sides.ts";

/** The rows of a table: how many, and their checksum, which does not depend on their order. */
export type TableSum = { rows: number; checksum: string };

/** Adds up 64-bit hashes of rows. A row that is missing, different, or there twice changes the sum. */
export class RowHasher {
  readonly #sum = new BigUint64Array(1);
  #rows = 0;

  add(lines: Buffer): void {
    for (let from = 0; from < lines.length; this.#rows++) {
      const end = lines.indexOf(10, from);
      // Wraps around at 2^64.
      this.#sum[0]! += Bun.hash.xxHash64(lines.subarray(from, end));
      from = end + 1;
    }
  }

  result(): TableSum {
    return { rows: this.#rows, checksum: this.#sum[0]!.toString(16).padStart(16, "0") };
  }
}

export async function sumOf(rows: AsyncIterable<Rows>, onRows: (count: number) => Promise<void>): Promise<TableSum> {
  const hasher = new RowHasher();
  for await (const { lines, count } of rows) {
    hasher.add(lines);
    await onRows(count);
  }
  return hasher.result();
}
