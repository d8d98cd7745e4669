/** Transactions, known by their connections, that append events. */
const appending = new WeakSet<object>();

export function noteNewEvents(connection: object): void {
  appending.add(connection);
}

export function hasNewEvents(connection: object): boolean {
  return appending.has(connection);
}

/** Tells listeners in this process that events were committed. */
export class EventSignal {
  readonly #listeners = new Set<() => void>();

  announce(): void {
    for (const notify of this.#listeners) notify();
  }

  /** The returned function unsubscribes. */
  onNew(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
