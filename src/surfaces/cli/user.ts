import { Option, type Command } from "commander";
import { roles, type Role } from "../../platform/auth/user-model.ts";
import type { KeyView } from "../../platform/auth/key-model.ts";
import type { SignInLinkView } from "../../features/workspaces/sessions/model.ts";
import { findUser, listUsers, type User } from "./acting-user.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, wholeNumberFlag } from "./flags.ts";
import { createKey, newKeyText } from "./key.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type CreateFlags = ConnectionFlags & { name?: string; role?: Role; timeZone?: string; key?: boolean };

export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command("user").description("Make and list the people of the team, and grant them credits.");

  const create = user
    .command("create")
    .description("Make a user. Makes the data directory too if there is none.")
    .argument("<EMAIL>", "E-mail of the user")
    .option("--name <NAME>", "Name to show.")
    .addOption(
      new Option("--role <ROLE>", "An admin may manage users and everybody's keys. Default: member.").choices(roles),
    )
    .option("--time-zone <ZONE>", "IANA time zone of the working hours. Default: the server's setting for new users.")
    .option("--key", "Also make an API key with all permissions for the user, and show it once.");
  addConnectionFlags(create).action((email: string, flags: CreateFlags) =>
    withApi(context, flags, (api) => createUser(api, email, flags, context), { mayCreateData: true }),
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
    .description("Make a link that signs a browser in to the dashboard, once, within the hour.")
    .argument("<EMAIL|ID>", "E-mail or id of the user")
    .option("--key-id <KEY_ID>", "Sign in with what this key may do. Default: a key named dashboard, made if need be.");
  addConnectionFlags(link).action((wanted: string, flags: ConnectionFlags & { keyId?: string }) =>
    withApi(context, flags, (api) => makeLink(api, wanted, flags.keyId, context)),
  );

  const grant = user
    .command("grant")
    .description("Give a user credits for enrichment and prospect searches.")
    .argument("<EMAIL|ID>", "E-mail or id of the user")
    .argument("<AMOUNT>", "How many credits", wholeNumberFlag(1, 1_000_000_000))
    .option("--note <TEXT>", "Why, for the ledger.");
  addConnectionFlags(grant).action((wanted: string, amount: number, flags: ConnectionFlags & { note?: string }) =>
    withApi(context, flags, (api) => grantCredits(api, wanted, amount, flags.note, context)),
  );
}

async function createUser(api: Api, email: string, flags: CreateFlags, context: CommandContext): Promise<void> {
  const { name, role, timeZone } = flags;
  const user = await api.post<User>("/users", { email, name, role, timeZone });
  const created = `Made the ${user.role} ${user.email} (id ${user.id}, time zone ${user.timeZone}).`;
  if (!flags.key) {
    const hint = `Make an API key with \`outreachd key create --user ${user.email}\`.`;
    return await present(context, { user, key: null }, `${created}\n${hint}`);
  }
  const key = await createKey(api, { name: "first key", userId: user.id });
  await present(context, { user, key }, `${created}\n${newKeyText(key, api.connection.url)}`);
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

/** The key that links sign in with unless another is named; nobody ever sees its secret. */
const dashboardKeyName = "dashboard";

async function makeLink(api: Api, wanted: string, keyId: string | undefined, context: CommandContext): Promise<void> {
  const user = await findUser(api, wanted);
  const { url, expiresAt } = await api.post<SignInLinkView>(
    `/keys/${encodeURIComponent(keyId ?? (await dashboardKeyId(api, user.id)))}/link`,
    {},
  );
  const server = api.connection.url;
  const link = url.startsWith("/") && server !== null ? server + url : url;
  const hint = link.startsWith("/")
    ? "No server runs on this data directory. Start it, and put its address in front."
    : `It works once, until ${expiresAt}. Make another at any time.`;
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
  if (users.length === 0) return "There is no user yet. Make one with `outreachd user create EMAIL`.";
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
