import type { Api } from "./api.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";

export type User = {
  id: string;
  email: string;
  name: string | null;
  role: string;
  timeZone: string;
  createdAt: string;
};

/** What makes the choice that is made if it is missing, with what was chosen. */
const choices = {
  "--user": (email: string) => `Acting as ${email}`,
  "--workspace": (email: string) => `Using the workspace of ${email}`,
} as const;
export type ChoosingFlag = keyof typeof choices;

// Maximum page size of the API.
const largestPage = 100;

/**
 * Returns the ID to send as `userId`: the requested user (email or ID); for a global key, the only user or the first
 * admin; otherwise undefined, because a user key acts for its own user. Calls `tell` if there was a choice, which `flag` makes.
 */
export async function actingUserId(
  api: Api,
  wanted: string | undefined,
  tell: (text: string) => void,
  flag: ChoosingFlag = "--user",
): Promise<string | undefined> {
  if (wanted !== undefined) return (await findUser(api, wanted)).id;
  if (!api.connection.namesUser) return undefined;
  const users = await listUsers(api);
  const user = users.length === 1 ? users[0] : users.find(({ role }) => role === "admin");
  if (user === undefined)
    throw new CommandError(exitCodes.failed, users.length === 0 ? "No users yet." : "There are several users.", {
      hint: users.length === 0 ? "Create one with `outreachd user create EMAIL`." : `Select one with ${flag} EMAIL.`,
    });
  if (users.length > 1) tell(`${choices[flag](user.email)}; use ${flag} to choose another ${flag.slice(2)}.`);
  return user.id;
}

/** Finds a user by email (case-insensitive) or ID. */
export async function findUser(api: Api, wanted: string): Promise<User> {
  const users = await listUsers(api);
  const email = wanted.toLowerCase();
  const user = users.find((candidate) => candidate.id === wanted || candidate.email.toLowerCase() === email);
  if (user !== undefined) return user;
  throw new CommandError(exitCodes.failed, `User ${wanted} not found.`, {
    hint: "`outreachd user list` shows all users.",
  });
}

/** Lists all users in the order of their creation. */
export async function listUsers(api: Api): Promise<User[]> {
  const users = await api.getAll<User>("/users", "users", { limit: largestPage });
  return users.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
}
