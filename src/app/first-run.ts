import { existsSync, readdirSync } from "node:fs";
import type { DataDirectory } from "../adapters/disk/data-directory.ts";
import { readInstallationId } from "../adapters/disk/installation-id.ts";
import { permissions } from "../platform/auth/key-model.ts";
import type { KeyService } from "../features/workspaces/keys/service.ts";
import type { SessionService } from "../features/workspaces/sessions/service.ts";
import { ApiError } from "../platform/base/errors.ts";
import { StartError } from "../platform/base/start-error.ts";
import type { UserService } from "../features/workspaces/users/service.ts";

/** Shown after the first start. The API key is never shown again. */
export type FirstRun = {
  email: string;
  key: string;
  /** One-time sign-in link, valid for an hour. It is a path, because the server's address is not known yet. */
  signInPath: string;
};

type Parts = {
  directory: DataDirectory;
  adminEmail: string;
  users: UserService;
  keys: KeyService;
  sessions: SessionService;
};

/**
 * Creates the first user of a new data directory: an admin with an API key that has every permission. Returns null if
 * users exist. Throws `StartError` if there are no users but files of users.
 */
export async function beginAnew({ directory, adminEmail, users, keys, sessions }: Parts): Promise<FirstRun | null> {
  if ((await users.count()) > 0) return null;
  if (hasBlobs(directory)) throw lostData(directory);
  let made: ReturnType<KeyService["make"]> | null = null;
  const keyFor = ({ id }: { id: string }) =>
    (made = keys.make({ workspaceId: id, userId: id }, "admin", [...permissions], null)).key;
  const added = await users.add({ email: adminEmail, role: "admin" }, keyFor).catch(async (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    // Another node that started at the same time was faster.
    if (error.code === "CONFLICT" && (await users.count()) > 0) return null;
    throw new StartError(`Cannot create the first admin. ${error.message}`);
  });
  if (added === null) return null;
  const { key, secret } = made!;
  return { email: added.email, key: secret, signInPath: (await sessions.makeLink(key)).path };
}

/**
 * For an empty database. Throws `StartError` if the directory was in use before, since this is then not the first
 * start.
 */
export function refuseLostData(directory: DataDirectory): void {
  if (hasBlobs(directory) || readInstallationId(directory.path) !== null) throw lostData(directory);
}

/** Whether files of users are in the data directory. */
export function hasBlobs({ blobsPath }: DataDirectory): boolean {
  if (!existsSync(blobsPath)) return false;
  return readdirSync(blobsPath, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
}

function lostData({ path, databasePath }: DataDirectory): StartError {
  return new StartError(
    `The data directory ${path} was in use, but its database ${databasePath} is missing or empty.`,
    {
      hint:
        `If ${databasePath} or its log (-wal) was moved, move both back. Otherwise, restore a backup: outreachd restore FILE --replace. ` +
        "To start from scratch, choose an empty directory with --data DIR.",
    },
  );
}
