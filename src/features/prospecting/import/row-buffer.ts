import type { FieldError } from "../../../platform/base/errors.ts";
import type { BatchTerms } from "../directory-model.ts";
import type { NumberedRaw } from "./row-values.ts";

/** Kind of a row. For "errors", the text of the row is the list of errors as JSON. */
export const rowKinds = ["person", "company", "errors"] as const;
export type RowKind = (typeof rowKinds)[number];

/** Rows of a file in flat memory, which can be transferred between threads much faster than objects. */
export type PackedRows = {
  rows: Float64Array;
  /** Indexes into `rowKinds`. */
  kinds: Uint8Array;
  /** End of each row in `text`, which contains UTF-8 JSON without separators. */
  ends: Uint32Array;
  text: Uint8Array;
  found: BatchTerms;
};

/** The underlying memory: whole buffers, used for nothing else. */
export function arraysOf({ rows, kinds, ends, text, found }: PackedRows): ArrayBufferView<ArrayBuffer>[] {
  const { keys, keyCounts, beside, raws, rawCounts } = found;
  return [rows, kinds, ends, text, keys, keyCounts, beside, raws, rawCounts] as ArrayBufferView<ArrayBuffer>[];
}

const startBytes = 2 ** 18;
const startRows = 1024;
/** Email, profile, name, company, and domain. */
const maxKeys = 5;
/** Maximum value of `rawCounts`. */
const maxRaws = 255;
const encoder = new TextEncoder();

/** Assembles rows byte by byte. A row is started, filled, and then ended or canceled. */
export class RowBuffer {
  #bytes = new Uint8Array(startBytes);
  #length = 0;
  #rows = new Float64Array(startRows);
  #kinds = new Uint8Array(startRows);
  #ends = new Uint32Array(startRows);
  #keys = new Float64Array(startRows * maxKeys);
  #keyEnds = new Uint32Array(startRows);
  #beside = new Uint8Array(startRows);
  #raws = new Int32Array(startRows * 16);
  #rawEnds = new Uint32Array(startRows);
  #keyCount = 0;
  #rawCount = 0;
  /** Number of complete rows. */
  #count = 0;
  readonly #numbers = new RawNumbers();

  /** Number of rows that can be taken. */
  get count(): number {
    return this.#count;
  }

  /** Keys of the current row. */
  get keyCount(): number {
    return this.#keyCount - endBefore(this.#keyEnds, this.#count);
  }

  /** Starts a row with a maximum size in bytes. */
  begin(mostBytes: number): void {
    if (this.#length + mostBytes > this.#bytes.length)
      this.#bytes = enlarged(this.#bytes, new Uint8Array((this.#length + mostBytes) * 2));
    if (this.#count < this.#rows.length) return;
    const length = this.#rows.length * 2;
    this.#rows = enlarged(this.#rows, new Float64Array(length));
    this.#kinds = enlarged(this.#kinds, new Uint8Array(length));
    this.#ends = enlarged(this.#ends, new Uint32Array(length));
    this.#keys = enlarged(this.#keys, new Float64Array(length * maxKeys));
    this.#keyEnds = enlarged(this.#keyEnds, new Uint32Array(length));
    this.#beside = enlarged(this.#beside, new Uint8Array(length));
    this.#rawEnds = enlarged(this.#rawEnds, new Uint32Array(length));
  }

  bytes(bytes: Uint8Array): void {
    this.piece(bytes, 0, bytes.length);
  }

  /** Appends the bytes from `start` to `end`. */
  piece(bytes: Uint8Array, start: number, end: number): void {
    const to = this.#bytes;
    let length = this.#length;
    // A loop is faster than `set` for so few bytes.
    for (let at = start; at < end; at++) to[length++] = bytes[at]!;
    this.#length = length;
  }

  byte(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  key(key: number): void {
    this.#keys[this.#keyCount++] = key;
  }

  raw(value: NumberedRaw): void {
    if (this.#rawCount === this.#raws.length) this.#raws = enlarged(this.#raws, new Int32Array(this.#raws.length * 2));
    this.#raws[this.#rawCount++] = this.#numbers.of(value);
  }

  /** Replaces the last byte. */
  lastByte(byte: number): void {
    this.#bytes[this.#length - 1] = byte;
  }

  /** `beside`: see `besideName`; for people only. */
  end(row: number, kind: RowKind, beside: number): void {
    const rawsBefore = endBefore(this.#rawEnds, this.#count);
    if (this.#rawCount - rawsBefore > maxRaws) this.#rawCount = rawsBefore;
    this.#rows[this.#count] = row;
    this.#kinds[this.#count] = rowKinds.indexOf(kind);
    this.#ends[this.#count] = this.#length;
    this.#keyEnds[this.#count] = this.#keyCount;
    this.#beside[this.#count] = beside;
    this.#rawEnds[this.#count] = this.#rawCount;
    this.#count++;
  }

  /** Discards the current row. */
  cancel(): void {
    this.#length = endBefore(this.#ends, this.#count);
    this.#keyCount = endBefore(this.#keyEnds, this.#count);
    this.#rawCount = endBefore(this.#rawEnds, this.#count);
  }

  /** Adds a row without index values. */
  put(row: number, kind: RowKind, json: string, keys: readonly number[], beside: number): void {
    this.begin(json.length * 3);
    this.#length += encoder.encodeInto(json, this.#bytes.subarray(this.#length)).written;
    for (const key of keys) this.key(key);
    this.end(row, kind, beside);
  }

  refuse(row: number, path: string, message: string): void {
    this.refuseAll(row, [{ path, message }]);
  }

  refuseAll(row: number, errors: readonly FieldError[]): void {
    this.put(row, "errors", JSON.stringify(errors), [], 0);
  }

  /** Removes and returns up to `most` rows, in order. */
  take(most: number): PackedRows {
    const count = Math.min(this.#count, most);
    const [bytes, keys, raws] = [
      endBefore(this.#ends, count),
      endBefore(this.#keyEnds, count),
      endBefore(this.#rawEnds, count),
    ];
    const packed: PackedRows = {
      rows: this.#rows.slice(0, count),
      kinds: this.#kinds.slice(0, count),
      ends: this.#ends.slice(0, count),
      text: this.#bytes.slice(0, bytes),
      found: {
        keys: this.#keys.slice(0, keys),
        keyCounts: counts(this.#keyEnds, count),
        beside: this.#beside.slice(0, count),
        raws: this.#raws.slice(0, raws),
        rawCounts: counts(this.#rawEnds, count),
        ...this.#numbers.taken(),
      },
    };
    this.#drop(count, bytes, keys, raws);
    // Remaining rows have numbers of the previous epoch, so they get no index values and the index reads their content.
    if (this.#numbers.beginAnew()) {
      this.#rawCount = 0;
      this.#rawEnds.fill(0, 0, this.#count);
    }
    return packed;
  }

  /** Moves the remaining rows to the beginning. */
  #drop(rows: number, bytes: number, keys: number, raws: number): void {
    this.#bytes.copyWithin(0, bytes, this.#length);
    this.#rows.copyWithin(0, rows, this.#count);
    this.#kinds.copyWithin(0, rows, this.#count);
    this.#beside.copyWithin(0, rows, this.#count);
    this.#keys.copyWithin(0, keys, this.#keyCount);
    this.#raws.copyWithin(0, raws, this.#rawCount);
    for (let row = rows; row < this.#count; row++) {
      this.#ends[row - rows] = this.#ends[row]! - bytes;
      this.#keyEnds[row - rows] = this.#keyEnds[row]! - keys;
      this.#rawEnds[row - rows] = this.#rawEnds[row]! - raws;
    }
    this.#count -= rows;
    this.#length -= bytes;
    this.#keyCount -= keys;
    this.#rawCount -= raws;
  }
}

/** Numbers raw values, so that rows can refer to them in a few bytes. */
class RawNumbers {
  #count = 0;
  #added: string[] = [];
  #epoch = ++epochs;

  of(value: NumberedRaw): number {
    if (value.epoch !== this.#epoch) {
      value.epoch = this.#epoch;
      value.number = this.#count++;
      this.#added.push(`${value.facet} ${value.raw}`);
    }
    return value.number;
  }

  /** Values added since the last call. */
  taken(): Pick<BatchTerms, "epoch" | "from" | "added"> {
    const taken = { epoch: this.#epoch, from: this.#count - this.#added.length, added: this.#added };
    this.#added = [];
    return taken;
  }

  /** True if there were too many values and numbering has restarted. */
  beginAnew(): boolean {
    if (this.#count <= maxNumbers) return false;
    this.#count = 0;
    this.#epoch = ++epochs;
    return true;
  }
}

const maxNumbers = 50_000;
let epochs = 0;

function endBefore(ends: Uint32Array, row: number): number {
  return row === 0 ? 0 : ends[row - 1]!;
}

function counts(ends: Uint32Array, rows: number): Uint8Array {
  const found = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) found[row] = ends[row]! - endBefore(ends, row);
  return found;
}

function enlarged<T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
