import { InvalidArgumentError, Option, type Command } from "commander";
import { closest } from "../../platform/base/spelling.ts";
import {
  permissions,
  type KeyInput,
  type KeyRateLimits,
  type KeyRestrictions,
  type KeyUsageView,
} from "../../platform/auth/key-model.ts";
import { actingUserId, findUser } from "./acting-user.ts";
import type { Api } from "./api.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { tryKey } from "./first-run.ts";
import { addConnectionFlags, addUserFlag, repeated, wholeNumberFlag } from "./flags.ts";
import {
  limitFlag,
  limitsFrom,
  limitsText,
  networksFrom,
  canReach,
  networksText,
  type LimitFlags,
} from "./key-limits.ts";
import { formatCount } from "./progress.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable, shortTime } from "./table.ts";

type Key = KeyRestrictions & {
  id: string;
  userId: string | null;
  name: string;
  hint: string;
  permissions: string[];
  isActive: boolean;
  usageCount: number;
  expires_at: string | null;
  last_used_at: string | null;
};
export type NewKey = Key & { key: string };

type UpdateFlags = ConnectionFlags &
  LimitFlags & {
    name?: string;
    permission?: string[];
    expiresInDays?: number;
    allow?: string[];
    enable?: boolean;
    disable?: boolean;
  };

type CreateFlags = ConnectionFlags &
  LimitFlags & {
    name: string;
    permission?: string[];
    expiresInDays?: number;
    user?: string;
    global?: boolean;
    allow?: string[];
  };

const anyNumber = wholeNumberFlag(1, 1_000_000_000);

export function addKeyCommands(program: Command, context: CommandContext): void {
  const key = program.command("key").description("Create, list, change, and revoke API keys.");

  const create = key
    .command("create")
    .description("Create an API key and show it once. Without --permission, it has all permissions of a user.")
    .option("--name <NAME>", "Name of the key.", "command line")
    .option("--permission <PERMISSION>", "Permission of the key. Repeat the flag for several.", permission)
    .option("--expires-in-days <DAYS>", "Days until the key expires. Default: never.", wholeNumberFlag(1, 36_500))
    .option(
      "--allow <NETWORK>",
      "Address or network (CIDR) that the key can be used from. Repeat for several.",
      repeated,
    )
    .option("--per-minute <NUMBER>", "Maximum requests of the key per minute.", anyNumber)
    .option("--per-hour <NUMBER>", "Maximum requests of the key per hour.", anyNumber)
    .option("--per-day <NUMBER>", "Maximum requests of the key per day.", anyNumber)
    .option("--global", "A key without a user, with all permissions, for legacy routes; requests must set userId.")
    .addHelpText("after", `\nPermissions:\n  ${permissions.join("\n  ")}`);
  addConnectionFlags(addUserFlag(create)).action((flags: CreateFlags) =>
    withApi(context, flags, (api) => runCreate(api, flags, context)),
  );

  const list = key
    .command("list")
    .description("List keys without their secrets: those of one user or, with a global key, all keys.");
  addConnectionFlags(list.option("--user <EMAIL|ID>", "User whose keys to list (email or ID).")).action(
    (flags: ConnectionFlags & { user?: string }) =>
      withApi(context, flags, async (api) => {
        const userId = flags.user === undefined ? undefined : (await findUser(api, flags.user)).id;
        const keys = await api.getAll<Key>("/keys", "keys", { userId });
        await present(context, { keys }, keysTable(keys));
      }),
  );

  const revoke = key
    .command("revoke")
    .description("Delete a key. It stops working immediately.")
    .argument("<KEY_ID>", "Key ID, as shown by `outreachd key list`");
  addConnectionFlags(revoke).action((keyId: string, flags: ConnectionFlags) =>
    withApi(context, flags, async (api) => {
      await api.delete(pathOf(keyId));
      await present(context, { revoked: keyId }, `Revoked the key ${keyId}.`);
    }),
  );

  addChanges(key, context);
}

/** Commands that change a key. */
function addChanges(key: Command, context: CommandContext): void {
  const update = key
    .command("update")
    .description("Change the name, permissions, limits, or networks of a key, or disable and enable it.")
    .argument("<KEY_ID>", "Key ID, as shown by `outreachd key list`")
    .option("--name <NAME>", "New name.")
    .option(
      "--permission <PERMISSION>",
      "Permission of the key; it loses all others. Repeat the flag for several.",
      permission,
    )
    .option("--expires-in-days <DAYS>", "Days from now until the key expires.", wholeNumberFlag(1, 36_500))
    .option(
      "--allow <NETWORK>",
      "Address or network (CIDR) that the key can be used from, instead of the current ones. Repeat for several; none: any.",
      repeated,
    )
    .option("--per-minute <NUMBER>", "Maximum requests of the key per minute; none: no limit.", limitFlag)
    .option("--per-hour <NUMBER>", "Maximum requests of the key per hour; none: no limit.", limitFlag)
    .option("--per-day <NUMBER>", "Maximum requests of the key per day; none: no limit.", limitFlag)
    .addOption(new Option("--enable", "Accept the key again.").conflicts("disable"))
    .option("--disable", "Refuse the key until it is enabled again.");
  addConnectionFlags(update).action((keyId: string, flags: UpdateFlags) =>
    withApi(context, flags, async (api) => {
      const { name, permission: chosen, expiresInDays, allow, enable, disable } = flags;
      const isActive = enable === true ? true : disable === true ? false : undefined;
      const allowedNetworks = networksFrom(allow);
      const rateLimits = await limitsFrom(flags, () => currentLimits(api, keyId));
      const change = { name, permissions: chosen, expiresInDays, allowedNetworks, rateLimits, isActive };
      if (Object.values(change).every((value) => value === undefined))
        throw new CommandError(
          exitCodes.usage,
          "Nothing to change: send --name, --permission, --expires-in-days, --allow, --per-minute, --per-hour, --per-day, --enable, or --disable.",
        );
      const changed = await api.put<Key>(pathOf(keyId), change);
      await present(context, changed, keysTable([changed]));
    }),
  );

  const regenerate = key
    .command("regenerate")
    .description("Replace the secret of a key, and show the new one once. The old one stops working immediately.")
    .argument("<KEY_ID>", "Key ID, as shown by `outreachd key list`");
  addConnectionFlags(regenerate).action((keyId: string, flags: ConnectionFlags) =>
    withApi(context, flags, async (api) => {
      const response = await api.send(`${pathOf(keyId)}/regenerate`, {}, { method: "POST" });
      const renewed = (await response.json()) as NewKey;
      await present(context, renewed, newKeyText(renewed, api.connection.url));
    }),
  );

  const usage = key
    .command("usage")
    .description("Show the requests of a key by day.")
    .argument("<KEY_ID>", "Key ID, as shown by `outreachd key list`")
    .option("--days <NUMBER>", "Number of days.", wholeNumberFlag(1, 90), 30);
  addConnectionFlags(usage).action((keyId: string, flags: ConnectionFlags & { days: number }) =>
    withApi(context, flags, async (api) => {
      const found = await api.get<KeyUsageView>(`${pathOf(keyId)}/usage`, { days: flags.days });
      const rows = found.days.map(({ date, requests }) => [date, formatCount(requests)]);
      await present(context, found, renderTable(["DAY", "REQUESTS"], rows));
    }),
  );
}

/** The API replaces all limits of a key, so those that a command does not name are sent again. */
async function currentLimits(api: Api, keyId: string): Promise<KeyRateLimits | null> {
  const keys = await api.getAll<Key>("/keys", "keys", {});
  return keys.find(({ id }) => id === keyId)?.rateLimits ?? null;
}

const pathOf = (keyId: string) => `/keys/${encodeURIComponent(keyId)}`;

/** Creates a key for a user, or a global one. It has all permissions of a user by default. */
export function createKey(
  api: Api,
  request: Pick<Partial<KeyInput>, "expiresInDays" | "allowedNetworks" | "rateLimits" | "userId" | "global"> & {
    name: string;
    permissions?: string[];
  },
): Promise<NewKey> {
  return api.post<NewKey>("/keys", { permissions, ...request });
}

/** Shows the secret of a new key and how to use it. */
export function newKeyText({ key, name, allowedNetworks }: NewKey, url: string | null): string {
  const use =
    url === null
      ? "Send it to a server, in the header x-api-key. `outreachd serve` starts one."
      : canReach(url, allowedNetworks)
        ? tryKey(key, url)
        : `It can only be used from ${allowedNetworks?.join(", ")}, not from this machine over ${url}.`;
  return `API key "${name}". It is shown only once, so keep it safe:\n\n  ${key}\n\n${use}`;
}

async function runCreate(api: Api, flags: CreateFlags, context: CommandContext): Promise<void> {
  const { name, permission: chosen, expiresInDays } = flags;
  if (flags.global && (chosen !== undefined || flags.user !== undefined))
    throw new CommandError(
      exitCodes.usage,
      "A global key has all permissions and no user. Remove --permission and --user.",
    );
  const rateLimits = await limitsFrom(flags, () => Promise.resolve(null));
  const request = {
    name,
    ...(chosen && { permissions: chosen }),
    ...(expiresInDays && { expiresInDays }),
    ...(flags.allow && { allowedNetworks: flags.allow }),
    ...(rateLimits && { rateLimits }),
  };
  const owner = flags.global
    ? { global: true, permissions: ["*"] }
    : { userId: await actingUserId(api, flags.user, (text) => remark(context, text)) };
  const key = await createKey(api, { ...request, ...owner });
  await present(context, key, newKeyText(key, api.connection.url));
}

/** A permission on the command line, which can be repeated. */
export function permission(value: string, previous?: string[]): string[] {
  if (permissions.some((known) => known === value)) return repeated(value, previous);
  const likely = closest(value, permissions);
  throw new InvalidArgumentError(`Unknown permission.${likely === null ? "" : ` Did you mean ${likely}?`}`);
}

function keysTable(keys: readonly Key[]): string {
  if (keys.length === 0) return "No keys. Create one with `outreachd key create`.";
  const rows = keys.map((key) => [
    key.name,
    key.hint,
    key.userId ?? "(global)",
    key.isActive ? "active" : "disabled",
    key.expires_at?.slice(0, 10) ?? "never",
    key.last_used_at === null ? "never" : shortTime(key.last_used_at),
    String(key.usageCount),
    limitsText(key.rateLimits),
    networksText(key.allowedNetworks),
    key.permissions.length === permissions.length ? "all" : key.permissions.join(" "),
    key.id,
  ]);
  return renderTable(
    ["NAME", "KEY", "USER", "STATE", "EXPIRES", "LAST USED", "USES", "LIMITS", "NETWORKS", "PERMISSIONS", "ID"],
    rows,
  );
}
