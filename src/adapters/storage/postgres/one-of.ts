import { type Column, inArray, type SQL } from "drizzle-orm";

/**
 * Whether the column has one of these values. The last value is repeated up to a power of two, so that few texts of a
 * statement recur, however many values there are: only texts that recur are prepared (`preparing`).
 */
export function oneOf<T>(column: Column, values: readonly T[]): SQL {
  const size = values.length <= 1 ? values.length : 2 ** Math.ceil(Math.log2(values.length));
  return inArray(column, [...values, ...Array.from({ length: size - values.length }, () => values.at(-1)!)]);
}
