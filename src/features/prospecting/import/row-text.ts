import { unguardedCell } from "../../../lib/table-file/csv-cell.ts";
import { hashBasis, hashed } from "../../../lib/table-file/plain-record.ts";
import { prospectTargetNames, type ProspectTarget } from "./prospect-targets.ts";
import type { Values } from "./row-values.ts";

/**
 * The values of a row as UTF-8 pieces, without surrounding spaces and export quotes, each with a hash, so that known
 * pieces need not be decoded. One instance is reused for all rows.
 */
export class RowText {
  readonly #bytes: Uint8Array[] = prospectTargetNames.map(() => noBytes);
  readonly #starts = new Int32Array(prospectTargetNames.length);
  readonly #ends = new Int32Array(prospectTargetNames.length);
  readonly #hashes = new Int32Array(prospectTargetNames.length);

  clear(): void {
    this.#starts.fill(0);
    this.#ends.fill(0);
  }

  /** Total length of all pieces, in bytes. */
  get length(): number {
    let length = 0;
    for (let target = 0; target < this.#starts.length; target++) length += this.#ends[target]! - this.#starts[target]!;
    return length;
  }

  has(target: number): boolean {
    return this.#ends[target] !== this.#starts[target];
  }

  /** Position of the piece of a target. */
  bytes(target: number): Uint8Array {
    return this.#bytes[target]!;
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
    return decoder.decode(this.#bytes[target]!.subarray(this.#starts[target], this.#ends[target]));
  }

  /** Stores a piece with its hash, unless the target already has one. False if it is blank. */
  put(target: number, bytes: Uint8Array, start: number, end: number, hash: number): boolean {
    let first = start;
    let last = end;
    while (first < last && isBlank(bytes[first]!)) first++;
    while (first < last && isBlank(bytes[last - 1]!)) last--;
    if (first === last) return false;
    const isOdd = bytes[first] === apostrophe || mayBeBlank(bytes[first]!) || mayEndBlank(bytes, last);
    if (isOdd) return this.putText(target, decoder.decode(bytes.subarray(first, last)));
    if (this.has(target) || target === ignored) return true;
    this.#bytes[target] = bytes;
    this.#starts[target] = first;
    this.#ends[target] = last;
    this.#hashes[target] = last - first === end - start ? hash : hashOfPiece(bytes, first, last);
    return true;
  }

  /** Same as `put`. */
  putText(target: number, text: string): boolean {
    const trimmed = text.trim();
    if (trimmed === "") return false;
    if (!this.has(target) && target !== ignored) this.set(target, unguardedCell(trimmed));
    return true;
  }

  /** Stores text unchanged. */
  set(target: number, text: string): true {
    const bytes = encoder.encode(text);
    this.#bytes[target] = bytes;
    this.#starts[target] = 0;
    this.#ends[target] = bytes.length;
    this.#hashes[target] = hashOfPiece(bytes, 0, bytes.length);
    return true;
  }

  values(): Values {
    const values: Values = {};
    for (let target = 0; target < prospectTargetNames.length; target++)
      if (this.has(target)) values[prospectTargetNames[target]!] = this.slice(target);
    return values;
  }
}

export function hashOfPiece(bytes: Uint8Array, start: number, end: number): number {
  let hash = hashBasis;
  for (let at = start; at < end; at++) hash = hashed(hash, bytes[at]!);
  return hash;
}

/** The number of a target. */
export function numberOfTarget(target: ProspectTarget): number {
  return prospectTargetNames.indexOf(target);
}

const noBytes = new Uint8Array();
const encoder = new TextEncoder();
// A byte order mark in the middle of a file is part of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const ignored = numberOfTarget("ignore");
const apostrophe = 39;

/** ASCII characters that `trim` removes. */
function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

/** First bytes of the other characters that `trim` removes: U+00A0, U+1680, U+2000 to U+205F, U+3000, and U+FEFF. */
function mayBeBlank(lead: number): boolean {
  return lead === 0xc2 || (lead >= 0xe1 && lead <= 0xe3) || lead === 0xef;
}

/** Whether the last character before `end` may be one of them. They have two or three bytes. */
function mayEndBlank(bytes: Uint8Array, end: number): boolean {
  return bytes[end - 1]! >= 128 && (mayBeBlank(bytes[end - 2]!) || mayBeBlank(bytes[end - 3]!));
}
