/** A map that retains the latest entries: beyond `limit`, the oldest one is dropped. */
export class RecentMap<K, V> {
  readonly #limit: number;
  readonly #entries = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const first = this.#entries.keys().next();
    if (!first.done) this.#entries.delete(first.value);
  }

  /** Returns whether there was one. */
  delete(key: K): boolean {
    return this.#entries.delete(key);
  }
}
