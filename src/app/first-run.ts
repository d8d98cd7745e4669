import { permissions } from "../keys/model.ts";
import type { KeyService } from "../keys/service.ts";
import type { SessionService } from "../sessions/service.ts";
import type { UserService } from "../users/service.ts";

/** What a person is told of the first start; the key is shown only now. */
export type FirstRun = {
  email: string;
  key: string;
  /** Signs a browser in, once, within the hour; a path, because nobody knows yet where the server will listen. */
  signInPath: string;
};

/** The first user of a new data directory: an admin with a key that holds every permission. */
export async function addAdmin(
  adminEmail: string,
  users: UserService,
  keys: KeyService,
  sessions: SessionService,
): Promise<FirstRun> {
  let made: ReturnType<KeyService["make"]> | null = null;
  const keyFor = ({ id }: { id: string }) => (made = keys.make(id, "admin", [...permissions], null)).key;
  const { email } = await users.add({ email: adminEmail, role: "admin" }, keyFor);
  const { key, secret } = made!;
  return { email, key: secret, signInPath: (await sessions.makeLink(key)).path };
}
