import { hashOfKey, isHot } from "./key-hash.ts";

/** New runs whose filters lie across; so many become one. */
export const runsOfGroup = 16;

/**
 * Bloom filters of runs, so that nearly no run is read for a key that it does not have. They have keys of persons only;
 * those of companies are hardly ever asked for. Each merged run has a filter of its own, and new ones share those of
 * their group.
 */
export class RunFilters {
  readonly #merged: MergedFilter[] = [];
  readonly #groups: GroupFilter[] = [];
  /** New runs that have one. */
  #slots = 0;

  /** Runs that have one: the first so many. */
  get ready(): number {
    return this.#merged.length + this.#slots;
  }

  /** Puts the runs with a filter that may have the key into `runs`; answers how many there are. */
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

  /** Takes the keys of the next run, which is a new one. */
  take(pages: Iterable<{ keys: Float64Array }>): void {
    const slot = this.#slots++;
    const group = (this.#groups[Math.floor(slot / runsOfGroup)] ??= new GroupFilter());
    for (const { keys } of pages) group.take(slot % runsOfGroup, keys);
  }

  /** The filter of the next run, which is a merged one: all of those come before new ones. */
  takeMerged(filter: MergedFilter): void {
    this.#merged.push(filter);
  }

  /** The first new runs, a group, became one. */
  groupMerged(filter: MergedFilter): void {
    if (this.#slots < runsOfGroup) return this.keep(this.#merged.length);
    this.#merged.push(filter);
    this.#groups.shift();
    this.#slots -= runsOfGroup;
  }

  /** Of the runs only the first `count` are what they were. */
  keep(count: number): void {
    const end = this.#slots;
    this.#merged.length = Math.min(this.#merged.length, count);
    this.#slots = Math.min(end, count - this.#merged.length);
    for (let slot = this.#slots; slot < end; slot++)
      this.#groups[Math.floor(slot / runsOfGroup)]!.forget(slot % runsOfGroup);
  }
}

/** Words of a line: the 64 bytes that a processor fetches at once. */
const groupLineWords = 32;
const groupLines = 2 ** 17;

/**
 * Filters of 16 runs across: a word has one bit of each run, so that one look tells for all of them, and the words of a
 * key are in one line (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters"). 8 MB, which is
 * a million prospects; of the hashes that a run does not have, one in 200 seems to be there.
 */
class GroupFilter {
  readonly #words = new Uint16Array(groupLines * groupLineWords);

  /** Runs of the group that may have the key: a bit for each. */
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
/** Of which three fifths are those of persons: some 13 bits for each. */
const entriesOfLine = 64;
const bitsOfKey = 6;

/**
 * The filter of one large run: of the hashes that it does not have, one in some hundred seems to be there. It is stored
 * with the run: to make it of the keys takes ten times as long as to read it.
 */
export class MergedFilter {
  readonly #lines: number;
  readonly #words: Uint32Array;

  constructor(entries: number) {
    this.#lines = Math.ceil(entries / entriesOfLine);
    this.#words = new Uint32Array(this.#lines * lineWords);
  }

  /** As it is stored: little-endian words. It is not a copy. */
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

  /** By the upper bits: the lower ones tell the bits of the line. */
  #lineOf(hash: number): number {
    return Math.floor(((hash >>> 0) / 2 ** 32) * this.#lines) * lineWords;
  }
}

const firstBit = (hash: number): number => hash & 511;
/** Odd, so that the bits are all different. */
const step = (hash: number): number => ((hash >>> 8) & 254) + 1;
