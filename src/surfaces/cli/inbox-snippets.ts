import type { Command } from "commander";
import type { SnippetView } from "../../features/inbox/model.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { snippetOf } from "./inbox-names.ts";
import { snippetsText } from "./inbox-text.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };

const pathOf = ({ id }: SnippetView) => `/inbox/snippets/${encodeURIComponent(id)}`;

/** `inbox snippets`: texts for replies, shared by the workspace. */
export function addInboxSnippets(inbox: Command, context: CommandContext): void {
  const snippets = inbox
    .command("snippets")
    .description("Manage snippets: texts for replies, shared by the workspace.");

  const list = snippets.command("list").description("List snippets by name.");
  addConnectionFlags(addUserFlag(list)).action((flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const found = await api.getAll<SnippetView>("/inbox/snippets", "snippets", { limit: 100, userId });
      await present(context, { snippets: found }, snippetsText(found));
    }),
  );

  const create = snippets
    .command("create <NAME> <TEXT>")
    .description("Create a snippet. Its text can contain variables of the lead, such as {{firstName|there}}.");
  addConnectionFlags(addUserFlag(create)).action((name: string, text: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const created = await api.post<SnippetView>("/inbox/snippets", { name, text, userId });
      await present(context, created, `Created ${created.name}: ${created.id}`);
    }),
  );

  const update = snippets
    .command("update <NAME|ID>")
    .description("Change the name or the text of a snippet.")
    .option("--name <NAME>", "New name.")
    .option("--text <TEXT>", "New text.");
  addConnectionFlags(addUserFlag(update)).action(
    (wanted: string, flags: UserFlags & { name?: string; text?: string }) => {
      const { name, text } = flags;
      if (name === undefined && text === undefined)
        throw new CommandError(exitCodes.usage, "Nothing to change: send --name or --text.");
      return forUser(context, flags, async (api, userId) => {
        const snippet = await snippetOf(api, wanted, userId);
        const updated = await api.patch<SnippetView>(pathOf(snippet), { name, text, userId });
        await present(context, updated, `Updated ${updated.name}.`);
      });
    },
  );

  const remove = snippets.command("delete <NAME|ID>").description("Delete a snippet. Messages sent with it stay.");
  addConnectionFlags(addUserFlag(remove)).action((wanted: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const snippet = await snippetOf(api, wanted, userId);
      await api.delete(pathOf(snippet), { userId });
      await present(context, { id: snippet.id, deleted: true }, `Deleted the snippet ${snippet.name}.`);
    }),
  );
}
