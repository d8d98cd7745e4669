import type { Command } from "commander";
import type { NotificationView } from "../../features/notifications/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { formatCount } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable, shortTime } from "./table.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ListFlags = UserFlags & { unread?: boolean; limit: number };
type ReadFlags = UserFlags & { all?: boolean };
type Page = { notifications: NotificationView[]; unread: number };

const mostNotifications = 100;

export function addNotificationCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("notifications")
    .description("What a member should know: replies, ended imports, accounts to reconnect, and more.");

  const list = group
    .command("list")
    .description("List notifications of the last 30 days, newest first.")
    .option("--unread", "Only those that are not read.")
    .option(
      "--limit <NUMBER>",
      `Number of notifications, up to ${mostNotifications}.`,
      wholeNumberFlag(1, mostNotifications),
      20,
    );
  addConnectionFlags(addUserFlag(list)).action((flags: ListFlags) =>
    forUser(context, flags, async (api, userId) => {
      const page = await api.get<Page>("/notifications", { limit: flags.limit, userId });
      const shown = page.notifications.filter(({ isRead }) => !flags.unread || !isRead);
      await present(context, { notifications: shown, unread: page.unread }, listText(shown, page.unread));
    }),
  );

  const read = group
    .command("read")
    .description("Mark notifications as read, for this member only.")
    .argument("[ID...]", "IDs of notifications")
    .option("--all", "All of them.");
  addConnectionFlags(addUserFlag(read)).action((ids: string[], flags: ReadFlags) => {
    if (ids.length > 0 === (flags.all === true))
      throw new CommandError(exitCodes.usage, "Specify IDs, which `outreachd notifications list` shows, or --all.");
    return forUser(context, flags, async (api, userId) => {
      const read = flags.all === true ? { until: await newest(api, userId) } : { ids };
      const isNothing = "until" in read && read.until === undefined;
      const { unread } = isNothing
        ? { unread: 0 }
        : await api.post<{ unread: number }>("/notifications/read", { ...read, userId });
      await present(context, { unread }, unreadText(unread));
    });
  });
}

async function newest(api: Api, userId: string | undefined): Promise<string | undefined> {
  return (await api.get<Page>("/notifications", { limit: 1, userId })).notifications[0]?.id;
}

function listText(shown: readonly NotificationView[], unread: number): string {
  if (shown.length === 0) return unreadText(unread);
  const headings = ["TIME (UTC)", "NEW", "WHAT", "DETAILS", "ID"];
  const rows = shown.map(({ createdAt, isRead, title, text, id }) => [
    shortTime(createdAt),
    isRead ? "" : "yes",
    title,
    (text ?? "").replace(/\s+/g, " ").slice(0, 60),
    id,
  ]);
  return `${renderTable(headings, rows)}\n\n${unreadText(unread)}`;
}

function unreadText(unread: number): string {
  return unread === 0 ? "No unread notifications." : `${formatCount(unread)} unread.`;
}
