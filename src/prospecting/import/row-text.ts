import { hashBasis, hashed } from "../../leads/import/plain-record.ts";
import { unguardedCell } from "../../leads/lead-csv.ts";
import { prospectTargetNames, type ProspectTarget } from "./prospect-columns.ts";
import type { Values } from "./row-values.ts";

/**
 * What the columns of a row say: pieces of texts, without blanks around and the quote of an export, each with a hash, so
 * that whoever knows a piece already need not make a text of it. One is used for row after row.
 */
export class RowText {
  readonly #texts: string[] = prospectTargetNames.map(() => "");
  readonly #starts = new Int32Array(prospectTargetNames.length);
  readonly #ends = new Int32Array(prospectTargetNames.length);
  readonly #hashes = new Int32Array(prospectTargetNames.length);

  clear(): void {
    this.#starts.fill(0);
    this.#ends.fill(0);
  }

  /** Of all pieces together. */
  get length(): number {
    let length = 0;
    for (let target = 0; target < this.#starts.length; target++) length += this.#ends[target]! - this.#starts[target]!;
    return length;
  }

  has(target: number): boolean {
    return this.#ends[target] !== this.#starts[target];
  }

  text(target: number): string {
    return this.#texts[target]!;
  }
  start(target: number): number {
    return this.#starts[target]!;
  }
  end(target: number): number {
    return this.#ends[target]!;
  }
  hash(target: number): number {
    return this.#hashes[target]!;
  }

  slice(target: number): string {
    return this.#texts[target]!.slice(this.#starts[target], this.#ends[target]);
  }

  /** Notes a piece with its hash, unless there is one already. False when it is blank. */
  put(target: number, text: string, start: number, end: number, hash: number): boolean {
    let [first, last] = [start, end];
    while (first < last && isBlank(text.charCodeAt(first))) first++;
    while (first < last && isBlank(text.charCodeAt(last - 1))) last--;
    if (first === last) return false;
    if (this.has(target) || target === ignored) return true;
    if (text.charCodeAt(first) === apostrophe) return this.set(target, unguardedCell(text.slice(first, last)));
    this.#texts[target] = text;
    this.#starts[target] = first;
    this.#ends[target] = last;
    this.#hashes[target] = last - first === end - start ? hash : hashOfPiece(text, first, last);
    return true;
  }

  /** Notes a whole text as it is. */
  set(target: number, text: string): true {
    this.#texts[target] = text;
    this.#starts[target] = 0;
    this.#ends[target] = text.length;
    this.#hashes[target] = hashOfPiece(text, 0, text.length);
    return true;
  }

  values(): Values {
    const values: Values = {};
    for (let target = 0; target < prospectTargetNames.length; target++)
      if (this.has(target)) values[prospectTargetNames[target]!] = this.slice(target);
    return values;
  }
}

export function hashOfPiece(text: string, start: number, end: number): number {
  let hash = hashBasis;
  for (let at = start; at < end; at++) hash = hashed(hash, text.charCodeAt(at));
  return hash;
}

/** The number of a target in a row. */
export function numberOfTarget(target: ProspectTarget): number {
  return prospectTargetNames.indexOf(target);
}

const ignored = numberOfTarget("ignore");
const apostrophe = 39;

/** What `trim` takes away. */
function isBlank(code: number): boolean {
  if (code < 127) return code === 32 || (code >= 9 && code <= 13);
  if (code < 0x1680) return code === 0xa0;
  if (code < 0x2000) return code === 0x1680;
  if (code <= 0x200a || code === 0x2028 || code === 0x2029) return true;
  return code === 0x202f || code === 0x205f || code === 0x3000 || code === 0xfeff;
}
