import { Option, type Command } from "commander";
import { roles, type Role, type UserView } from "../../platform/auth/user-model.ts";
import type { KeyView } from "../../platform/auth/key-model.ts";
import { dashboardKeyName } from "../../platform/auth/key-model.ts";
import type { SignInLinkView } from "../../features/workspaces/sessions/model.ts";
import { findUser, listUsers, type User } from "./acting-user.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, wholeNumberFlag } from "./flags.ts";
import { createKey, newKeyText } from "./key.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type UpdateFlags = ConnectionFlags & {
  email?: string;
  name?: string;
  role?: Role;
  timeZone?: string;
  deactivate?: true;
  activate?: true;
};
type CreateFlags = ConnectionFlags & { name?: string; role?: Role; timeZone?: string; key?: boolean };

export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command("user").description("Create, list, and update users, and grant them credits.");

  const create = user
    .command("create")
    .description("Create a user. In an empty data directory, which is created if necessary, they are its admin.")
    .argument("<EMAIL>", "Email of the user")
    .option("--name <NAME>", "Display name.")
    .addOption(
      new Option("--role <ROLE>", "Role. Admins can manage users and all keys. Default: member.").choices(roles),
    )
    .option("--time-zone <ZONE>", "IANA time zone of the working hours. Default: the server's setting for new users.")
    .option("--key", "Also create an API key with all permissions for the user, and show it once.");
  addConnectionFlags(create).action((email: string, flags: CreateFlags) =>
    withApi(context, flags, (api) => createUser(api, email, flags, context), {
      mayCreateData: true,
      // Whoever is expressly a member is not the first admin.
      ...(flags.role !== "member" && { firstAdmin: email }),
    }),
  );

  const update = user
    .command("update")
    .description("Change, deactivate, or reactivate a user.")
    .argument("<EMAIL|ID>", "Email or ID of the user")
    .option("--email <EMAIL>", "New email.")
    .option("--name <NAME>", "New display name.")
    .addOption(new Option("--role <ROLE>", "New role in the installation.").choices(roles))
    .option("--time-zone <ZONE>", "New IANA time zone.")
    .addOption(new Option("--deactivate", "Stop the user's keys and sessions everywhere.").conflicts("activate"))
    .option("--activate", "Let the user's keys and sessions work again.");
  addConnectionFlags(update).action((wanted: string, flags: UpdateFlags) =>
    withApi(context, flags, (api) => updateUser(api, wanted, flags, context)),
  );

  const list = user.command("list").description("List all users, oldest first.");
  addConnectionFlags(list).action((flags: ConnectionFlags) =>
    withApi(context, flags, async (api) => {
      const users = await listUsers(api);
      await present(context, { users }, usersTable(users));
    }),
  );

  const link = user
    .command("link")
    .description("Create a sign-in link for the dashboard. It works once, within an hour.")
    .argument("<EMAIL|ID>", "Email or ID of the user")
    .option(
      "--key-id <KEY_ID>",
      "Key whose permissions the session gets. Default: a key named dashboard, created if necessary.",
    );
  addConnectionFlags(link).action((wanted: string, flags: ConnectionFlags & { keyId?: string }) =>
    withApi(context, flags, (api) => makeLink(api, wanted, flags.keyId, context)),
  );

  const grant = user
    .command("grant")
    .description("Grant a user credits for enrichment and prospect searches.")
    .argument("<EMAIL|ID>", "Email or ID of the user")
    .argument("<AMOUNT>", "Number of credits", wholeNumberFlag(1, 1_000_000_000))
    .option("--note <TEXT>", "Reason, for the ledger.");
  addConnectionFlags(grant).action((wanted: string, amount: number, flags: ConnectionFlags & { note?: string }) =>
    withApi(context, flags, (api) => grantCredits(api, wanted, amount, flags.note, context)),
  );
}

async function createUser(api: Api, email: string, flags: CreateFlags, context: CommandContext): Promise<void> {
  const { name, role, timeZone } = flags;
  const first = api.connection.firstRun;
  if (first !== null && role !== "member") return await presentFirst(api, first, { name, timeZone }, context);
  const user = await api.post<User>("/users", { email, name, role, timeZone });
  const created = `Created the ${user.role} ${user.email} (ID ${user.id}, time zone ${user.timeZone}).`;
  if (!flags.key) {
    const hint = `Create an API key with \`outreachd key create --user ${user.email}\`.`;
    return await present(context, { user, key: null }, `${created}\n${hint}`);
  }
  const key = await createKey(api, { name: "first key", userId: user.id });
  await present(context, { user, key }, `${created}\n${newKeyText(key, api.connection.url)}`);
}

/** The admin whom the connection created, with the fields of the command line and the key. */
async function presentFirst(
  api: Api,
  first: { email: string; key: string },
  change: { name: string | undefined; timeZone: string | undefined },
  context: CommandContext,
): Promise<void> {
  const { id } = await findUser(api, first.email);
  const isChanged = Object.values(change).some((value) => value !== undefined);
  const user = isChanged ? await api.put<User>(`/users/${id}`, change) : await findUser(api, id);
  const [key] = await api.getAll<KeyView>("/keys", "keys", { userId: id });
  const created = `Created the ${user.role} ${user.email} (ID ${user.id}, time zone ${user.timeZone}).`;
  const shown = { ...key!, key: first.key };
  await present(context, { user, key: shown }, `${created}\n${newKeyText(shown, api.connection.url)}`);
}

async function updateUser(api: Api, wanted: string, flags: UpdateFlags, context: CommandContext): Promise<void> {
  const { email, name, role, timeZone, deactivate, activate } = flags;
  const change = {
    ...{ email, name, role, timeZone },
    ...(deactivate && { isActive: false }),
    ...(activate && { isActive: true }),
  };
  if (Object.values(change).every((value) => value === undefined))
    throw new CommandError(
      exitCodes.usage,
      "Nothing to change. Use --email, --name, --role, --time-zone, --deactivate, or --activate.",
    );
  const { id } = await findUser(api, wanted);
  const user = await api.put<UserView>(`/users/${id}`, change);
  const state = user.isActive ? "active" : "deactivated";
  await present(context, user, `${user.email} is ${user.role}, ${state}, in the time zone ${user.timeZone}.`);
}

async function grantCredits(
  api: Api,
  wanted: string,
  amount: number,
  note: string | undefined,
  context: CommandContext,
): Promise<void> {
  const user = await findUser(api, wanted);
  const { balance } = await api.post<{ balance: number }>(`/users/${user.id}/credits`, { amount, note });
  const text = `Granted ${amount} credits to ${user.email}; the balance is ${balance}.`;
  await present(context, { userId: user.id, email: user.email, granted: amount, balance }, text);
}

async function makeLink(api: Api, wanted: string, keyId: string | undefined, context: CommandContext): Promise<void> {
  const user = await findUser(api, wanted);
  const { url, expiresAt } = await api.post<SignInLinkView>(
    `/keys/${encodeURIComponent(keyId ?? (await dashboardKeyId(api, user.id)))}/link`,
    {},
  );
  const server = api.connection.url;
  const link = url.startsWith("/") && server !== null ? server + url : url;
  const hint = link.startsWith("/")
    ? "No server is running on this data directory. Start it, and prefix the link with its address."
    : `It works once, until ${expiresAt}. You can create another at any time.`;
  await present(context, { userId: user.id, email: user.email, url: link, expiresAt }, `${link}\n\n${hint}`);
}

async function dashboardKeyId(api: Api, userId: string): Promise<string> {
  const keys = await api.getAll<KeyView>("/keys", "keys", { userId });
  const usable = keys.find(
    ({ name, isActive, expires_at: end }) => name === dashboardKeyName && isActive && end === null,
  );
  return (usable ?? (await createKey(api, { name: dashboardKeyName, userId }))).id;
}

function usersTable(users: readonly User[]): string {
  if (users.length === 0) return "No users yet. Create one with `outreachd user create EMAIL`.";
  const rows = users.map(({ email, name, role, timeZone, createdAt, id }) => [
    email,
    name ?? "",
    role,
    timeZone,
    createdAt.slice(0, 10),
    id,
  ]);
  return renderTable(["EMAIL", "NAME", "ROLE", "TIME ZONE", "SINCE", "ID"], rows);
}
