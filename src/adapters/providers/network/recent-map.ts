/** A map that keeps what was set last: beyond `limit` entries, the one that was set first makes room. */
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

  /** True when there was one. */
  delete(key: K): boolean {
    return this.#entries.delete(key);
  }
}
