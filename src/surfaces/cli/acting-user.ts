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

// The most that the API lists at once.
const largestPage = 100;

/**
 * The id to send as `userId`: the wanted user (e-mail or id), else for a global key the only user or the first admin,
 * else undefined, because a user key acts for its own user. `tell` hears of a choice that was not the only one.
 */
export async function actingUserId(
  api: Api,
  wanted: string | undefined,
  tell: (text: string) => void,
): Promise<string | undefined> {
  if (wanted !== undefined) return (await findUser(api, wanted)).id;
  if (!api.connection.namesUser) return undefined;
  const users = await listUsers(api);
  const user = users.length === 1 ? users[0] : users.find(({ role }) => role === "admin");
  if (user === undefined)
    throw new CommandError(
      exitCodes.failed,
      users.length === 0 ? "There is no user yet." : "There are several users.",
      {
        hint: users.length === 0 ? "Make one with `outreachd user create EMAIL`." : "Name one with --user EMAIL.",
      },
    );
  if (users.length > 1) tell(`Acting for ${user.email}; --user chooses another.`);
  return user.id;
}

/** The user with this e-mail (in any case) or id. */
export async function findUser(api: Api, wanted: string): Promise<User> {
  const users = await listUsers(api);
  const email = wanted.toLowerCase();
  const user = users.find((candidate) => candidate.id === wanted || candidate.email.toLowerCase() === email);
  if (user !== undefined) return user;
  throw new CommandError(exitCodes.failed, `There is no user ${wanted}.`, {
    hint: "`outreachd user list` shows all users.",
  });
}

/** All users, in the order in which they came. */
export async function listUsers(api: Api): Promise<User[]> {
  const users = await api.getAll<User>("/users", "users", { limit: largestPage });
  return users.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
}
