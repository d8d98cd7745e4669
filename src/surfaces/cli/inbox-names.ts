import type { SnippetView } from "../../features/inbox/model.ts";
import type { AccountView } from "../../features/network/account-model.ts";
import type { Api } from "./api.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { findMember } from "./member.ts";

/** What the API expects for a member by email or ID: also `me`, and null for `none`. */
export async function assigneeOf(api: Api, wanted: string, userId: string | undefined): Promise<string | null> {
  if (wanted === "none") return null;
  // An ID needs no permission to read the members.
  if (wanted === "me" || !wanted.includes("@")) return wanted;
  return (await findMember(api, { ...(userId !== undefined && { userId }) }, wanted)).userId;
}

/** The ID of the network account with this name or ID. */
export async function accountIdOf(api: Api, wanted: string, userId: string | undefined): Promise<string> {
  const accounts = await api.getAll<AccountView>("/network/accounts", "accounts", { userId });
  return named(accounts, wanted, "network account", "`outreachd accounts list` shows all accounts.").id;
}

/** The snippet with this name or ID. */
export async function snippetOf(api: Api, wanted: string, userId: string | undefined): Promise<SnippetView> {
  const snippets = await api.getAll<SnippetView>("/inbox/snippets", "snippets", { limit: 100, userId });
  return named(snippets, wanted, "snippet", "`outreachd inbox snippets list` shows all snippets.");
}

function named<T extends { id: string; name: string }>(
  all: readonly T[],
  wanted: string,
  what: string,
  hint: string,
): T {
  const name = wanted.toLowerCase();
  const found = all.find((one) => one.id === wanted) ?? all.find((one) => one.name.toLowerCase() === name);
  if (found !== undefined) return found;
  throw new CommandError(exitCodes.failed, `No ${what} has the name or ID ${wanted}.`, { hint });
}
