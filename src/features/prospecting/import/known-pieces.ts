import { hashOfPiece } from "./row-text.ts";

/**
 * Cache of values derived from pieces of text, by kind, for a reader that already has a hash of each piece. Hits
 * require no string. The table has a fixed size, and each piece has two possible slots. Admission is more expensive
 * than recomputing, because the garbage collector traverses cached values, so pieces that occur only once are not
 * admitted, and pieces in use are not evicted by the first new one.
 */
export class KnownPieces<T> {
  readonly #make: (kind: number, raw: string) => T;
  readonly #made: (T | undefined)[] = Array.from({ length: slots });
  // Flat memory: a lookup touches one cache line instead of one for each object involved.
  readonly #raws = new Uint8Array(slots * maxBytes);
  readonly #lengths = new Uint8Array(slots);
  readonly #kinds = new Uint8Array(slots);
  readonly #hashes = new Int32Array(slots);
  readonly #uses = new Uint8Array(slots);
  /** Hash of the last piece that missed. */
  readonly #strangers = new Int32Array(slots);

  constructor(make: (kind: number, raw: string) => T) {
    this.#make = make;
  }

  /** Value of a piece in UTF-8. */
  get(kind: number, hash: number, bytes: Uint8Array, start: number, end: number): T {
    const own = hash ^ (kind * 0x9e3779b1);
    const slot = (own ^ (own >>> 15)) & (slots - 1);
    if (this.#hashes[slot] === own && this.#isAt(slot, kind, bytes, start, end)) return this.#used(slot);
    if (this.#hashes[slot ^ 1] === own && this.#isAt(slot ^ 1, kind, bytes, start, end)) return this.#used(slot ^ 1);
    return this.#meet(slot, own, kind, bytes.subarray(start, end));
  }

  of(kind: number, text: string): T {
    const bytes = encoder.encode(text);
    return this.get(kind, hashOfPiece(bytes, 0, bytes.length), bytes, 0, bytes.length);
  }

  #isAt(slot: number, kind: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[slot] !== end - start || this.#kinds[slot] !== kind) return false;
    const raws = this.#raws;
    for (let at = start, of = slot * maxBytes; at < end; at++, of++) if (raws[of] !== bytes[at]) return false;
    return true;
  }

  #used(slot: number): T {
    if (this.#uses[slot]! < maxUses) this.#uses[slot]!++;
    return this.#made[slot]!;
  }

  #meet(first: number, hash: number, kind: number, raw: Uint8Array): T {
    const isStranger = this.#strangers[first] !== hash;
    this.#strangers[first] = hash;
    const made = this.#make(kind, decoder.decode(raw));
    if (isStranger || raw.length > maxBytes || raw.length === 0) return made;
    const slot = this.#uses[first ^ 1]! < this.#uses[first]! ? first ^ 1 : first;
    if (this.#uses[slot]! > 0 && --this.#uses[slot]! > 0) return made;
    this.#made[slot] = made;
    this.#raws.set(raw, slot * maxBytes);
    this.#lengths[slot] = raw.length;
    this.#kinds[slot] = kind;
    this.#hashes[slot] = hash;
    this.#uses[slot] = 1;
    return made;
  }
}

const slots = 2 ** 14;
const maxUses = 16;
/** Maximum length of a cached piece: one cache line. Few titles or places are longer. */
const maxBytes = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
