import type { Clock } from "../../../platform/base/clock.ts";
import { ApiError, invalid } from "../../../platform/base/errors.ts";
import type { Ids } from "../../../platform/base/ids.ts";
import { isAdmin, type Caller } from "../../../platform/auth/caller.ts";
import type { KeyRing } from "../../../platform/auth/key-ring.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import { hashOf, isWellFormed } from "../../../platform/auth/secret.ts";
import type { UserService } from "../users/service.ts";
import { version } from "../../../platform/base/version.ts";
import type { NewSession, SessionView, SignInInput } from "./model.ts";
import type { SessionStore } from "./store.ts";

/** A month of not being asked again; who wants less gives the key an earlier end. */
const sessionMs = 30 * 86_400_000;
/** Long enough to find the terminal it was printed in, short enough that an old screenshot opens nothing. */
const linkMs = 3_600_000;
const tokenBytes = 32;
const sweptAtOnce = 1000;

type Parts = {
  store: SessionStore;
  ring: KeyRing;
  users: UserService;
  clock: Clock;
  ids: Ids;
};

/**
 * Browsers that are signed in. Only the hash of what a browser holds is kept, and a session ends with its key: when
 * that is deleted, turned off, expired, or gets a new secret.
 */
export class SessionService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins a session. Throws UNAUTHORIZED for a key or a link that opens nothing. */
  async signIn({ key, link }: SignInInput): Promise<NewSession & { caller: Caller }> {
    if (key) return this.#signInByKey(key.trim());
    if (link) return this.#signInByLink(link);
    throw invalid([{ path: "key", message: "Paste an API key." }]);
  }

  /** The caller that a browser acts as. Throws UNAUTHORIZED when its session has ended. */
  async callerOf(token: string): Promise<Caller> {
    const { store, ring, clock } = this.#parts;
    const session = await store.find(hashOf(token), clock.now());
    if (session === null) throw ended("Your session has ended. Sign in again.");
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

  /** A link, as the path on this server, that begins a session of the key once, within the hour. The key must be a user's. */
  async makeLink(key: Pick<ApiKey, "id" | "hash" | "userId">): Promise<{ path: string; expiresAt: number }> {
    const { store, clock } = this.#parts;
    if (key.userId === null)
      throw invalid([{ path: "keyId", message: "A global key belongs to nobody: name a key of a user." }]);
    const now = clock.now();
    const token = this.#newToken();
    const expiresAt = now + linkMs;
    await store.insertLink({ hash: hashOf(token), keyId: key.id, keyHash: key.hash, createdAt: now, expiresAt });
    return { path: signInPath(token), expiresAt };
  }

  async sweep(): Promise<void> {
    const { store, clock } = this.#parts;
    while ((await store.sweep(clock.now(), sweptAtOnce)) >= sweptAtOnce);
  }

  async #signInByKey(secret: string): Promise<NewSession & { caller: Caller }> {
    const { store, ring, clock } = this.#parts;
    if (!isWellFormed(secret))
      throw ended("This is not an API key: its form or its checksum is wrong. Was it copied whole?");
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
      throw ended("This link was used already, or is older than an hour. Make a new one with `outreachd user link`.");
    return { token, expiresAt, caller: this.#user(await ring.holder(session.keyHash)) };
  }

  /** The pages show what one user has; a key of nobody would show nothing. */
  #user(caller: Caller): Caller {
    if (caller.userId !== null) return caller;
    throw ended("This key belongs to no user. Sign in with the API key of a person.");
  }

  #newToken(): string {
    return Buffer.from(this.#parts.ids.secretBytes(tokenBytes)).toString("base64url");
  }
}

/** Behind the #, where no server, proxy or log sees the token. */
function signInPath(token: string): string {
  return `/app/sign-in#${token}`;
}

function ended(message: string): ApiError {
  return new ApiError("UNAUTHORIZED", { message });
}
