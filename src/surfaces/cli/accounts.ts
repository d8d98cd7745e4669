import type { Command } from "commander";
import type { AccountView } from "../../features/network/account-model.ts";
import { addAccountChanges, pathOfAccount } from "./account-changes.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type UserFlags = ConnectionFlags & { user?: string };
type Holiday = AccountView["holidays"][number];

export function addAccountCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("accounts")
    .description("List, add, pause, and resume network accounts, and manage their holidays.");

  const list = group.command("list").description("List network accounts, oldest first.");
  addConnectionFlags(addUserFlag(list)).action((flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const accounts = await api.getAll<AccountView>("/network/accounts", "accounts", { userId });
      await present(context, { accounts }, accountsText(accounts));
    }),
  );

  addAccountChanges(group, context);

  const holidays = group
    .command("holidays <ACCOUNT_ID>")
    .description("List the days on which an account sends nothing, in its time zone.");
  addConnectionFlags(addUserFlag(holidays)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => presentHolidays(context, await accountOf(api, id, userId))),
  );

  const add = group
    .command("add-holiday <ACCOUNT_ID> <FROM> [TO]")
    .description("Send nothing from one day to another, or on a single day. What was planned for them moves.")
    .option("--name <NAME>", "Shown in the settings, such as Christmas.", "");
  addConnectionFlags(addUserFlag(add)).action(
    (id: string, from: string, to: string | undefined, flags: UserFlags & { name: string }) =>
      forUser(context, flags, async (api, userId) => {
        const account = await accountOf(api, id, userId);
        const added = { from, to: to ?? from, name: flags.name };
        const others = account.holidays.filter((one) => one.from !== added.from || one.to !== added.to);
        await save(api, context, account, [...others, added], userId);
      }),
  );

  const remove = group
    .command("remove-holiday <ACCOUNT_ID> <FROM>")
    .description("Remove the holiday that starts on a day.");
  addConnectionFlags(addUserFlag(remove)).action((id: string, from: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const account = await accountOf(api, id, userId);
      const others = account.holidays.filter((holiday) => holiday.from !== from);
      if (others.length === account.holidays.length)
        throw new CommandError(exitCodes.failed, `No holiday of ${account.name} starts on ${from}.`, {
          hint: `\`outreachd accounts holidays ${id}\` lists them.`,
        });
      await save(api, context, account, others, userId);
    }),
  );
}

function accountOf(api: Api, id: string, userId: string | undefined): Promise<AccountView> {
  return api.get<AccountView>(pathOfAccount(id), { userId });
}

async function save(
  api: Api,
  context: CommandContext,
  { id }: AccountView,
  holidays: Holiday[],
  userId: string | undefined,
): Promise<void> {
  await presentHolidays(context, await api.patch<AccountView>(pathOfAccount(id), { holidays, userId }));
}

function presentHolidays(context: CommandContext, { id, name, holidays }: AccountView): Promise<void> {
  const rows = holidays.map((holiday) => [holiday.from, holiday.to, holiday.name]);
  const text = rows.length === 0 ? `${name} has no holidays.` : renderTable(["FROM", "TO", "NAME"], rows);
  return present(context, { accountId: id, holidays }, text);
}

function accountsText(accounts: readonly AccountView[]): string {
  if (accounts.length === 0) return "No network accounts.";
  const rows = accounts.map(({ name, state, connector, tier, timeZone, holidays, id }) => [
    ...[name, state, connector, tier, timeZone, `${holidays.length}`, id],
  ]);
  return renderTable(["NAME", "STATE", "CONNECTOR", "PLAN", "TIME ZONE", "HOLIDAYS", "ID"], rows);
}
