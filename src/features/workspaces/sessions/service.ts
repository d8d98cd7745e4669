import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import type { Origin } from "../../../platform/auth/audit/model.ts";
import { hashOf, type KeyRing } from "../../../platform/auth/access.ts";
import { denied, isAdmin, type Caller } from "../../../platform/auth/caller.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import { managerOf, mayManage } from "../../../platform/auth/may-manage.ts";
import { requireAddress } from "../../../platform/auth/key-restrictions.ts";
import { isWellFormed } from "../../../platform/auth/secret.ts";
import { isoTime, type Clock, type Ids } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { version } from "../../../platform/base/version.ts";
import { runOutsideRequest } from "../../../lib/concurrency/outside-request.ts";
import type { KeyService } from "../keys/service.ts";
import { requireChange } from "../members/service.ts";
import type { WorkspaceStore } from "../store.ts";
import type { UserService } from "../users/service.ts";
import type { HeldSession, NewSession, OpenSessionView, Session, SessionView, SignInInput } from "./model.ts";
import type { SessionScope, SessionStore } from "./store.ts";
import { switchProblem } from "./decisions.ts";

/** Sessions last a month. For a shorter session, give the key an earlier expiry. */
const sessionMs = 30 * 86_400_000;
/** Long enough to find the terminal that printed the link, and short enough to make old screenshots harmless. */
const linkMs = 3_600_000;
const tokenBytes = 32;
const sweepBatchSize = 1000;
/** A use is recorded only after this time, so that requests of pages seldom write. */
const useIntervalMs = 5 * 60_000;
/** Nobody is signed in to more browsers; older sessions end with their month. */
export const maxSessions = 200;

type Parts = {
  store: SessionStore;
  ring: KeyRing;
  users: UserService;
  workspaces: WorkspaceStore;
  keys: KeyService;
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
  async signIn({ key, link }: SignInInput, origin: Origin): Promise<NewSession & { caller: Caller }> {
    if (key) return this.#signInByKey(key.trim(), origin);
    if (link) return this.#signInByLink(link, origin);
    throw invalid([{ path: "key", message: "Enter an API key." }]);
  }

  /** The caller that a browser acts as. Throws UNAUTHORIZED if its session has ended. */
  async callerOf(token: string): Promise<Caller> {
    const { store, ring, clock } = this.#parts;
    const session = await store.find(hashOf(token), clock.now());
    if (session === null) throw unauthorized("Your session has ended. Sign in again.");
    const caller = this.#user(await ring.holder(session.keyHash));
    const now = clock.now();
    // A use that could not be recorded does no harm.
    if (session.lastUsedAt <= now - useIntervalMs)
      void runOutsideRequest(() => store.touch(session.id, now)).catch(() => {});
    return { ...caller, sessionId: session.id };
  }

  /** Whether a caller would still be accepted, with the same rights and session: for what outlives a moment. */
  async mayGoOn(caller: Caller): Promise<boolean> {
    const { store, ring, clock } = this.#parts;
    if (!(await ring.isGood(caller))) return false;
    return caller.sessionId === undefined || (await store.holder(caller.sessionId, clock.now())) !== null;
  }

  /**
   * The sessions of the caller's user, last used first, or of another member of the workspace, for its owners and admins. Throws
   * NOT_FOUND for a user who is no member.
   */
  async list(caller: Caller, memberId: UserId | undefined): Promise<OpenSessionView[]> {
    const { store, clock } = this.#parts;
    const scope = await this.#scopeOf(caller, memberId);
    return (await store.list(scope, clock.now(), maxSessions)).map((held) => openSessionView(held, caller));
  }

  /** Ends a session of the caller's user, or of a member whom the caller manages. Throws NOT_FOUND for other sessions. */
  async end(caller: Caller, id: string): Promise<void> {
    const { store, clock } = this.#parts;
    const held = await store.holder(id, clock.now());
    const isVisible = held !== null && (held.userId === caller.userId || held.workspaceId === caller.workspaceId);
    if (!isVisible) throw notFound("session", id);
    const scope = await this.#scopeOf(caller, held.userId);
    if ((await this.#end(caller, scope, { ids: [id] })) === 0) throw notFound("session", id);
  }

  /** Ends the sessions of the caller's user, except the one in use. Returns how many. */
  async endOthers(caller: Caller): Promise<number> {
    return this.#end(caller, await this.#scopeOf(caller, undefined), { except: caller.sessionId ?? null });
  }

  /**
   * Replaces a session by one in another workspace of its user. Throws PERMISSION_DENIED for a session whose key is restricted,
   * and NOT_FOUND for a workspace that the user is not active in.
   */
  async switchTo(
    caller: Caller,
    token: string,
    workspaceId: WorkspaceId,
    origin: Origin,
  ): Promise<NewSession & { caller: Caller }> {
    const { store, ring, workspaces, keys } = this.#parts;
    const userId = caller.userId ?? "";
    const there = await workspaces.holder(workspaceId, userId);
    if (there === null) throw notFound("workspace", workspaceId);
    const problem = switchProblem(await keys.limitsOf(caller), there.member);
    if (problem !== null) throw denied(caller, "*", problem);
    const { hash } = await keys.dashboardKey(caller, { workspaceId, userId });
    const switched = this.#user(await ring.holder(hash));
    const started = await this.#start(switched, hash, origin);
    await store.remove(hashOf(token));
    ring.forget();
    return started;
  }

  /**
   * Starts a session for a user who proved elsewhere who they are: in the given workspace, or else in the one that they
   * used last. Null if they are active in none.
   */
  async startFor(
    userId: UserId,
    workspaceId: WorkspaceId | null,
    origin: Origin,
  ): Promise<(NewSession & { caller: Caller }) | null> {
    const key = await this.#keyFor(userId, workspaceId);
    if (key === null) return null;
    return this.#start(this.#user(await this.#parts.ring.holder(key.hash)), key.hash, origin);
  }

  /** Creates a sign-in link for a user; null if they are active in no workspace. */
  async linkFor(userId: UserId): Promise<{ path: string; expiresAt: number } | null> {
    const key = await this.#keyFor(userId, null);
    return key && this.makeLink(key);
  }

  async view(caller: Caller): Promise<SessionView> {
    const { users, workspaces } = this.#parts;
    const { keyId, keyName, permissions, requiresApproval, userId, workspaceId, memberRole } = caller;
    const [user, workspace] = await Promise.all([users.get(userId ?? ""), workspaces.get(workspaceId ?? "")]);
    return {
      user,
      workspace: { id: workspaceId ?? "", name: workspace?.name ?? "", role: memberRole ?? "" },
      isAdmin: isAdmin(caller),
      key: { id: keyId, name: keyName, requiresApproval },
      permissions: [...permissions],
      version,
    };
  }

  /** Safe to call twice. */
  async signOut(token: string): Promise<void> {
    const { store, ring } = this.#parts;
    await store.remove(hashOf(token));
    ring.forget();
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

  async #signInByKey(secret: string, origin: Origin): Promise<NewSession & { caller: Caller }> {
    if (!isWellFormed(secret))
      throw unauthorized(
        "This is not a valid API key: its format or checksum is wrong. Check that it was copied completely.",
      );
    const keyHash = hashOf(secret);
    return this.#start(this.#user(await this.#parts.ring.holder(keyHash)), keyHash, origin);
  }

  /** The key of a user for sessions: in a workspace, or else in the one that they used last. */
  async #keyFor(userId: UserId, workspaceId: WorkspaceId | null): Promise<ApiKey | null> {
    const { store, workspaces, keys, clock } = this.#parts;
    const memberships = (await workspaces.ofUser(userId)).filter(({ member }) => member.isActive);
    const used = (await store.list({ userId }, clock.now(), maxSessions)).map((held) => held.workspaceId);
    const wanted = workspaceId === null ? used : [workspaceId];
    const ids = memberships.map(({ workspace }) => workspace.id);
    const chosen = wanted.find((id) => ids.includes(id)) ?? ids[0];
    return chosen === undefined ? null : keys.dashboardKey(null, { workspaceId: chosen, userId });
  }

  async #start(caller: Caller, keyHash: string, origin: Origin): Promise<NewSession & { caller: Caller }> {
    requireOrigin(caller, origin);
    const { token, session } = this.#newSession(origin);
    await this.#parts.store.insert({ ...session, keyId: caller.keyId, keyHash });
    return { token, expiresAt: session.expiresAt, caller: { ...caller, sessionId: session.id } };
  }

  async #signInByLink(link: string, origin: Origin): Promise<NewSession & { caller: Caller }> {
    const { store, ring } = this.#parts;
    const { token, session } = this.#newSession(origin);
    const started = await store.redeemLink(hashOf(link), session);
    if (started === null)
      throw unauthorized("This link has expired or was already used. Create a new one with `outreachd user link`.");
    const caller = this.#user(await ring.holder(started.keyHash));
    requireOrigin(caller, origin);
    return { token, expiresAt: session.expiresAt, caller: { ...caller, sessionId: session.id } };
  }

  #newSession({ address, userAgent }: Origin): { token: string; session: Omit<Session, "keyId" | "keyHash"> } {
    const { clock, ids } = this.#parts;
    const now = clock.now();
    const token = this.#newToken();
    const times = { createdAt: now, lastUsedAt: now, expiresAt: now + sessionMs };
    return { token, session: { id: ids.next(now), hash: hashOf(token), address, userAgent, ...times } };
  }

  /** The sessions of the own user everywhere, or of a member of the workspace whom the caller manages. */
  async #scopeOf(caller: Caller, memberId: UserId | undefined): Promise<SessionScope> {
    const { workspaceId, userId } = caller;
    if (workspaceId === null || userId === null)
      throw invalid([
        { path: "", message: "A global key belongs to no user and has no sessions. Use the key of a user." },
      ]);
    if (memberId === undefined || memberId === userId) return { userId };
    const found = await this.#parts.workspaces.member(workspaceId, memberId);
    if (found === null) throw notFound("member", memberId);
    requireChange(caller, mayManage(managerOf(caller), { before: found.member, after: null }));
    return { userId: memberId, workspaceId };
  }

  async #end(caller: Caller, scope: SessionScope, which: Parameters<SessionStore["end"]>[1]): Promise<number> {
    const { store, ring, clock } = this.#parts;
    const target = { type: "member", id: scope.userId };
    const event = { action: "session.ended", workspaceId: caller.workspaceId, target } as const;
    const ended = await store.end(scope, which, auditEntry(caller, clock.now(), event));
    // Streams of the ended sessions look again whether they may go on.
    ring.forget();
    return ended;
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

/** A browser is refused at sign-in, rather than with its first request. */
function requireOrigin({ restrictions }: Caller, { address }: Origin): void {
  if (restrictions !== undefined) requireAddress(restrictions, address ?? "");
}

function openSessionView({ session, keyName, userId, workspaceId }: HeldSession, caller: Caller): OpenSessionView {
  const { id, address, userAgent, createdAt, lastUsedAt, expiresAt } = session;
  const times = { createdAt: isoTime(createdAt), lastUsedAt: isoTime(lastUsedAt), expiresAt: isoTime(expiresAt) };
  return { id, userId, workspaceId, keyName, address, userAgent, ...times, isCurrent: id === caller.sessionId };
}

/** The token follows the #, so that no server, proxy, or log sees it. */
function signInPath(token: string): string {
  return `/app/sign-in#${token}`;
}

function unauthorized(message: string): ApiError {
  return new ApiError("UNAUTHORIZED", { message });
}
