/** The server cannot start for a reason that the operator can fix. Shown as message and hint, without a stack trace. */
export class StartError extends Error {
  /** What to do about it, as a full sentence. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "StartError";
    this.hint = options.hint;
  }
}
