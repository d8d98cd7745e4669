import type { Backend } from "./connection.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** What a command runs in: the environment of the program, and the global flags. */
export type CommandContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly backend: Backend;
  readonly signals: Signals;
  /** Whether to print JSON; set once the command line is parsed. */
  json: boolean;
  /** Exit code if nothing is thrown. */
  exitCode: ExitCode;
};

/** SIGINT and SIGTERM. */
export type Signals = {
  /** Handles both signals until the returned function is called. */
  listen(onSignal: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /** Monotonic clock in milliseconds. */
  now(): number;
  /** Ends the process immediately, without cleanup. */
  exit(code: number): void;
};

export const systemSignals: Signals = {
  listen(onSignal) {
    const onInterrupt = () => onSignal("SIGINT");
    const onTerminate = () => onSignal("SIGTERM");
    process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate);
    return () => process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate);
  },
  now: () => performance.now(),
  exit: (code) => process.exit(code),
};

export function createContext(world: Pick<CommandContext, "env" | "terminal" | "backend" | "signals">): CommandContext {
  return { ...world, json: false, exitCode: exitCodes.ok };
}

/** Prints the result of a command: `document` as one line of JSON with --json, otherwise `text`. */
export async function present(context: CommandContext, document: unknown, text: string): Promise<void> {
  await context.terminal.out(`${context.json ? JSON.stringify(document) : text}\n`);
}

/** Prints a notice for people; never part of what a script reads. */
export function remark(context: CommandContext, text: string): void {
  context.terminal.err(`${text}\n`);
}
