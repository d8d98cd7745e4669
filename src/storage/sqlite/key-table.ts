const initialSlots = 1024;
/** Beyond, a table of twice the size takes over: walks to a free slot get long. */
const fullest = 0.75;
const removed = -1;

/**
 * Rows by the 53-bit hashes of what they are found by, in flat memory: a Map takes twice as much, leaves its outgrown
 * parts as garbage, and is walked through by every collection. An open-addressing hash table; nearly every key has only
 * one row, and further ones stand in slots of their own.
 */
export class KeyTable {
  #keys = new Float64Array(initialSlots);
  /** Beside each key its row's number and one; 0 where the slot is free. */
  #rows = new Float64Array(initialSlots);
  #size = 0;

  /** How many entries were added since the table was empty. */
  get size(): number {
    return this.#size;
  }

  /** Once, however often it is added: a write unit that is undone with its batch runs again. */
  add(key: number, row: number): void {
    if (this.#size >= fullest * this.#keys.length) this.#grow();
    let slot = this.#firstSlot(key);
    for (; this.#rows[slot] !== 0; slot = this.#nextSlot(slot))
      if (this.#keys[slot] === key && this.#rows[slot] === row + 1) return;
    this.#keys[slot] = key;
    this.#rows[slot] = row + 1;
    this.#size++;
  }

  has(key: number): boolean {
    for (let slot = this.#firstSlot(key); this.#rows[slot] !== 0; slot = this.#nextSlot(slot))
      if (this.#keys[slot] === key && this.#rows[slot] !== removed) return true;
    return false;
  }

  /** Puts the rows of this key behind those that were found elsewhere, and answers them all. */
  find(key: number, found: number[]): number[] {
    for (let slot = this.#firstSlot(key); this.#rows[slot] !== 0; slot = this.#nextSlot(slot))
      if (this.#keys[slot] === key && this.#rows[slot] !== removed) found.push(this.#rows[slot]! - 1);
    return found;
  }

  remove(key: number, row: number): void {
    for (let slot = this.#firstSlot(key); this.#rows[slot] !== 0; slot = this.#nextSlot(slot))
      if (this.#keys[slot] === key && this.#rows[slot] === row + 1) this.#rows[slot] = removed;
  }

  /** The keys of all entries in ascending order. */
  sortedKeys(): Float64Array {
    const keys = new Float64Array(this.#size);
    let count = 0;
    this.eachKey((key) => (keys[count++] = key));
    return keys.subarray(0, count).sort();
  }

  /** In no order, and once for each row. */
  eachKey(visit: (key: number) => void): void {
    for (let slot = 0; slot < this.#keys.length; slot++) if (this.#rows[slot]! > 0) visit(this.#keys[slot]!);
  }

  /** Keeps its memory: the next entries will be as many. */
  clear(): void {
    this.#rows.fill(0);
    this.#size = 0;
  }

  #grow(): void {
    const [keys, rows] = [this.#keys, this.#rows];
    this.#keys = new Float64Array(keys.length * 2);
    this.#rows = new Float64Array(keys.length * 2);
    this.#size = 0;
    for (let slot = 0; slot < keys.length; slot++) if (rows[slot]! > 0) this.add(keys[slot]!, rows[slot]! - 1);
  }

  // The number of slots is a power of two.
  #firstSlot(key: number): number {
    return key & (this.#keys.length - 1);
  }

  #nextSlot(slot: number): number {
    return (slot + 1) & (this.#keys.length - 1);
  }
}
