import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** The text of a file; `-` is standard input. */
export async function readInputText(path: string): Promise<string> {
  try {
    return await (path === "-" ? Bun.stdin : Bun.file(path)).text();
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `Could not read ${path}: ${reasonOf(cause)}`, { cause });
  }
}
