const startCapacity = 4096;
/** From here on it grows in steps: to double 6 MB that one entry is missing in would be a waste. */
const largeCapacity = 2 ** 18;

/**
 * Keys and their numbers, as a hash table in flat memory: a Map of as many takes four times the space, and all of it is
 * walked by each garbage collection. Entries of one key are chained, the latest first.
 */
export class PendingKeys {
  /** Entry + 1 of the latest with a key; 0 = free. */
  #heads = new Uint32Array(startCapacity * 2);
  #keys = new Float64Array(startCapacity);
  #numbers = new Uint32Array(startCapacity);
  #next = new Uint32Array(startCapacity);
  #distinct = 0;
  size = 0;

  add(key: number, number: number): void {
    if (this.size === this.#keys.length) this.#grow();
    if (this.#distinct * 2 >= this.#heads.length) this.#widen();
    const slot = this.#slotOf(key);
    if (this.#heads[slot] === 0) this.#distinct++;
    const entry = this.size++;
    this.#keys[entry] = key;
    this.#numbers[entry] = number;
    this.#next[entry] = this.#heads[slot]!;
    this.#heads[slot] = entry + 1;
  }

  /** Adds the numbers of a key to `found`, until that has `most`. */
  find(key: number, found: number[], most: number): void {
    for (let at = this.#heads[this.#slotOf(key)]!; at !== 0 && found.length < most; at = this.#next[at - 1]!)
      noteNumber(found, this.#numbers[at - 1]!, most);
  }

  /** All entries, by key. */
  sorted(): { keys: Float64Array; numbers: Uint32Array } {
    const keys = this.#keys.slice(0, this.size).sort();
    const numbers = new Uint32Array(this.size);
    for (let at = 0; at < keys.length;)
      for (let entry = this.#heads[this.#slotOf(keys[at]!)]!; entry !== 0; entry = this.#next[entry - 1]!)
        numbers[at++] = this.#numbers[entry - 1]!;
    return { keys, numbers };
  }

  /** Keeps its memory for the next ones. */
  clear(): void {
    this.#heads.fill(0);
    this.#distinct = 0;
    this.size = 0;
  }

  copyTo(other: PendingKeys): void {
    for (let entry = 0; entry < this.size; entry++) other.add(this.#keys[entry]!, this.#numbers[entry]!);
  }

  /** The slot with the key, or the free one where it belongs. */
  #slotOf(key: number): number {
    const mask = this.#heads.length - 1;
    let slot = (key % 2147483647) & mask;
    for (; this.#heads[slot] !== 0; slot = (slot + 1) & mask)
      if (this.#keys[this.#heads[slot]! - 1] === key) return slot;
    return slot;
  }

  #grow(): void {
    const length = this.size < largeCapacity ? this.size * 2 : this.size + largeCapacity / 4;
    this.#keys = enlarged(this.#keys, new Float64Array(length));
    this.#numbers = enlarged(this.#numbers, new Uint32Array(length));
    this.#next = enlarged(this.#next, new Uint32Array(length));
  }

  #widen(): void {
    const before = this.#heads;
    this.#heads = new Uint32Array(before.length * 2);
    for (const head of before) if (head !== 0) this.#heads[this.#slotOf(this.#keys[head - 1]!)] = head;
  }
}

/** Once, where not all are wanted: a number that is there twice must not take another's place. */
export function noteNumber(found: number[], number: number, most: number): void {
  if (most === Number.POSITIVE_INFINITY || !found.includes(number)) found.push(number);
}

function enlarged<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
