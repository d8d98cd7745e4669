import { write } from "node:fs";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** Output of a command: results go to standard output, progress and notices to standard error. */
export type Terminal = {
  /**
   * Writes exactly these bytes or characters. Resolves once the reader has taken them, so a slow reader slows us down.
   */
  out(chunk: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Shows a question on standard error and returns the line that a person types; null without a person to ask. */
  ask(question: string): Promise<string | null>;
  /** Whether standard error is a terminal, on which a line can be redrawn. */
  readonly isInteractive: boolean;
  /** Whether standard output is a terminal. */
  readonly showsOutput: boolean;
  readonly columns: number;
};

// Node's API for this loads its streams, which takes 10 ms of every command, and most commands write one result.
export const systemTerminal: Terminal = {
  out: (chunk) => writeOut(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
  err: (text) => void process.stderr.write(text),
  ask: askPerson,
  get isInteractive() {
    return process.env["TERM"] !== "dumb" && isScreen(standardError);
  },
  get showsOutput() {
    return isScreen(standardOutput);
  },
  // Read each time, because windows are resized. A terminal of unknown size reports 0.
  get columns() {
    return process.stderr.columns || process.stdout.columns || 80;
  },
};

const standardInput = 0;
const standardOutput = 1;
const standardError = 2;

function isScreen(descriptor: number): boolean {
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

async function askPerson(question: string): Promise<string | null> {
  if (!isScreen(standardInput) || !isScreen(standardError)) return null;
  const { createInterface } = process.getBuiltinModule("node:readline");
  process.stderr.write(question);
  // The terminal itself echoes and edits the line, so that Ctrl-C ends the program as usual.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    return null;
  } finally {
    lines.close();
    process.stdin.pause();
  }
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

/** For a full pipe in non-blocking mode: a stream retries when there is room. */
function streamOut(bytes: Uint8Array): Promise<void> {
  // Each write reports its own failure. Without a listener, it would also be an uncaught exception.
  stream ??= process.stdout.on("error", () => {});
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.write(bytes, (error) => (error ? reject(outputError(error)) : resolve()));
  return promise;
}

let stream: NodeJS.WriteStream | null = null;

/** A closed reader is passed on unchanged: the command has done its work. */
function outputError(cause: Error): Error {
  if ("code" in cause && cause.code === "EPIPE") return cause;
  return new CommandError(exitCodes.failed, `Could not write to standard output: ${reasonOf(cause)}`, { cause });
}
