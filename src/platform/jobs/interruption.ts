/**
 * An AbortController that is created when its signal is first used. Most jobs end before that, and creating one costs as
 * much as a small query.
 */
export class Interruption {
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  get isAborted(): boolean {
    return this.#reason !== null;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== null) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
