import type { ConversationView, MessageView, SnippetView } from "../../features/inbox/model.ts";
import { renderTable } from "./table.ts";

export function nameOf({ personName, profileUrl }: ConversationView): string {
  return personName ?? profileUrl;
}

export const timeOf = (at: string): string => at.slice(0, 16).replace("T", " ");

export function listText({ conversations, total }: { conversations: ConversationView[]; total: number }): string {
  if (conversations.length === 0) return "No conversations.";
  const rows = conversations.map((each) => [
    timeOf(each.lastMessage.at),
    each.unread > 0 ? `${each.unread}` : "",
    nameOf(each),
    each.label ?? "",
    oneLine(previewOf(each)),
    each.id,
  ]);
  const table = renderTable(["TIME (UTC)", "UNREAD", "PERSON", "LABEL", "LAST MESSAGE", "ID"], rows);
  return total > conversations.length ? `${table}\n\n${conversations.length} of ${total}.` : table;
}

/** With a queued message, that one: what the person wrote before is about to be answered. */
function previewOf({ lastMessage, queuedMessage }: ConversationView): string {
  if (queuedMessage === null) return lastMessage.text ?? "";
  const { scheduledFor, text } = queuedMessage;
  return `(queued${scheduledFor === null ? "" : ` for ${timeOf(scheduledFor)} UTC`}) ${text ?? ""}`;
}

export function threadText(conversation: ConversationView, messages: readonly MessageView[]): string {
  const lines = messages.toReversed().map((message) => {
    const { direction, state, text, at, createdAt, status } = message;
    const author = direction === "incoming" ? nameOf(conversation) : "You";
    const note = state === "sent" || state === "received" ? "" : ` (${state}${status === null ? "" : `: ${status}`})`;
    return `${timeOf(at ?? createdAt)}  ${author}${note}\n${text ?? "(text not available)"}`;
  });
  return [`${nameOf(conversation)}  ${conversation.profileUrl}`, ...lines].join("\n\n");
}

export function replyText({
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

export function snippetsText(snippets: readonly SnippetView[]): string {
  if (snippets.length === 0) return "No snippets.";
  const rows = snippets.map(({ id, name, text }) => [name, oneLine(text), id]);
  return renderTable(["NAME", "TEXT", "ID"], rows);
}
