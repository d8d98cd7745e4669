/** Passes values from a producer to a consumer, one at a time. The producer waits until each value was taken. */
export class Channel<T> {
  #value: { put: T } | null = null;
  #end: { error: Error | null } | null = null;
  #wake = (): void => {};
  #release = (): void => {};

  /** Resolves when the value was taken, or never will be. */
  async put(value: T): Promise<void> {
    if (this.#end !== null) return;
    this.#value = { put: value };
    this.#wake();
    await new Promise<void>((resolve) => {
      this.#release = resolve;
    });
  }

  /** Ends the channel. A pending value can still be taken. Only the first call counts. */
  close(error: Error | null = null): void {
    this.#end ??= { error };
    this.#wake();
    this.#release();
  }

  /**
   * Returns the next value; null at the end. Throws the error that the channel was closed with. For a single reader.
   */
  async take(): Promise<T | null> {
    if (this.#value === null && this.#end === null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const value = this.#value;
    if (value !== null) {
      this.#value = null;
      this.#release();
      return value.put;
    }
    if (this.#end?.error) throw this.#end.error;
    return null;
  }
}
