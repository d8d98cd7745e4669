/**
 * An AbortController that is made when somebody looks at its signal: most jobs have ended before, and making one costs
 * as much as a small query.
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
