/** Hands values from one side to the other, one at a time: who puts waits until what it put was taken. */
export class Channel<T> {
  #value: { put: T } | null = null;
  #end: { error: Error | null } | null = null;
  #wake = (): void => {};
  #release = (): void => {};

  /** Resolves when the value was taken, or nobody will ever take it. */
  async put(value: T): Promise<void> {
    if (this.#end !== null) return;
    this.#value = { put: value };
    this.#wake();
    await new Promise<void>((resolve) => {
      this.#release = resolve;
    });
  }

  /** No more will come; what was put is still to be taken. Only the first end counts. */
  close(error: Error | null = null): void {
    this.#end ??= { error };
    this.#wake();
    this.#release();
  }

  /** The next value; null at the end. Throws the error that the channel was closed with. For one reader. */
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
