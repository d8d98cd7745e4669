import { hashOfKey, isHot } from "./key-hash.ts";

/** New runs that share a filter, and become one run when there are this many. */
export const runsOfGroup = 16;

/**
 * Bloom filters of runs, so that a run is rarely read for a key that it does not contain. They contain hot keys only. Each
 * merged run has its own filter; new runs share the filter of their group.
 */
export class RunFilters {
  readonly #merged: MergedFilter[] = [];
  readonly #groups: GroupFilter[] = [];
  /** Number of new runs with a filter. */
  #slots = 0;

  /** Number of runs with a filter: the first ones. */
  get ready(): number {
    return this.#merged.length + this.#slots;
  }

  /** Writes the runs with a filter that may contain the key to `runs`. Returns how many. */
  candidates(key: number, runs: number[]): number {
    const hash = hashOfKey(key);
    let count = 0;
    for (let at = 0; at < this.#merged.length; at++) if (this.#merged[at]!.has(hash)) runs[count++] = at;
    const end = this.ready;
    for (let group = 0, first = this.#merged.length; first < end; group++, first += runsOfGroup)
      for (let bits = this.#groups[group]!.bitsOf(hash); bits !== 0; bits &= bits - 1)
        runs[count++] = first + 31 - Math.clz32(bits & -bits);
    return count;
  }

  /** Adds the keys of the next run, which is a new one. */
  take(pages: Iterable<{ keys: Float64Array }>): void {
    const slot = this.#slots++;
    const group = (this.#groups[Math.floor(slot / runsOfGroup)] ??= new GroupFilter());
    for (const { keys } of pages) group.take(slot % runsOfGroup, keys);
  }

  /** Adds the filter of the next run, which is a merged one. Merged runs come before new ones. */
  takeMerged(filter: MergedFilter): void {
    this.#merged.push(filter);
  }

  /** The first group of new runs was merged. */
  groupMerged(filter: MergedFilter): void {
    if (this.#slots < runsOfGroup) return this.keep(this.#merged.length);
    this.#merged.push(filter);
    this.#groups.shift();
    this.#slots -= runsOfGroup;
  }

  /** Only the first `count` runs are unchanged. */
  keep(count: number): void {
    const end = this.#slots;
    this.#merged.length = Math.min(this.#merged.length, count);
    this.#slots = Math.min(end, count - this.#merged.length);
    for (let slot = this.#slots; slot < end; slot++)
      this.#groups[Math.floor(slot / runsOfGroup)]!.forget(slot % runsOfGroup);
  }
}

/** A cache line has 64 bytes. */
const groupLineWords = 32;
const groupLines = 2 ** 17;

/**
 * The filters of 16 runs side by side: each word has one bit per run, so one lookup answers for all of them, and the words
 * of a key are in one cache line (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters"). 8 MB,
 * enough for three million hot keys. The rate of false positives is 0.5 %.
 */
class GroupFilter {
  readonly #words = new Uint16Array(groupLines * groupLineWords);

  /** Runs of the group that may contain the key, one bit for each. */
  bitsOf(hash: number): number {
    const line = (hash >>> 15) * groupLineWords;
    const words = this.#words;
    return words[line + (hash & 31)]! & words[line + ((hash >>> 5) & 31)]! & words[line + ((hash >>> 10) & 31)]!;
  }

  take(slot: number, keys: Float64Array): void {
    const bit = 1 << slot;
    const words = this.#words;
    for (let at = 0; at < keys.length; at++) {
      if (!isHot(keys[at]!)) continue;
      const hash = hashOfKey(keys[at]!);
      const line = (hash >>> 15) * groupLineWords;
      words[line + (hash & 31)]! |= bit;
      words[line + ((hash >>> 5) & 31)]! |= bit;
      words[line + ((hash >>> 10) & 31)]! |= bit;
    }
  }

  forget(slot: number): void {
    const others = ~(1 << slot);
    const words = this.#words;
    for (let at = 0; at < words.length; at++) words[at] = words[at]! & others;
  }
}

/** 64 bytes, as 32-bit words. */
const lineWords = 16;
/** Three fifths of them are hot: about 13 bits for each. */
const entriesOfLine = 64;
const bitsOfKey = 6;

/**
 * The filter of one large run, with about 1 % false positives. It is stored with the run, because building it takes ten
 * times as long as reading it.
 */
export class MergedFilter {
  readonly #lines: number;
  readonly #words: Uint32Array;

  constructor(entries: number) {
    this.#lines = Math.ceil(entries / entriesOfLine);
    this.#words = new Uint32Array(this.#lines * lineWords);
  }

  /** As stored: little-endian words. Not a copy. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer);
  }

  take(keys: Float64Array): void {
    for (let at = 0; at < keys.length; at++) {
      if (!isHot(keys[at]!)) continue;
      const hash = hashOfKey(keys[at]!);
      const line = this.#lineOf(hash);
      for (let n = 0, bit = firstBit(hash); n < bitsOfKey; n++, bit += step(hash))
        this.#words[line + ((bit >>> 5) & (lineWords - 1))]! |= 1 << (bit & 31);
    }
  }

  has(hash: number): boolean {
    const line = this.#lineOf(hash);
    for (let n = 0, bit = firstBit(hash); n < bitsOfKey; n++, bit += step(hash))
      if ((this.#words[line + ((bit >>> 5) & (lineWords - 1))]! & (1 << (bit & 31))) === 0) return false;
    return true;
  }

  /** Uses the upper bits; the lower ones select bits within the line. */
  #lineOf(hash: number): number {
    return Math.floor(((hash >>> 0) / 2 ** 32) * this.#lines) * lineWords;
  }
}

const firstBit = (hash: number): number => hash & 511;
/** Odd, so that all bits differ. */
const step = (hash: number): number => ((hash >>> 8) & 254) + 1;
