import type { CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { formatCount } from "./progress.ts";

/** More leads are deleted only by those who say how many they expect, as in the API. */
const mostUnconfirmed = 100;

/**
 * Lets a person type the number of leads before more than 100 are deleted; a script needs --yes. Throws a
 * `CommandError` if they do not confirm.
 */
export async function confirmDeletion(context: CommandContext, count: number, yes: boolean): Promise<void> {
  if (yes || count <= mostUnconfirmed) return;
  const typed = context.json
    ? null
    : await context.terminal.ask(
        `This deletes ${formatCount(count)} leads permanently. Type ${count} to confirm, or nothing to cancel: `,
      );
  if (typed === null)
    throw new CommandError(exitCodes.usage, `This would delete ${formatCount(count)} leads. Nothing was deleted.`, {
      hint: `To delete more than ${mostUnconfirmed} leads, add --yes.`,
    });
  if (typed.replaceAll(/[,. ']/g, "") !== String(count))
    throw new CommandError(exitCodes.failed, "Not confirmed. Nothing was deleted.");
}
