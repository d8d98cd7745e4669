import { actingUserId, type ChoosingFlag } from "./acting-user.ts";
import type { Api } from "./api.ts";
import { remark, type CommandContext } from "./context.ts";
import { withApi, type ConnectionFlags } from "./session.ts";

/** Runs a command with the API and the user to act as, which is undefined for a user's key. `flag` selects the user. */
export function forUser(
  context: CommandContext,
  flags: ConnectionFlags & { user?: string },
  command: (api: Api, userId: string | undefined) => Promise<void>,
  { flag, ...needs }: { flag?: ChoosingFlag; runsJobs?: boolean } = {},
): Promise<void> {
  return withApi(
    context,
    flags,
    async (api) => command(api, await actingUserId(api, flags.user, (text) => remark(context, text), flag)),
    needs,
  );
}
