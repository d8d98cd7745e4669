import { Bits } from "./bits.ts";

/** So many ids share a segment, at 16 bits for each: of those that are not there one in 400 is taken for one that is. */
const idsOfSegment = 65_536;
const bitsOfSegment = idsOfSegment * 16;
/** Where in an id its four bits are named, each by so many hex digits. */
const places = [0, 8, 16, 24];
const digitsOfBit = Math.log2(bitsOfSegment) / 4;
const [codeOf0, codeOf9, codeOfA] = [48, 57, 97];
/** Two million ids in 4 MB; beyond that every id may be there, for as long as the process runs. */
const maxSegments = 32;

type Segment = { bits: Bits; ids: number; lastSeq: number };

/**
 * Whether an id may be in a table, or surely is not: a Bloom filter that grows by segments, and forgets them with the
 * rows that they stand for. Ids are 32 random hex digits, whose bits are taken as they are.
 */
export class IdFilter {
  #segments: Segment[] = [];
  #isFull = false;

  mayHave(id: string): boolean {
    if (this.#isFull) return true;
    if (this.#segments.length === 0) return false;
    for (const { bits } of this.#segments) if (places.every((place) => bits.has(bitAt(id, place)))) return true;
    return false;
  }

  add(id: string, seq: number): void {
    if (this.#isFull) return;
    const segment = this.#lastWithRoom();
    if (segment === null) return;
    for (const place of places) segment.bits.set(bitAt(id, place));
    segment.ids += 1;
    segment.lastSeq = Math.max(segment.lastSeq, seq);
  }

  /** Rows below this seq are gone. */
  forgetBelow(seq: number): void {
    this.#segments = this.#segments.filter(({ lastSeq }) => lastSeq >= seq);
  }

  #lastWithRoom(): Segment | null {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.ids < idsOfSegment) return last;
    if (this.#segments.length === maxSegments) {
      this.#isFull = true;
      this.#segments = [];
      return null;
    }
    const segment = { bits: new Bits(bitsOfSegment), ids: 0, lastSeq: 0 };
    this.#segments.push(segment);
    return segment;
  }
}

/** By its codes: to cut the text out and to parse it would take twenty times as long. */
function bitAt(id: string, from: number): number {
  let bits = 0;
  for (let at = from; at < from + digitsOfBit; at++) {
    const code = id.charCodeAt(at);
    bits = (bits << 4) | (code <= codeOf9 ? code - codeOf0 : code - codeOfA + 10);
  }
  return bits;
}
