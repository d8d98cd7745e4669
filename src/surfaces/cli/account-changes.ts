import { Option, type Command } from "commander";
import { connectorNames, weekdays, type AccountView } from "../../features/network/account-model.ts";
import { tiers } from "../../features/network/meter-model.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, pairs } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { readInputText } from "./input-text.ts";
import { reasonOf } from "./reason.ts";
import type { ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ContentFlags = UserFlags & {
  name?: string;
  connector?: string;
  setting?: Record<string, string>;
  plan?: string;
  timeZone?: string;
  approval?: string;
  alwaysOpen?: boolean;
  settings?: string;
};

/** Commands that show, add, and change a network account. */
export function addAccountChanges(group: Command, context: CommandContext): void {
  const show = group
    .command("show <ACCOUNT_ID>")
    .description("Show an account with all of its settings. --json prints them in the form that --settings reads.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const account = await api.get<AccountView>(pathOfAccount(id), { userId });
      await present(context, account, accountText(account));
    }),
  );

  const create = group
    .command("create <NAME>")
    .description("Add a network account. Without flags, a person sends its actions by hand, within conservative caps.");
  addConnectionFlags(addUserFlag(addContentFlags(create))).action((name: string, flags: ContentFlags) =>
    forUser(context, flags, async (api, userId) => {
      const created = await api.post<AccountView>("/network/accounts", { ...(await contentIn(flags)), name, userId });
      await present(context, created, `Added ${created.name} (${created.connector}): ${created.id}`);
    }),
  );

  const update = group
    .command("update <ACCOUNT_ID>")
    .description("Change the settings of an account. Its pending actions are rescheduled.")
    .option("--name <NAME>", "New name.");
  addConnectionFlags(addUserFlag(addContentFlags(update))).action((id: string, flags: ContentFlags) =>
    forUser(context, flags, async (api, userId) => {
      const change = { ...(await contentIn(flags)), name: flags.name };
      if (Object.values(change).every((value) => value === undefined))
        throw new CommandError(exitCodes.usage, "Nothing to change. See `outreachd accounts update --help`.");
      const changed = await api.patch<AccountView>(pathOfAccount(id), { ...change, userId });
      await present(context, changed, accountText(changed));
    }),
  );

  addTurn("pause", "paused", "Send nothing with an account until it is resumed.");
  addTurn("resume", "active", "Send with an account again, also after it was reconnected.");
  function addTurn(name: string, state: AccountView["state"], description: string): void {
    const turn = group.command(`${name} <ACCOUNT_ID>`).description(description);
    addConnectionFlags(addUserFlag(turn)).action((id: string, flags: UserFlags) =>
      forUser(context, flags, async (api, userId) => {
        const changed = await api.patch<AccountView>(pathOfAccount(id), { state, userId });
        await present(context, changed, `${changed.name}: ${changed.state}`);
      }),
    );
  }

  const remove = group
    .command("delete <ACCOUNT_ID>")
    .description("Remove an account that has never performed an action. Others can be paused.");
  addConnectionFlags(addUserFlag(remove)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      await api.delete(pathOfAccount(id), { userId });
      await present(context, { deleted: id }, `Removed the account ${id}.`);
    }),
  );
}

const allDay = [{ from: "00:00", to: "24:00" }];
const aroundTheClock = Object.fromEntries(weekdays.map((day) => [day, allDay]));

/** The path of an account below /api/v2. */
export const pathOfAccount = (id: string) => `/network/accounts/${encodeURIComponent(id)}`;

function addContentFlags(command: Command): Command {
  return command
    .addOption(new Option("--connector <NAME>", "How actions are sent. Default: manual.").choices(connectorNames))
    .option(
      "--setting <NAME=VALUE>",
      "Setting of the connector, such as accountId=… or url=…. Repeat it for several.",
      pairs("accountId=abc"),
    )
    .addOption(new Option("--plan <PLAN>", "Subscription on the network, which sets the default caps.").choices(tiers))
    .option("--time-zone <ZONE>", "Time zone of the working hours, such as Europe/Berlin.")
    .option("--always-open", "Send at any time: working hours around the clock, without sessions.")
    .addOption(new Option("--approval <YES|NO>", "Whether each action must be approved.").choices(["yes", "no"]))
    .option(
      "--settings <FILE>",
      "JSON file with caps, workingHours, spacing, and all other settings of the API; - is standard input.",
    );
}

async function contentIn({
  connector,
  setting: connectorSettings,
  plan: tier,
  timeZone,
  approval,
  alwaysOpen,
  settings,
}: ContentFlags) {
  const requiresApproval = approval === undefined ? undefined : approval === "yes";
  const given = { connector, connectorSettings, tier, timeZone, requiresApproval };
  return {
    ...(settings !== undefined && (await settingsIn(settings))),
    ...(alwaysOpen === true && { workingHours: aroundTheClock, sessions: null }),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** What `accounts show --json` prints has fields that cannot be sent. */
async function settingsIn(path: string): Promise<Record<string, unknown>> {
  try {
    const {
      id: _,
      state: _state,
      stateReason: _reason,
      createdAt: _created,
      updatedAt: _updated,
      ...settings
    } = JSON.parse(await readInputText(path)) as AccountView;
    return settings;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(exitCodes.usage, `${path} is not JSON: ${reasonOf(error)}`);
  }
}

function accountText(account: AccountView): string {
  const rows = Object.entries(account).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === "object" ? JSON.stringify(value) : `${value}`]],
  );
  return renderTable(["FIELD", "VALUE"], rows);
}
