import { ownText } from "../remembered.ts";
import { hashOfPiece } from "./row-text.ts";

/**
 * What is made of pieces of a text, by the place where they stand, for a reader that has a hash of each already: what is
 * known is found without making a text of it. The table keeps its size. To let somebody in costs more than to make it
 * anew, because whatever is kept is walked by the garbage collector: who comes only once stays outside, and who is used
 * is not thrown out by the first newcomer.
 */
export class KnownPieces<T> {
  readonly #make: (kind: number, raw: string) => T;
  readonly #known: ({ kind: number; raw: string; made: T } | undefined)[];
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
    const slot = (hash ^ (hash >>> 15) ^ (kind * 0x9e37)) & (slots - 1);
    if (this.#hashes[slot] === hash) {
      const known = this.#known[slot];
      if (known !== undefined && known.kind === kind && stands(known.raw, text, start, end)) {
        if (this.#uses[slot]! < mostUses) this.#uses[slot]!++;
        return known.made;
      }
    }
    const raw = text.slice(start, end);
    const isStranger = this.#strangers[slot] !== hash;
    this.#strangers[slot] = hash;
    if (isStranger || (this.#uses[slot]! > 0 && --this.#uses[slot]! > 0)) return this.#make(kind, raw);
    const own = ownText(raw);
    const made = this.#make(kind, own);
    this.#known[slot] = { kind, raw: own, made };
    this.#hashes[slot] = hash;
    this.#uses[slot] = 1;
    return made;
  }

  of(kind: number, text: string): T {
    return this.get(kind, hashOfPiece(text, 0, text.length), text, 0, text.length);
  }
}

const slots = 2 ** 14;
const mostUses = 16;

function stands(raw: string, text: string, start: number, end: number): boolean {
  if (raw.length !== end - start) return false;
  for (let at = 0; at < raw.length; at++) if (raw.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}
