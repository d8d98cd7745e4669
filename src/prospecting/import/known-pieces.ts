import { ownText } from "../remembered.ts";
import { hashOfPiece } from "./row-text.ts";

/** A piece that is kept, with what was made of it. */
type Known<T> = { kind: number; raw: string; made: T };

/**
 * What is made of pieces of a text, by the place where they stand, for a reader that has a hash of each already: what is
 * known is found without making a text of it. The table keeps its size, and each piece has two slots that it may be in.
 * To let somebody in costs more than to make it anew, because whatever is kept is walked by the garbage collector: who
 * comes only once stays outside, and who is used is not thrown out by the first newcomer.
 */
export class KnownPieces<T> {
  readonly #make: (kind: number, raw: string) => T;
  readonly #known: (Known<T> | undefined)[];
  /** Of those who are known, in flat memory: nearly every stranger is told by it alone. */
  readonly #hashes = new Int32Array(slots);
  readonly #uses = new Uint8Array(slots);
  /** Hash of who came last and was not known. */
  readonly #strangers = new Int32Array(slots);

  constructor(make: (kind: number, raw: string) => T) {
    this.#make = make;
    this.#known = Array.from({ length: slots });
  }

  get(kind: number, hash: number, text: string, start: number, end: number): T {
    const own = hash ^ (kind * 0x9e3779b1);
    const slot = (own ^ (own >>> 15)) & (slots - 1);
    if (this.#hashes[slot] === own && this.#isAt(slot, kind, text, start, end)) return this.#used(slot);
    if (this.#hashes[slot ^ 1] === own && this.#isAt(slot ^ 1, kind, text, start, end)) return this.#used(slot ^ 1);
    return this.#meet(slot, own, kind, text.slice(start, end));
  }

  of(kind: number, text: string): T {
    return this.get(kind, hashOfPiece(text, 0, text.length), text, 0, text.length);
  }

  #isAt(slot: number, kind: number, text: string, start: number, end: number): boolean {
    const known = this.#known[slot];
    if (known === undefined || known.kind !== kind || known.raw.length !== end - start) return false;
    const { raw } = known;
    for (let at = 0; at < raw.length; at++) if (raw.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
    return true;
  }

  #used(slot: number): T {
    if (this.#uses[slot]! < mostUses) this.#uses[slot]!++;
    return this.#known[slot]!.made;
  }

  #meet(first: number, hash: number, kind: number, raw: string): T {
    const isStranger = this.#strangers[first] !== hash;
    this.#strangers[first] = hash;
    if (isStranger) return this.#make(kind, raw);
    const slot = this.#uses[first ^ 1]! < this.#uses[first]! ? first ^ 1 : first;
    if (this.#uses[slot]! > 0 && --this.#uses[slot]! > 0) return this.#make(kind, raw);
    const own = ownText(raw);
    const made = this.#make(kind, own);
    this.#known[slot] = { kind, raw: own, made };
    this.#hashes[slot] = hash;
    this.#uses[slot] = 1;
    return made;
  }
}

const slots = 2 ** 14;
const mostUses = 16;
