/** Exit codes of the program. Scripts rely on them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  partial: 4,
  // 128 + SIGINT, the code that shells report for an interrupted program.
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeHelp = `
Exit codes:
  0    done
  1    refused or failed
  2    wrong usage or configuration
  3    the server could not be reached
  4    done in part: an import had rows that failed
  130  interrupted`;

type CommandErrorOptions = { hint?: string; problems?: readonly string[]; code?: string; cause?: unknown };

/** Why a command failed, as a message for the user. Printed without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** The individual problems, if there are several. */
  readonly problems: readonly string[];
  /** The API's error code, if the API returned an error. */
  readonly code: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: CommandErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.hint = options.hint;
    this.problems = options.problems ?? [];
    this.code = options.code;
  }
}
