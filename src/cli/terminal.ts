import { isatty } from "node:tty";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** Where a command's words go: answers to standard output, everything about the way there to standard error. */
export type Terminal = {
  /** Writes exactly these bytes or characters; resolves when the reader took them, so that a slow reader slows us down. */
  out(chunk: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Whether a person watches standard error, so that a line may be drawn again and again. */
  readonly isInteractive: boolean;
  /** Whether standard output is a screen. */
  readonly showsOutput: boolean;
  readonly columns: number;
};

export const systemTerminal: Terminal = {
  out: (chunk) =>
    new Promise((resolve, reject) => {
      process.stdout.write(chunk, (error) => (error ? reject(outputError(error)) : resolve()));
    }),
  err: (text) => void process.stderr.write(text),
  isInteractive: isatty(2) && process.env["TERM"] !== "dumb",
  showsOutput: isatty(1),
  // Asked each time, because windows change; 0 is what a terminal without a known size says.
  get columns() {
    return process.stderr.columns || process.stdout.columns || 80;
  },
};

/** A reader that has gone away is passed on as it is: its command has done its work. */
function outputError(cause: Error): Error {
  if ("code" in cause && cause.code === "EPIPE") return cause;
  return new CommandError(exitCodes.failed, `Could not write to standard output: ${reasonOf(cause)}`, { cause });
}
