import { type Command } from "commander";
import type { MessageView } from "../../features/inbox/model.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { snippetOf } from "./inbox-names.ts";
import { replyText } from "./inbox-text.ts";
import type { ConnectionFlags } from "./session.ts";

type ReplyFlags = ConnectionFlags & { user?: string; snippet?: string; voice?: string };

/** `inbox reply`: a text or a snippet, also spoken. */
export function addInboxReply(inbox: Command, context: CommandContext): void {
  const reply = inbox
    .command("reply <CONVERSATION_ID> [TEXT]")
    .description("Send a reply. It goes before the other actions of the account.")
    .option("--snippet <NAME|ID>", "Send this snippet instead of a text.")
    .option("--voice <VOICE_ID>", "Send a voice message, spoken by this voice clone.");
  addConnectionFlags(addUserFlag(reply)).action((id: string, message: string | undefined, flags: ReplyFlags) => {
    const { snippet, voice: voiceId } = flags;
    if ((message === undefined) === (snippet === undefined))
      throw new CommandError(exitCodes.usage, "Expected either a text or --snippet.");
    return forUser(context, flags, async (api, userId) => {
      const path = `/inbox/conversations/${encodeURIComponent(id)}/reply`;
      const snippetId = snippet === undefined ? undefined : (await snippetOf(api, snippet, userId)).id;
      const sent = await api.post<{ message: MessageView; isNew: boolean }>(path, {
        ...{ message, snippetId, voiceId, userId },
      });
      await present(context, sent, replyText(sent));
    });
  });
}
