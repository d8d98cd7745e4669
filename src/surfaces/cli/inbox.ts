import { Option, type Command } from "commander";
import { labels, type ConversationView, type MessageView } from "../../features/inbox/model.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { addInboxChanges } from "./inbox-changes.ts";
import { accountIdOf, assigneeOf } from "./inbox-names.ts";
import { addInboxReply } from "./inbox-reply.ts";
import { addInboxSnippets } from "./inbox-snippets.ts";
import { listText, threadText } from "./inbox-text.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ListFlags = UserFlags & {
  unread?: boolean;
  snoozed?: boolean;
  mine?: boolean;
  assigned?: string;
  label?: string;
  account?: string;
  search?: string;
  limit: number;
};

export function addInboxCommands(program: Command, context: CommandContext): void {
  const inbox = program.command("inbox").description("Read and answer what people write.");
  const list = inbox
    .command("list")
    .description("List conversations, latest message first.")
    .option("--unread", "Only conversations with unread messages.")
    .option("--snoozed", "Only conversations that are snoozed.")
    .addOption(new Option("--mine", "Only conversations that are assigned to the user.").conflicts("assigned"))
    .option("--assigned <EMAIL|ID>", "Only conversations of this member; me, or none for unassigned ones.")
    .addOption(new Option("--label <LABEL>", "Only conversations with this label.").choices(labels))
    .option("--account <NAME|ID>", "Only conversations of this network account.")
    .option("--search <TEXT>", "Words in messages, names, or the beginning of a handle.")
    .option("--limit <NUMBER>", "Number of conversations.", wholeNumberFlag(1, 100), 25);
  addConnectionFlags(addUserFlag(list)).action((flags: ListFlags) => listConversations(context, flags));

  const show = inbox
    .command("show <CONVERSATION_ID>")
    .description("Show the messages of a conversation, oldest first, and mark them as read.")
    .option("--limit <NUMBER>", "Number of messages.", wholeNumberFlag(1, 100), 25)
    .option("--keep-unread", "Do not mark them as read.");
  addConnectionFlags(addUserFlag(show)).action(
    (id: string, flags: UserFlags & { limit: number; keepUnread?: boolean }) => showThread(context, id, flags),
  );

  addInboxReply(inbox, context);
  addInboxChanges(inbox, context);
  addInboxSnippets(inbox, context);
}

function listConversations(context: CommandContext, flags: ListFlags): Promise<void> {
  const { unread, snoozed, mine, assigned, label, account, search, limit } = flags;
  return forUser(context, flags, async (api, userId) => {
    const query = {
      ...{ limit, userId, label, q: search },
      ...(unread === true && { unread: "true" }),
      ...(snoozed === true && { snoozed: "only" }),
      ...(mine === true && { assignedTo: "me" }),
      ...(assigned !== undefined && { assignedTo: (await assigneeOf(api, assigned, userId)) ?? "none" }),
      ...(account !== undefined && { accountId: await accountIdOf(api, account, userId) }),
    };
    const found = await api.get<{ conversations: ConversationView[]; total: number }>("/inbox/conversations", query);
    await present(context, found, listText(found));
  });
}

function showThread(
  context: CommandContext,
  id: string,
  flags: UserFlags & { limit: number; keepUnread?: boolean },
): Promise<void> {
  return forUser(context, flags, async (api, userId) => {
    const path = `/inbox/conversations/${encodeURIComponent(id)}`;
    const conversation = await api.get<ConversationView>(path, { userId });
    const thread = await api.get<{ messages: MessageView[] }>(`${path}/messages`, { userId, limit: flags.limit });
    const latest = thread.messages.find(({ direction }) => direction === "incoming");
    if (latest !== undefined && conversation.unread > 0 && flags.keepUnread !== true)
      await api.patch(path, { isRead: true, readTo: latest.id, userId });
    await present(context, { conversation, ...thread }, threadText(conversation, thread.messages));
  });
}
