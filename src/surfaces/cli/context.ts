import type { Backend } from "./connection.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { launchersOf, readProcess, watchProcesses } from "./launcher.ts";
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

const standardInput = 0;

/** SIGINT and SIGTERM. */
export type Signals = {
  /** Handles both signals until the returned function is called. */
  listen(onSignal: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /**
   * Calls `onHangUp` if the terminal is closed or the process that started this program from source (npx, `bun run`)
   * ends, until the returned function is called.
   */
  listenForHangUp(onHangUp: () => void): () => void;
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
  listenForHangUp(onHangUp) {
    // Without a terminal, SIGHUP keeps its meaning: nohup ignores it, for example.
    const hasTerminal = process.getBuiltinModule("node:tty").isatty(standardInput);
    if (hasTerminal) process.on("SIGHUP", onHangUp);
    const launchers = process.env["npm_lifecycle_event"] === undefined ? [] : launchersOf(process.ppid, readProcess);
    const stopWatching = watchProcesses(launchers, readProcess, onHangUp);
    return () => {
      process.off("SIGHUP", onHangUp);
      stopWatching();
    };
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
