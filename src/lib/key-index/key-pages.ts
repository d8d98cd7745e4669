import type { Entries } from "./key-entries.ts";
import { noteNumber } from "./key-lists.ts";
import { roomForBlobs, startBehind, type PackedBlobs } from "../concurrency/packed-blobs.ts";

/** Entries per page: key and number, 12 bytes each, so that a page fills a page of the database (4 KiB). */
export const pageEntries = 336;
const entryBytes = 12;
const pageBytes = pageEntries * entryBytes;
/** The place of a page is `run * pagesOfRun + page`. The filter of a merged run follows its entries. */
export const pagesOfRun = 65_536;
/** Pages per slice of work: a few milliseconds of the event loop. */
const pagesAtOnce = 64;
/** Entries that fill the pages of a slice of work. */
export const entriesAtOnce = pagesAtOnce * pageEntries;

/** Writes sorted entries to pages of a run, starting at `firstPage`. All pages of a run but the last must be full. */
export function* pagesOf(run: number, { keys, numbers }: Entries, firstPage = 0): Generator<PackedBlobs, void, void> {
  for (let from = 0; from < keys.length; from += entriesAtOnce) {
    const count = Math.min(entriesAtOnce, keys.length - from);
    const lengths = new Uint32Array(Math.ceil(count / pageEntries)).fill(pageBytes);
    lengths[lengths.length - 1] = (count - (lengths.length - 1) * pageEntries) * entryBytes;
    const blobs = roomForBlobs(lengths);
    const toKeys = new Float64Array(blobs.bytes.buffer);
    const toNumbers = new Uint32Array(blobs.bytes.buffer);
    for (let page = 0, entry = from, start = 0; page < lengths.length; start = startBehind(start, lengths[page++]!)) {
      blobs.places[page] = run * pagesOfRun + firstPage + entry / pageEntries;
      const entries = lengths[page]! / entryBytes;
      const firstNumber = start / 4 + entries * 2;
      for (let at = 0; at < entries; at++, entry++) {
        toKeys[start / 8 + at] = keys[entry]!;
        toNumbers[firstNumber + at] = numbers[entry]!;
      }
    }
    yield blobs;
  }
}

/** Writes any bytes to pages, starting at this place. */
export function* pagesOfBytes(place: number, bytes: Uint8Array): Generator<PackedBlobs, void, void> {
  for (let from = 0; from < bytes.length; from += pagesAtOnce * pageBytes) {
    const piece = bytes.subarray(from, from + pagesAtOnce * pageBytes);
    const lengths = new Uint32Array(Math.ceil(piece.length / pageBytes)).fill(pageBytes);
    lengths[lengths.length - 1] = piece.length - (lengths.length - 1) * pageBytes;
    const blobs = roomForBlobs(lengths);
    blobs.bytes.set(piece); // without gaps: the size of a page is a multiple of eight
    for (let page = 0; page < lengths.length; page++) blobs.places[page] = place + from / pageBytes + page;
    yield blobs;
  }
}

/** The first key of each page of these entries. */
export function firstsOf({ keys }: Entries): Float64Array {
  const firsts = new Float64Array(Math.ceil(keys.length / pageEntries));
  for (let page = 0; page < firsts.length; page++) firsts[page] = keys[page * pageEntries]!;
  return firsts;
}

/** Shares memory with the page if that is aligned. */
function entriesIn(page: Uint8Array): Entries {
  const { buffer, byteOffset } = page.byteOffset % 8 === 0 ? page : page.slice();
  const count = page.length / entryBytes;
  return {
    keys: new Float64Array(buffer, byteOffset, count),
    numbers: new Uint32Array(buffer, byteOffset + count * 8, count),
  };
}

/** Memory for reading pages one after the other. The result is valid until the next page. */
export class PageRoom {
  readonly #bytes = new Uint8Array(pageBytes);
  readonly #whole = entriesIn(this.#bytes);

  entriesIn(page: Uint8Array): Entries {
    if (page.length !== this.#bytes.length) return entriesIn(page);
    this.#bytes.set(page);
    return this.#whole;
  }
}

/** Adds the numbers of a key to `found`, up to `most`. */
export function noteNumbers({ keys, numbers }: Entries, key: number, found: number[], most: number): void {
  for (let at = lowerBound(keys, key); at < keys.length && keys[at] === key && found.length < most; at++)
    noteNumber(found, numbers[at]!, most);
}

export function eachNumber({ keys, numbers }: Entries, key: number, take: (number: number) => void): void {
  for (let at = lowerBound(keys, key); at < keys.length && keys[at] === key; at++) take(numbers[at]!);
}

/** Index of the first key in a sorted list that is not below `key`. */
export function lowerBound(list: Float64Array, key: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
