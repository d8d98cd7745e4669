/**
 * A set of numbers from 0 to 65,535: a sorted list while it is small, otherwise one bit per number (in signed words, which
 * the engine computes with faster). Dividing a large set into such containers follows Roaring bitmaps (Chambi, Lemire,
 * Kaser, Godin 2016, arXiv:1402.6407). Each container can be stored in its own row, so that a search reads only the ones
 * it needs.
 */
export type Container = Uint16Array | Int32Array;

/** Numbers in a container. */
export const containerSize = 65_536;
const words = containerSize / 32;
/** From this size on, bits take less space than a list, so a list is always shorter than the 8,192 bytes of the bits. */
const dense = 4096;

export const emptyContainer: Container = new Uint16Array(0);

export function isBits(container: Container): container is Int32Array {
  return container.BYTES_PER_ELEMENT === 4;
}

export function countOf(container: Container): number {
  return isBits(container) ? bitCount(container) : container.length;
}

export function has(container: Container, number: number): boolean {
  if (isBits(container)) return (container[number >>> 5]! & (1 << (number & 31))) !== 0;
  return container[lowerBound(container, container.length, number)] === number;
}

/** Little-endian, like every processor that Bun runs on. Shares memory with the container. */
export function bytesOf(container: Container): Uint8Array {
  return new Uint8Array(container.buffer, container.byteOffset, container.byteLength);
}

/** Reverses `bytesOf`. The length determines the form. */
export function containerOf(bytes: Uint8Array): Container {
  const copy = bytes.slice().buffer;
  return copy.byteLength === words * 4 ? new Int32Array(copy) : new Uint16Array(copy);
}

/** Room for a result of 8 KiB that can be used again: to make such for each step costs more than the step. */
export type Room = Int32Array;

export function newRoom(): Room {
  return new Int32Array(words);
}

// The three operations answer bits in the room that they are given, which may be that of `a`, or a list. Bits may have
// few numbers or none: see `smallest`.

/** Numbers in both. */
export function and(a: Container, b: Container, room = newRoom()): Container {
  if (isBits(a)) return isBits(b) ? commonBits(a, b, room) : filtered(b, a, true);
  return isBits(b) ? filtered(a, b, true) : intersection(a, b);
}

/** Numbers of `a` that are not in `b`. */
export function andNot(a: Container, b: Container, room = newRoom()): Container {
  if (isBits(a)) return isBits(b) ? otherBits(a, b, room) : withoutList(a, b, room);
  return isBits(b) ? filtered(a, b, false) : difference(a, b);
}

/** Numbers in any of them; the room must not be that of one of them. */
export function or(containers: readonly Container[], room = newRoom()): Container {
  const [first, second] = containers;
  if (first === undefined) return emptyContainer;
  if (second === undefined) return first;
  room.fill(0);
  for (const container of containers)
    if (isBits(container)) addBits(room, container);
    else addList(room, container);
  return room;
}

/** The same numbers in the smaller form; copied if they are in a room. */
export function smallest(container: Container): Container {
  if (!isBits(container)) return container;
  const count = bitCount(container);
  return count < dense ? listOf(container, count) : container.slice();
}

/** How many numbers are in both; makes no container. */
export function countAnd(a: Container, b: Container): number {
  if (isBits(a) && isBits(b)) {
    let count = 0;
    for (let i = 0; i < words; i++) count += popCount(a[i]! & b[i]!);
    return count;
  }
  if (isBits(a)) return countIn(b as Uint16Array, a);
  return isBits(b) ? countIn(a, b) : intersection(a, b).length;
}

/** Up to `limit` numbers in ascending order, behind the first `skip`. */
export function select(container: Container, skip: number, limit: number): number[] {
  if (!isBits(container)) return [...container.subarray(skip, skip + limit)];
  const found: number[] = [];
  let left = skip;
  for (let i = 0; i < words && found.length < limit; i++) {
    const count = popCount(container[i]!);
    if (left >= count) {
      left -= count;
      continue;
    }
    for (let word = container[i]!; word !== 0 && found.length < limit; word &= word - 1)
      if (left > 0) left--;
      else found.push(i * 32 + 31 - Math.clz32(word & -word));
  }
  return found;
}

/** A container that changes, until `freeze`. */
export class MutableContainer {
  #list: Uint16Array | null;
  #bits: Int32Array | null;
  #count: number;

  /** Copies the initial numbers. */
  constructor(start: Container = emptyContainer) {
    this.#count = countOf(start);
    this.#bits = isBits(start) ? start.slice() : null;
    this.#list = isBits(start) ? null : start.slice();
  }

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return (this.#bits ?? this.#list!).byteLength;
  }

  /** False when it was there already. */
  add(number: number): boolean {
    if (this.#bits !== null) return this.#addBit(this.#bits, number);
    const list = this.#list!;
    const at = this.#count > 0 && list[this.#count - 1]! < number ? this.#count : this.#place(number);
    if (at < this.#count && list[at] === number) return false;
    if (this.#count + 1 >= dense) {
      this.#bits = bitsOf(list, this.#count);
      this.#list = null;
      return this.#addBit(this.#bits, number);
    }
    const grown = this.#count < list.length ? list : enlarged(list, Math.min(Math.max(4, list.length * 2), dense));
    if (at < this.#count) grown.copyWithin(at + 1, at, this.#count);
    grown[at] = number;
    this.#list = grown;
    this.#count++;
    return true;
  }

  /** Adds the lower halves of the numbers in a part of a list, in which they ascend; answers how many were new. */
  addAll(numbers: Uint32Array, start: number, end: number): number {
    const before = this.#count;
    const isBehind = before === 0 || this.#list === null || this.#list[before - 1]! < (numbers[start]! & 0xffff);
    // To move what is behind a number is for a few.
    if (this.#list !== null && (before + end - start >= dense || (!isBehind && before > fewToMove))) {
      this.#bits = bitsOf(this.#list, before);
      this.#list = null;
    }
    if (this.#list !== null && this.#list.length < before + end - start)
      this.#list = enlarged(this.#list, before + end - start);
    for (let at = start; at < end; at++) this.add(numbers[at]! & 0xffff);
    return this.#count - before;
  }

  /** False when it was not there. */
  remove(number: number): boolean {
    if (this.#bits !== null) {
      if (!has(this.#bits, number)) return false;
      this.#bits[number >>> 5]! &= ~(1 << (number & 31));
    } else {
      const at = this.#place(number);
      if (at === this.#count || this.#list![at] !== number) return false;
      this.#list!.copyWithin(at, at + 1, this.#count);
    }
    this.#count--;
    return true;
  }

  /** As it is now; changes with it until the next `add` or `remove`. */
  view(): Container {
    return this.#bits ?? this.#list!.subarray(0, this.#count);
  }

  /** The final numbers in the smaller form, without spare memory. The set must not change afterwards. */
  freeze(): Container {
    if (this.#bits !== null) return this.#count < dense ? listOf(this.#bits, this.#count) : this.#bits;
    return this.#count === this.#list!.length ? this.#list! : this.#list!.slice(0, this.#count);
  }

  #addBit(bits: Int32Array, number: number): boolean {
    if (has(bits, number)) return false;
    bits[number >>> 5]! |= 1 << (number & 31);
    this.#count++;
    return true;
  }

  #place(number: number): number {
    return lowerBound(this.#list!, this.#count, number);
  }
}

const fewToMove = 256;

function enlarged(list: Uint16Array, length: number): Uint16Array {
  const grown = new Uint16Array(length);
  grown.set(list);
  return grown;
}

// Separate loops instead of one with a function for the operation: 2 µs instead of 20.
function commonBits(a: Int32Array, b: Int32Array, room: Room): Container {
  for (let i = 0; i < words; i++) room[i] = a[i]! & b[i]!;
  return room;
}

function otherBits(a: Int32Array, b: Int32Array, room: Room): Container {
  for (let i = 0; i < words; i++) room[i] = a[i]! & ~b[i]!;
  return room;
}

function withoutList(bits: Int32Array, list: Uint16Array, room: Room): Int32Array {
  if (room !== bits) room.set(bits);
  for (let i = 0; i < list.length; i++) {
    const number = list[i]!;
    room[number >>> 5] = room[number >>> 5]! & ~(1 << (number & 31));
  }
  return room;
}

function filtered(list: Uint16Array, bits: Int32Array, wanted: boolean): Uint16Array {
  const kept = new Uint16Array(list.length);
  let count = 0;
  const flip = wanted ? 0 : 1;
  for (let i = 0; i < list.length; i++) {
    const number = list[i]!;
    kept[count] = number; // overwritten by the next one unless it is counted
    count += ((bits[number >>> 5]! >>> (number & 31)) & 1) ^ flip;
  }
  return kept.subarray(0, count);
}

function countIn(list: Uint16Array, bits: Int32Array): number {
  let count = 0;
  for (let i = 0; i < list.length; i++) count += (bits[list[i]! >>> 5]! >>> (list[i]! & 31)) & 1;
  return count;
}

function intersection(a: Uint16Array, b: Uint16Array): Uint16Array {
  const [small, large] = a.length < b.length ? [a, b] : [b, a];
  const kept = new Uint16Array(small.length);
  let count = 0;
  let at = 0;
  for (let i = 0; i < small.length; i++) {
    const number = small[i]!;
    while (at < large.length && large[at]! < number) at++;
    if (at < large.length && large[at] === number) kept[count++] = number;
  }
  return kept.subarray(0, count);
}

function difference(a: Uint16Array, b: Uint16Array): Uint16Array {
  const kept = new Uint16Array(a.length);
  let count = 0;
  let at = 0;
  for (let i = 0; i < a.length; i++) {
    const number = a[i]!;
    while (at < b.length && b[at]! < number) at++;
    if (at === b.length || b[at] !== number) kept[count++] = number;
  }
  return kept.subarray(0, count);
}

function listOf(bits: Int32Array, count: number): Uint16Array {
  const list = new Uint16Array(count);
  let at = 0;
  for (let i = 0; i < words; i++)
    for (let word = bits[i]!; word !== 0; word &= word - 1) list[at++] = i * 32 + 31 - Math.clz32(word & -word);
  return list;
}

function bitsOf(list: Uint16Array, count: number): Int32Array {
  const bits = new Int32Array(words);
  addList(bits, list, count);
  return bits;
}

function addBits(bits: Int32Array, more: Int32Array): void {
  for (let i = 0; i < words; i++) bits[i] = bits[i]! | more[i]!;
}

function addList(bits: Int32Array, list: Uint16Array, count = list.length): void {
  for (let i = 0; i < count; i++) {
    const number = list[i]!;
    bits[number >>> 5] = bits[number >>> 5]! | (1 << (number & 31));
  }
}

/** Among the first `count` numbers of the list. */
function lowerBound(list: Uint16Array, count: number, number: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bitCount(bits: Int32Array): number {
  let count = 0;
  for (let i = 0; i < words; i++) count += popCount(bits[i]!);
  return count;
}

/** Set bits of a word (Hacker's Delight, 2nd edition, figure 5-2). */
function popCount(word: number): number {
  let sum = word - ((word >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
