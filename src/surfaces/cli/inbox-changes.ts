import { Argument, Option, type Command } from "commander";
import { labels, type ConversationView } from "../../features/inbox/model.ts";
import { instant } from "../../app/config/values.ts";
import { isoTime } from "../../platform/base/clock.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, parsed } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { accountIdOf, assigneeOf } from "./inbox-names.ts";
import { nameOf, timeOf } from "./inbox-text.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type RecordFlags = UserFlags & { accepted?: true; account?: string; at?: number };
type Change = { body: object; text: (changed: ConversationView) => string };

/** Commands that change a conversation, and `inbox record`. */
export function addInboxChanges(inbox: Command, context: CommandContext): void {
  const add = (command: Command) => addConnectionFlags(addUserFlag(command));
  const label = inbox
    .command("label <CONVERSATION_ID> <LABEL>")
    .description(
      `Label a conversation: ${labels.join(", ")}, or none. doNotContact also adds the person to the do-not-contact list.`,
    );
  add(label).action((id: string, chosen: string, flags: UserFlags) =>
    change(context, id, flags, () => ({
      body: { label: chosen === "none" ? null : chosen },
      text: (changed) => changed.label ?? "no label",
    })),
  );

  const assign = inbox
    .command("assign <CONVERSATION_ID> <EMAIL|ID>")
    .description("Assign a conversation to a member, to me, or to none.");
  add(assign).action((id: string, member: string, flags: UserFlags) =>
    change(context, id, flags, async (api, userId) => ({
      body: { assignedTo: await assigneeOf(api, member, userId) },
      text: ({ assignedTo }) => (assignedTo === null ? "unassigned" : `assigned to ${assignedTo}`),
    })),
  );

  const snooze = inbox
    .command("snooze <CONVERSATION_ID>")
    .addArgument(new Argument("<UNTIL>", "Time such as 2030-06-03T09:00:00Z").argParser(parsed(instant)))
    .description("Hide a conversation until a time, or until the person writes.");
  add(snooze).action((id: string, until: number, flags: UserFlags) =>
    change(context, id, flags, () => ({
      body: { snoozedUntil: isoTime(until) },
      text: ({ snoozedUntil }) => `snoozed until ${timeOf(snoozedUntil ?? isoTime(until))} UTC`,
    })),
  );

  const simple: [name: string, description: string, body: object, text: string][] = [
    ["unsnooze", "End the snooze of a conversation.", { snoozedUntil: null }, "not snoozed"],
    ["read", "Mark all messages of a conversation as read.", { isRead: true }, "read"],
    ["unread", "Mark the last message of the person as unread.", { isRead: false }, "unread"],
  ];
  for (const [name, description, body, text] of simple)
    add(inbox.command(`${name} <CONVERSATION_ID>`).description(description)).action((id: string, flags: UserFlags) =>
      change(context, id, flags, () => ({ body, text: () => text })),
    );

  const record = inbox
    .command("record <PROFILE_URL> [TEXT]")
    .description("Record that a person replied, for accounts whose connector cannot report it.")
    .addOption(new Option("--accepted", "They accepted the connection request instead."))
    .option("--account <NAME|ID>", "Network account. Default: the first account of the user.")
    .option("--at <TIME>", "When it happened. Default: now.", parsed(instant));
  addConnectionFlags(addUserFlag(record)).action((url: string, text: string | undefined, flags: RecordFlags) =>
    recordNews(context, url, text, flags),
  );
}

function change(
  context: CommandContext,
  id: string,
  flags: UserFlags,
  changeOf: (api: Api, userId: string | undefined) => Change | Promise<Change>,
): Promise<void> {
  return forUser(context, flags, async (api, userId) => {
    const { body, text } = await changeOf(api, userId);
    const path = `/inbox/conversations/${encodeURIComponent(id)}`;
    const changed = await api.patch<ConversationView>(path, { ...body, userId });
    await present(context, changed, `${nameOf(changed)}: ${text(changed)}`);
  });
}

function recordNews(
  context: CommandContext,
  profileUrl: string,
  text: string | undefined,
  flags: RecordFlags,
): Promise<void> {
  const { accepted, account, at } = flags;
  return forUser(context, flags, async (api, userId) => {
    const recorded = await api.post<{ isNew: boolean; newMessages: number }>("/network/contacts/events", {
      ...{ profileUrl, event: accepted === true ? "accepted" : "replied", text, userId },
      ...(account !== undefined && { accountId: await accountIdOf(api, account, userId) }),
      ...(at !== undefined && { at: isoTime(at) }),
    });
    const isKnown = !recorded.isNew && recorded.newMessages === 0;
    const done = accepted === true ? "Acceptance recorded." : "Reply recorded.";
    await present(
      context,
      recorded,
      isKnown ? "Nothing has changed: it was recorded before, or the account has never contacted this person." : done,
    );
  });
}
