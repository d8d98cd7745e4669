import { freeMemory } from "../concurrency/garbage.ts";

/** Keys and their numbers, side by side. */
export type Entries = { keys: Float64Array; numbers: Uint32Array };

const keyBits = 53;
/** Buckets of about four entries need hardly any sorting. */
const entriesOfBucket = 4;
/** Larger buckets, of entries with the same key or with keys that are not hashes, are sorted by a general algorithm. */
const manyOfBucket = 64;

/**
 * Sorts the entries of all parts by key. The sort is stable. Keys are evenly spread hashes, so nearly all of the work is
 * to put each entry into a bucket by its first bits.
 */
export function sortedEntries(parts: readonly Entries[]): Entries {
  const size = parts.reduce((sum, { keys }) => sum + keys.length, 0);
  const bits = Math.min(20, Math.max(0, Math.ceil(Math.log2(size / entriesOfBucket + 1))));
  const bucketSize = 2 ** (keyBits - bits);
  const ends = new Uint32Array(2 ** bits + 1);
  for (const { keys } of parts)
    for (let at = 0; at < keys.length; at++) ends[Math.floor(keys[at]! / bucketSize) + 1]!++;
  for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!;
  // Each bucket starts at the end of the previous one; its end has advanced to its own when all entries are in.
  const sorted = { keys: new Float64Array(size), numbers: new Uint32Array(size) };
  for (const { keys, numbers } of parts)
    for (let at = 0; at < keys.length; at++) {
      const place = ends[Math.floor(keys[at]! / bucketSize)]!++;
      sorted.keys[place] = keys[at]!;
      sorted.numbers[place] = numbers[at]!;
    }
  for (let bucket = 0, start = 0; bucket < ends.length - 1; start = ends[bucket++]!) {
    const end = ends[bucket]!;
    if (end - start > manyOfBucket) sortMany(sorted, start, end);
    else if (end - start > 1) sortFew(sorted, start, end);
  }
  freeMemory([ends]);
  return sorted;
}

function sortFew({ keys, numbers }: Entries, start: number, end: number): void {
  for (let next = start + 1; next < end; next++) {
    const key = keys[next]!;
    const number = numbers[next]!;
    let at = next;
    for (; at > start && keys[at - 1]! > key; at--) {
      keys[at] = keys[at - 1]!;
      numbers[at] = numbers[at - 1]!;
    }
    keys[at] = key;
    numbers[at] = number;
  }
}

function sortMany({ keys, numbers }: Entries, start: number, end: number): void {
  const ofKeys = keys.slice(start, end);
  const ofNumbers = numbers.slice(start, end);
  const order = Uint32Array.from(ofKeys, (_, at) => at).sort((a, b) => ofKeys[a]! - ofKeys[b]! || a - b);
  for (let at = 0; at < order.length; at++) {
    keys[start + at] = ofKeys[order[at]!]!;
    numbers[start + at] = ofNumbers[order[at]!]!;
  }
}

/** Copies `from` to `to` and frees its memory. Returns `to`. */
export function enlarged<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  freeMemory([from]);
  return to;
}
