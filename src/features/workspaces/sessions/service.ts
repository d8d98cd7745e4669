import type { Clock, Ids } from "../../../platform/base/clock.ts";
import { ApiError, invalid } from "../../../platform/base/errors.ts";
import { isAdmin, type Caller } from "../../../platform/auth/caller.ts";
import { hashOf, type KeyRing } from "../../../platform/auth/access.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import { isWellFormed } from "../../../platform/auth/secret.ts";
import type { UserService } from "../users/service.ts";
import { version } from "../../../platform/base/version.ts";
import type { NewSession, SessionView, SignInInput } from "./model.ts";
import type { SessionStore } from "./store.ts";

/** Sessions last a month. For a shorter session, give the key an earlier expiry. */
const sessionMs = 30 * 86_400_000;
/** Long enough to find the terminal that printed the link, and short enough to make old screenshots harmless. */
const linkMs = 3_600_000;
const tokenBytes = 32;
const sweepBatchSize = 1000;

type Parts = {
  store: SessionStore;
  ring: KeyRing;
  users: UserService;
  clock: Clock;
  ids: Ids;
};

/**
 * Manages browser sessions. Only the hash of a session token is stored. A session ends when its key is deleted,
 * disabled, expired, or regenerated.
 */
export class SessionService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a session. Throws UNAUTHORIZED for an invalid key or link. */
  async signIn({ key, link }: SignInInput): Promise<NewSession & { caller: Caller }> {
    if (key) return this.#signInByKey(key.trim());
    if (link) return this.#signInByLink(link);
    throw invalid([{ path: "key", message: "Enter an API key." }]);
  }

  /** The caller that a browser acts as. Throws UNAUTHORIZED if its session has ended. */
  async callerOf(token: string): Promise<Caller> {
    const { store, ring, clock } = this.#parts;
    const session = await store.find(hashOf(token), clock.now());
    if (session === null) throw unauthorized("Your session has ended. Sign in again.");
    return this.#user(await ring.holder(session.keyHash));
  }

  async view(caller: Caller): Promise<SessionView> {
    const { keyId, keyName, permissions, requiresApproval, userId } = caller;
    return {
      user: await this.#parts.users.get(userId ?? ""),
      isAdmin: isAdmin(caller),
      key: { id: keyId, name: keyName, requiresApproval },
      permissions: [...permissions],
      version,
    };
  }

  /** Safe to call twice. */
  async signOut(token: string): Promise<void> {
    await this.#parts.store.remove(hashOf(token));
  }

  /**
   * Creates a sign-in link for a key, as a path on this server. It works once and expires after an hour. The key must
   * belong to a user.
   */
  async makeLink(key: Pick<ApiKey, "id" | "hash" | "workspaceId">): Promise<{ path: string; expiresAt: number }> {
    const { store, clock } = this.#parts;
    if (key.workspaceId === null)
      throw invalid([{ path: "keyId", message: "A global key belongs to no user. Choose a key of a user." }]);
    const now = clock.now();
    const token = this.#newToken();
    const expiresAt = now + linkMs;
    await store.insertLink({ hash: hashOf(token), keyId: key.id, keyHash: key.hash, createdAt: now, expiresAt });
    return { path: signInPath(token), expiresAt };
  }

  async sweep(): Promise<void> {
    const { store, clock } = this.#parts;
    while ((await store.sweep(clock.now(), sweepBatchSize)) >= sweepBatchSize);
  }

  async #signInByKey(secret: string): Promise<NewSession & { caller: Caller }> {
    const { store, ring, clock } = this.#parts;
    if (!isWellFormed(secret))
      throw unauthorized(
        "This is not a valid API key: its format or checksum is wrong. Check that it was copied completely.",
      );
    const keyHash = hashOf(secret);
    const caller = this.#user(await ring.holder(keyHash));
    const now = clock.now();
    const token = this.#newToken();
    const expiresAt = now + sessionMs;
    await store.insert({ hash: hashOf(token), keyId: caller.keyId, keyHash, createdAt: now, expiresAt });
    return { token, expiresAt, caller };
  }

  async #signInByLink(link: string): Promise<NewSession & { caller: Caller }> {
    const { store, ring, clock } = this.#parts;
    const now = clock.now();
    const token = this.#newToken();
    const expiresAt = now + sessionMs;
    const session = await store.redeemLink(hashOf(link), { hash: hashOf(token), createdAt: now, expiresAt });
    if (session === null)
      throw unauthorized("This link has expired or was already used. Create a new one with `outreachd user link`.");
    return { token, expiresAt, caller: this.#user(await ring.holder(session.keyHash)) };
  }

  /** The dashboard shows the data of one user, so a key without a user would show nothing. */
  #user(caller: Caller): Caller {
    if (caller.workspaceId !== null) return caller;
    throw unauthorized("This key belongs to no user. Sign in with the API key of a user.");
  }

  #newToken(): string {
    return Buffer.from(this.#parts.ids.secretBytes(tokenBytes)).toString("base64url");
  }
}

/** The token follows the #, so that no server, proxy, or log sees it. */
function signInPath(token: string): string {
  return `/app/sign-in#${token}`;
}

function unauthorized(message: string): ApiError {
  return new ApiError("UNAUTHORIZED", { message });
}
