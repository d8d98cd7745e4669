/** How the program ends; scripts rely on these numbers. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  partial: 4,
  // 128 + SIGINT, as shells report a program that was interrupted.
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

/** Why a command can't do its work, in words for the person in front of it; printed without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** Single problems, when there are several. */
  readonly problems: readonly string[];
  /** The API's error code, when the API refused. */
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
