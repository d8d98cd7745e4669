const initialSlots = 1024;
/** Beyond, a table of twice the size takes over: walks to a free slot get long. */
const fullest = 0.75;
const removed = -1;
/** The key has several rows, which are kept in a set of their own. */
const several = -2;

/**
 * Rows by the 53-bit hashes of what they are found by, in flat memory: a Map takes twice as much, leaves its outgrown
 * parts as garbage, and is walked through by every collection. An open-addressing hash table with one slot per key.
 * Nearly every key has only one row. The rows of a key that has more are in a set: in slots of their own they would be
 * walked through one by one, and a person who is stored 100,000 times would make each of these take longer.
 */
export class KeyTable {
  #keys = new Float64Array(initialSlots);
  /** Beside each key its row's number and one, `removed` or `several`; 0 where the slot is free. */
  #rows = new Float64Array(initialSlots);
  #usedSlots = 0;
  readonly #rowsOf = new Map<number, Set<number>>();
  #size = 0;

  /** How many entries were added since the table was empty. */
  get size(): number {
    return this.#size;
  }

  /** Once, however often it is added: a write unit that is undone with its batch runs again. */
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

  /** Whether it was added with this row, and not removed. */
  hasRow(key: number, row: number): boolean {
    const known = this.#rows[this.#slotOf(key)]!;
    return known === several ? this.#rowsOf.get(key)!.has(row) : known === row + 1;
  }

  /** Puts the rows of this key behind those that were found elsewhere, and answers them all. */
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

  /** The keys that have rows, in ascending order, each once. */
  sortedKeys(): Float64Array {
    const keys = new Float64Array(this.#usedSlots);
    let count = 0;
    this.eachKey((key) => (keys[count++] = key));
    return keys.subarray(0, count).sort();
  }

  /** In no order, each key once. */
  eachKey(visit: (key: number) => void): void {
    for (let slot = 0; slot < this.#keys.length; slot++)
      if (this.#rows[slot]! > 0 || this.#rows[slot] === several) visit(this.#keys[slot]!);
  }

  /** Keeps its memory: the next entries will be as many. */
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

  /** Where the key is, or the free slot where it would be. The number of slots is a power of two. */
  #slotOf(key: number): number {
    const last = this.#keys.length - 1;
    let slot = key & last;
    while (this.#rows[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & last;
    return slot;
  }
}
