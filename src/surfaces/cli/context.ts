import type { Backend } from "./connection.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** What a command runs in: the world around the program, and what the command line said for all commands alike. */
export type CommandContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly backend: Backend;
  readonly signals: Signals;
  /** Answers go out as JSON; set once the command line is parsed. */
  json: boolean;
  /** How the program ends if nothing is thrown. */
  exitCode: ExitCode;
};

/** SIGINT and SIGTERM. */
export type Signals = {
  /** Takes over both signals until the answer is called. */
  listen(onSignal: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** Ends the process at once, leaving everything as it is. */
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

/** Gives the answer of a command: `document` as one line of JSON with --json, else `text`. */
export async function present(context: CommandContext, document: unknown, text: string): Promise<void> {
  await context.terminal.out(`${context.json ? JSON.stringify(document) : text}\n`);
}

/** Tells a person something beside the answer; never part of what a script reads. */
export function remark(context: CommandContext, text: string): void {
  context.terminal.err(`${text}\n`);
}
