import { freeMemory } from "../concurrency/garbage.ts";
import { enlarged, type Entries } from "./key-entries.ts";
import { hashOfKey } from "./key-hash.ts";

const startCapacity = 256;
/** From this size on it grows in steps: a flush has slightly more keys than a power of two, and the memory is kept. */
const largeCapacity = 2 ** 16;

/** Entries in the order in which they were added, in flat memory. */
export class KeyList {
  keys = new Float64Array(startCapacity);
  numbers = new Uint32Array(startCapacity);
  size = 0;

  get capacity(): number {
    return this.keys.length;
  }

  add(key: number, number: number): void {
    if (this.size === this.keys.length) this.#grow();
    this.keys[this.size] = key;
    this.numbers[this.size++] = number;
  }

  each(take: (key: number, number: number) => void): void {
    for (let entry = 0; entry < this.size; entry++) take(this.keys[entry]!, this.numbers[entry]!);
  }

  /** A view of the current entries. */
  get entries(): Entries {
    return { keys: this.keys.subarray(0, this.size), numbers: this.numbers.subarray(0, this.size) };
  }

  clear(): void {
    this.size = 0;
  }

  #grow(): void {
    const length = this.size < largeCapacity ? this.size * 2 : this.size + largeCapacity / 4;
    this.keys = enlarged(this.keys, new Float64Array(length));
    this.numbers = enlarged(this.numbers, new Uint32Array(length));
  }
}

/**
 * A hash table in flat memory: a Map takes four times the space and is traversed by every garbage collection. Entries of a
 * key are chained, latest first. They cannot be removed, and adding a pair twice adds two entries.
 */
export class KeyChains {
  readonly entries = new KeyList();
  /** For each slot, the latest entry of a key + 1; 0 = free. */
  #heads = new Uint32Array(startCapacity * 2);
  #next = new Uint32Array(startCapacity);
  #distinct = 0;

  add(key: number, number: number): void {
    if (this.#distinct * 2 >= this.#heads.length) this.#widen();
    const slot = this.#slotOf(key);
    if (this.#heads[slot] === 0) this.#distinct++;
    this.entries.add(key, number);
    if (this.#next.length < this.entries.capacity)
      this.#next = enlarged(this.#next, new Uint32Array(this.entries.capacity));
    this.#next[this.entries.size - 1] = this.#heads[slot]!;
    this.#heads[slot] = this.entries.size;
  }

  has(key: number): boolean {
    return this.#heads[this.#slotOf(key)] !== 0;
  }

  /** Adds the numbers of a key to `found`, latest first, up to `most`. */
  find(key: number, found: number[], most: number): void {
    const { numbers } = this.entries;
    for (let at = this.#heads[this.#slotOf(key)]!; at !== 0 && found.length < most; at = this.#next[at - 1]!)
      noteNumber(found, numbers[at - 1]!, most);
  }

  each(key: number, take: (number: number) => void): void {
    const { numbers } = this.entries;
    for (let at = this.#heads[this.#slotOf(key)]!; at !== 0; at = this.#next[at - 1]!) take(numbers[at - 1]!);
  }

  clear(): void {
    this.#heads.fill(0);
    this.#distinct = 0;
    this.entries.clear();
  }

  /** The slot of the key, or the free slot where it belongs. */
  #slotOf(key: number): number {
    const heads = this.#heads;
    const { keys } = this.entries;
    const mask = heads.length - 1;
    let slot = hashOfKey(key) & mask;
    for (let head = 0; (head = heads[slot]!) !== 0; slot = (slot + 1) & mask) if (keys[head - 1] === key) return slot;
    return slot;
  }

  #widen(): void {
    const before = this.#heads;
    this.#heads = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at++) {
      const head = before[at]!;
      if (head !== 0) this.#heads[this.#slotOf(this.entries.keys[head - 1]!)] = head;
    }
    freeMemory([before]);
  }
}

/** If not all numbers are wanted, adds each only once: a duplicate must not take the place of another number. */
export function noteNumber(found: number[], number: number, most: number): void {
  if (most === Number.POSITIVE_INFINITY || !found.includes(number)) found.push(number);
}
