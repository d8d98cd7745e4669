const initialSlots = 1024;
/** A fuller table is replaced by one of twice the size, because probing gets slow. */
const fullest = 0.75;
const removed = -1;
/** The key has several rows, which are in a separate set. */
const several = -2;

/**
 * Rows by key, in flat memory: a Map takes twice as much, leaves garbage when it grows, and is traversed by every garbage
 * collection. An open-addressing hash table with one slot per key. Nearly every key has only one row. Further rows of a
 * key are in a set: in separate slots they would be probed one by one, so that a key with 100,000 rows would make each
 * of these insertions slower.
 */
export class KeyTable {
  #keys = new Float64Array(initialSlots);
  /** For each key its row + 1, `removed`, or `several`; 0 if the slot is free. */
  #rows = new Float64Array(initialSlots);
  #usedSlots = 0;
  readonly #rowsOf = new Map<number, Set<number>>();
  #size = 0;

  /** Number of entries added since the table was empty. */
  get size(): number {
    return this.#size;
  }

  /** Adding a pair again has no effect: a write unit that is rolled back with its batch runs again. */
  add(key: number, row: number): void {
    if (this.#usedSlots >= fullest * this.#keys.length) this.#grow();
    const slot = this.#slotOf(key);
    const known = this.#rows[slot]!;
    if (known === several) return this.#addFurther(this.#rowsOf.get(key)!, row);
    if (known === row + 1) return;
    if (known === 0) this.#usedSlots++;
    this.#size++;
    if (known > 0) {
      this.#rows[slot] = several;
      this.#rowsOf.set(key, new Set([known - 1, row]));
      return;
    }
    this.#keys[slot] = key;
    this.#rows[slot] = row + 1;
  }

  has(key: number): boolean {
    const known = this.#rows[this.#slotOf(key)]!;
    return known > 0 || known === several;
  }

  /** Whether the pair was added and not removed. */
  hasRow(key: number, row: number): boolean {
    const known = this.#rows[this.#slotOf(key)]!;
    return known === several ? this.#rowsOf.get(key)!.has(row) : known === row + 1;
  }

  /** Appends the rows of this key to `found`, and returns it. */
  find(key: number, found: number[]): number[] {
    const known = this.#rows[this.#slotOf(key)]!;
    if (known > 0) found.push(known - 1);
    else if (known === several) for (const row of this.#rowsOf.get(key)!) found.push(row);
    return found;
  }

  remove(key: number, row: number): void {
    const slot = this.#slotOf(key);
    if (this.#rows[slot] === row + 1) this.#rows[slot] = removed;
    if (this.#rows[slot] !== several) return;
    const rows = this.#rowsOf.get(key)!;
    rows.delete(row);
    if (rows.size > 0) return;
    this.#rowsOf.delete(key);
    this.#rows[slot] = removed;
  }

  /** The keys that have rows, ascending, each once. */
  sortedKeys(): Float64Array {
    const keys = new Float64Array(this.#usedSlots);
    let count = 0;
    this.eachKey((key) => (keys[count++] = key));
    return keys.subarray(0, count).sort();
  }

  /** Visits each key that has rows once, in no order. */
  eachKey(visit: (key: number) => void): void {
    for (let slot = 0; slot < this.#keys.length; slot++)
      if (this.#rows[slot]! > 0 || this.#rows[slot] === several) visit(this.#keys[slot]!);
  }

  /** Keeps its memory, because there will be as many entries again. */
  clear(): void {
    this.#rows.fill(0);
    this.#rowsOf.clear();
    this.#usedSlots = 0;
    this.#size = 0;
  }

  #addFurther(rows: Set<number>, row: number): void {
    const before = rows.size;
    rows.add(row);
    this.#size += rows.size - before;
  }

  #grow(): void {
    const [keys, rows] = [this.#keys, this.#rows];
    this.#keys = new Float64Array(keys.length * 2);
    this.#rows = new Float64Array(keys.length * 2);
    this.#usedSlots = 0;
    for (let slot = 0; slot < keys.length; slot++) {
      if (rows[slot] === 0 || rows[slot] === removed) continue;
      const place = this.#slotOf(keys[slot]!);
      this.#keys[place] = keys[slot]!;
      this.#rows[place] = rows[slot]!;
      this.#usedSlots++;
    }
  }

  /** The slot of the key, or the free slot where it belongs. The number of slots is a power of two. */
  #slotOf(key: number): number {
    const last = this.#keys.length - 1;
    let slot = key & last;
    while (this.#rows[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & last;
    return slot;
  }
}
