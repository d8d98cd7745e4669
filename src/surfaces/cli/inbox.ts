import { Option, type Command } from "commander";
import { labels, type ConversationView, type MessageView } from "../../features/inbox/model.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ListFlags = UserFlags & { unread?: boolean; mine?: boolean; label?: string; search?: string; limit: number };
type List = { conversations: ConversationView[]; total: number };
type Thread = { messages: MessageView[] };

export function addInboxCommands(program: Command, context: CommandContext): void {
  const inbox = program.command("inbox").description("Read and answer what people write.");
  const list = inbox
    .command("list")
    .description("List conversations, latest message first.")
    .option("--unread", "Only conversations with unread messages.")
    .option("--mine", "Only conversations that are assigned to the user.")
    .addOption(new Option("--label <LABEL>", "Only conversations with this label.").choices(labels))
    .option("--search <TEXT>", "Words in messages or names.")
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

  const reply = inbox
    .command("reply <CONVERSATION_ID> <TEXT>")
    .description("Send a reply. It goes before the other actions of the account.");
  addConnectionFlags(addUserFlag(reply)).action((id: string, message: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const path = `/inbox/conversations/${encodeURIComponent(id)}/reply`;
      const sent = await api.post<{ message: MessageView; isNew: boolean }>(path, { message, userId });
      await present(context, sent, replyText(sent));
    }),
  );

  const label = inbox
    .command("label <CONVERSATION_ID> <LABEL>")
    .description(
      `Label a conversation: ${labels.join(", ")}, or none. doNotContact also adds the person to the do-not-contact list.`,
    );
  addConnectionFlags(addUserFlag(label)).action((id: string, chosen: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const path = `/inbox/conversations/${encodeURIComponent(id)}`;
      const change = { label: chosen === "none" ? null : chosen, userId };
      const changed = await api.patch<ConversationView>(path, change);
      await present(context, changed, `${nameOf(changed)}: ${changed.label ?? "no label"}`);
    }),
  );
}

function listConversations(context: CommandContext, flags: ListFlags): Promise<void> {
  const { unread, mine, label, search, limit } = flags;
  return forUser(context, flags, async (api, userId) => {
    const query = {
      ...{ limit, userId, label, q: search },
      ...(unread === true && { unread: "true" }),
      ...(mine === true && { assignedTo: "me" }),
    };
    const found = await api.get<List>("/inbox/conversations", query);
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
    const thread = await api.get<Thread>(`${path}/messages`, { userId, limit: flags.limit });
    const latest = thread.messages.find(({ direction }) => direction === "incoming");
    if (latest !== undefined && conversation.unread > 0 && flags.keepUnread !== true)
      await api.patch(path, { isRead: true, readTo: latest.id, userId });
    await present(context, { conversation, ...thread }, threadText(conversation, thread));
  });
}

function nameOf({ personName, profileUrl }: ConversationView): string {
  return personName ?? profileUrl;
}

const timeOf = (at: string): string => at.slice(0, 16).replace("T", " ");

function listText({ conversations, total }: List): string {
  if (conversations.length === 0) return "No conversations.";
  const rows = conversations.map((each) => [
    timeOf(each.lastMessage.at),
    each.unread > 0 ? `${each.unread}` : "",
    nameOf(each),
    each.label ?? "",
    oneLine(each.lastMessage.text ?? ""),
    each.id,
  ]);
  const table = renderTable(["TIME (UTC)", "UNREAD", "PERSON", "LABEL", "LAST MESSAGE", "ID"], rows);
  return total > conversations.length ? `${table}\n\n${conversations.length} of ${total}.` : table;
}

function threadText(conversation: ConversationView, { messages }: Thread): string {
  const lines = messages.toReversed().map((message) => {
    const { direction, state, text, at, createdAt, status } = message;
    const author = direction === "incoming" ? nameOf(conversation) : "You";
    const note = state === "sent" || state === "received" ? "" : ` (${state}${status === null ? "" : `: ${status}`})`;
    return `${timeOf(at ?? createdAt)}  ${author}${note}\n${text ?? "(text not available)"}`;
  });
  return [`${nameOf(conversation)}  ${conversation.profileUrl}`, ...lines].join("\n\n");
}

function replyText({
  message: { state, status, scheduledFor },
  isNew,
}: {
  message: MessageView;
  isNew: boolean;
}): string {
  const done = isNew ? "Reply" : "The same reply was already";
  const when = scheduledFor === null ? "" : ` for ${timeOf(scheduledFor)} UTC`;
  return `${done} ${state}${when}.${status === null ? "" : ` ${status}.`}`;
}

/** Terminals break long lines, which tears a table apart. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
