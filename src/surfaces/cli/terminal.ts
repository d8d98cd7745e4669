import { write } from "node:fs";
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

// What Node offers for this brings its streams along: 10 ms of every command, where most write one answer.
export const systemTerminal: Terminal = {
  out: (chunk) => writeOut(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
  err: (text) => void process.stderr.write(text),
  get isInteractive() {
    return process.env["TERM"] !== "dumb" && isScreen(standardError);
  },
  get showsOutput() {
    return isScreen(standardOutput);
  },
  // Asked each time, because windows change; 0 is what a terminal without a known size says.
  get columns() {
    return process.stderr.columns || process.stdout.columns || 80;
  },
};

const standardOutput = 1;
const standardError = 2;

function isScreen(descriptor: number): boolean {
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

function writeOut(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    write(standardOutput, bytes, (error, written) => {
      if (error?.code === "EAGAIN") resolve(streamOut(bytes));
      else if (error) reject(outputError(error));
      else resolve(written < bytes.length ? writeOut(bytes.subarray(written)) : undefined);
    });
  });
}

/** To a full pipe whose maker wanted nobody to wait at it: a stream comes again when there is room. */
function streamOut(bytes: Uint8Array): Promise<void> {
  // Each write hears of its own failure; without a listener it would also be an uncaught exception.
  stream ??= process.stdout.on("error", () => {});
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.write(bytes, (error) => (error ? reject(outputError(error)) : resolve()));
  return promise;
}

let stream: NodeJS.WriteStream | null = null;

/** A reader that has gone away is passed on as it is: its command has done its work. */
function outputError(cause: Error): Error {
  if ("code" in cause && cause.code === "EPIPE") return cause;
  return new CommandError(exitCodes.failed, `Could not write to standard output: ${reasonOf(cause)}`, { cause });
}
