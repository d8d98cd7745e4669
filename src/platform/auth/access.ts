import { runOutsideRequest } from "../../lib/concurrency/outside-request.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import type { UserId, WorkspaceId } from "../base/ids.ts";
import { ApiError, invalid, notFound } from "../base/errors.ts";
import { denied, type Caller } from "./caller.ts";
import type { ApiKey, Permission } from "./key-model.ts";
import type { KeyStore, KeyUsage } from "./key-store.ts";
import { isWellFormed } from "./secret.ts";
import { effectivePermissions } from "./member-role.ts";
import type { Holder, HolderLookup } from "./workspace-model.ts";

/** Who may use a route. */
export type Access = {
  /** One of these is enough. Null: any valid key. */
  permission: Permission | readonly Permission[] | null;
  /**
   * user: the user of the key, or the one that a global key names in `userId`. ownKey: the same, but global keys are
   * refused and pointed to `availableRoute`. caller: no user.
   */
  actsFor: "user" | "ownKey" | "caller";
  availableRoute?: string;
};

/** Limits the memory of the cache. A team has dozens of keys; when the cache is full, it is cleared. */
const maxCached = 10_000;

type Known = { key: Pick<ApiKey, "id" | "expiresAt" | "isActive">; caller: Caller };

/** Scrapers usually wait 10 s, and reading the metrics takes some of it. */
const outageMs = 2_000;

/** Hash under which a secret is stored. Secrets are long and random, so one round of SHA-256 is enough. */
export function hashOf(secret: string): string {
  return Bun.SHA256.hash(secret, "hex");
}

/**
 * Resolves the secret of a request to its caller. Keys are cached by hash until a key changes. Usage is counted in
 * memory and written in batches (`flush`).
 */
export class KeyRing {
  readonly #keys: KeyStore;
  readonly #holders: HolderLookup;
  readonly #clock: Clock;
  readonly #mayCache: () => boolean;
  readonly #known = new Map<string, Known>();
  readonly #locals = new Map<string, Known>();
  readonly #listeners = new Set<() => void>();
  #usages = new Map<string, KeyUsage>();
  #writing: Promise<void> | null = null;
  /** Incremented when keys change, so that the result of a lookup that started earlier is not cached. */
  #generation = 0;

  /** `mayCache`: false while this process would not learn that a key changed elsewhere. */
  constructor(keys: KeyStore, holders: HolderLookup, clock: Clock, mayCache: () => boolean = () => true) {
    this.#mayCache = mayCache;
    this.#keys = keys;
    this.#holders = holders;
    this.#clock = clock;
  }

  /** Accepts `secret` as a global key while this process runs. It is not stored. */
  addLocal(secret: string): void {
    const caller: Caller = {
      keyId: "local",
      keyName: "local",
      keyHash: null,
      workspaceId: null,
      userId: null,
      role: null,
      memberRole: null,
      permissions: ["*"],
      requiresApproval: false,
      expiresAt: null,
      isLocal: true,
    };
    this.#locals.set(hashOf(secret), { key: { id: "local", expiresAt: null, isActive: true }, caller });
  }

  /**
   * Returns the caller, synchronously if the key is cached. Throws UNAUTHORIZED if the secret is missing, malformed, or
   * unknown, or if its key is expired or deactivated.
   */
  identify(secret: string | null): Caller | Promise<Caller> {
    if (!secret) throw new ApiError("UNAUTHORIZED", { message: "Send your API key in the x-api-key header." });
    const hash = hashOf(secret);
    if (!this.#known.has(hash) && !isWellFormed(secret))
      throw new ApiError("UNAUTHORIZED", {
        message: "Malformed API key: the format or checksum is wrong. Check that you copied the whole key.",
      });
    return this.holder(hash);
  }

  /** Like `identify`, for code that stored the hash of a secret it was sent earlier. */
  holder(hash: string): Caller | Promise<Caller> {
    const known = this.#locals.get(hash) ?? (this.#mayCache() ? this.#known.get(hash) : undefined);
    return known === undefined ? this.#lookUp(hash) : this.#accept(known);
  }

  /**
   * Like `identify`, for what must work while the database is away: if it does not respond, a key is accepted that was good
   * when the process last heard of it.
   */
  async identifyInOutage(secret: string | null): Promise<Caller> {
    const known = secret ? this.#known.get(hashOf(secret)) : undefined;
    const found = Promise.resolve(this.identify(secret));
    if (known === undefined) return found;
    const { promise: silence, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), outageMs);
    try {
      const caller = await Promise.race([found.catch(rethrowRefusals), silence]);
      return caller ?? this.#accept(known);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Clears the cache: a key or a user has changed. */
  forget(): void {
    this.#generation++;
    this.#known.clear();
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever a key or a user may have changed. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a caller would still be accepted, with the same rights: for what outlives the request. */
  async isGood(caller: Caller): Promise<boolean> {
    if (caller.isLocal) return true;
    const { origin: _origin, sessionId: _session, ...before } = caller;
    const key = caller.keyHash === null ? null : await this.#keys.findByHash(caller.keyHash);
    if (key === null || !key.isActive || (key.expiresAt !== null && key.expiresAt <= this.#clock.now())) return false;
    const holder = await this.#holderOf(key);
    return (key.userId === null || holder !== null) && Bun.deepEquals(callerOf(key, holder), before);
  }

  /** Usage that is counted but not yet written; null if there is none. */
  unwritten(keyId: string): KeyUsage | null {
    return this.#usages.get(keyId) ?? null;
  }

  /**
   * Reads from the store and joins the result with what is `unwritten` at that time. Usage that is being written could
   * be counted twice or not at all, so this waits for a running write and reads again if one started in between.
   */
  async withUnwritten<Found, Joined>(read: () => Promise<Found>, join: (found: Found) => Joined): Promise<Joined> {
    for (;;) {
      while (this.#writing !== null) await this.#writing.catch(() => {});
      const usages = this.#usages;
      const found = await read();
      if (usages === this.#usages) return join(found);
    }
  }

  /** Writes the usage counted so far. What cannot be written stays counted. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing.catch(() => {});
    if (this.#usages.size === 0) return;
    this.#writing = this.#write();
    try {
      await this.#writing;
    } finally {
      this.#writing = null;
    }
  }

  async #write(): Promise<void> {
    const written = this.#usages;
    this.#usages = new Map();
    try {
      await runOutsideRequest(() => this.#keys.recordUsage([...written.values()]));
    } catch (error) {
      for (const usage of written.values()) this.#count(usage.keyId, usage.uses, usage.lastUsedAt);
      throw error;
    }
  }

  async #lookUp(hash: string): Promise<Caller> {
    const generation = this.#generation;
    const key = await this.#keys.findByHash(hash);
    if (key === null)
      throw new ApiError("UNAUTHORIZED", { message: "API key not found. It may have been deleted or regenerated." });
    const holder = await this.#holderOf(key);
    if (key.userId !== null && holder === null)
      throw new ApiError("UNAUTHORIZED", { message: "The user of this API key is not active in its workspace." });
    const known = { key, caller: callerOf(key, holder) };
    if (this.#known.size >= maxCached) this.#known.clear();
    if (generation === this.#generation && this.#mayCache()) this.#known.set(hash, known);
    return this.#accept(known);
  }

  async #holderOf({ workspaceId, userId }: ApiKey): Promise<Holder | null> {
    return workspaceId === null || userId === null ? null : this.#holders.holder(workspaceId, userId);
  }

  #accept({ key, caller }: Known): Caller {
    const now = this.#clock.now();
    if (!key.isActive) throw new ApiError("UNAUTHORIZED", { message: "This API key is deactivated." });
    if (key.expiresAt !== null && key.expiresAt <= now)
      throw new ApiError("UNAUTHORIZED", { message: `This API key expired at ${isoTime(key.expiresAt)}.` });
    if (!caller.isLocal) this.#count(key.id, 1, now);
    return caller;
  }

  #count(keyId: string, uses: number, lastUsedAt: number): void {
    const usage = this.#usages.get(keyId);
    if (usage === undefined) this.#usages.set(keyId, { keyId, uses, lastUsedAt });
    else {
      usage.uses += uses;
      usage.lastUsedAt = Math.max(usage.lastUsedAt, lastUsedAt);
    }
  }
}

/** Null for an error that says nothing about the key. */
function rethrowRefusals(error: unknown): null {
  if (error instanceof ApiError && error.code === "UNAUTHORIZED") throw error;
  return null;
}

function callerOf(key: ApiKey, holder: Holder | null): Caller {
  return {
    keyId: key.id,
    keyName: key.name,
    keyHash: key.hash,
    workspaceId: key.workspaceId,
    userId: key.userId,
    role: holder?.role ?? null,
    memberRole: holder?.member.role ?? null,
    permissions: holder === null ? key.permissions : effectivePermissions(key.permissions, holder.member),
    requiresApproval: key.requiresApproval,
    expiresAt: key.expiresAt,
    isLocal: false,
    ...restrictionsOf(key),
  };
}

function restrictionsOf({ rateLimits, allowedNetworks }: ApiKey): Pick<Caller, "restrictions"> {
  return rateLimits === null && allowedNetworks === null ? {} : { restrictions: { rateLimits, allowedNetworks } };
}

export function hasPermission(caller: Pick<Caller, "permissions">, permission: Permission): boolean {
  return caller.permissions.includes(permission) || caller.permissions.includes("*");
}

/** Throws PERMISSION_DENIED with `permissionHelp`, or `WrongKeyKind`, unless the caller has access. */
export function requireAccess(caller: Caller, { permission, actsFor, availableRoute = "" }: Access): void {
  const accepted = permission === null ? [] : [permission].flat();
  if (accepted.length > 0 && !accepted.some((name) => hasPermission(caller, name)))
    throw denied(caller, accepted[0]!, `This API key does not have the permission ${accepted.join(" or ")}.`);
  if (actsFor === "ownKey" && caller.workspaceId === null) throw new WrongKeyKind(availableRoute);
}

/** Whom a request acts for. `userId` is null if a global key names a workspace rather than a user. */
export type Acting = { workspaceId: WorkspaceId; userId: UserId | null };

/** What an ID stands for: the workspaces that it may mean, and the user whose ID it is. */
export type Named = { workspaceIds: readonly WorkspaceId[]; userId: UserId | null };

/**
 * Whom a request acts for: the member that the key belongs to or, for a global key, the user or workspace that is `named`.
 * A user who is a member of several workspaces does not say which.
 */
export async function actingFor(caller: Caller, named: unknown, find: (id: string) => Promise<Named>): Promise<Acting> {
  const { workspaceId, userId } = caller;
  if (workspaceId !== null) {
    if (named === undefined || named === workspaceId || named === userId) return { workspaceId, userId };
    throw denied(caller, "*", "A user-specific key can act only for its own user. Omit userId, or use a global key.");
  }
  if (typeof named !== "string" || named === "")
    throw invalid([
      { path: "userId", message: "User to act for. Required with a global key, in the query or the body." },
    ]);
  const found = await find(named);
  return { workspaceId: onlyWorkspace(found, named), userId: found.userId };
}

/** The workspace that an ID stands for. Throws NOT_FOUND, and VALIDATION_ERROR for a user of several. */
export function onlyWorkspace({ workspaceIds }: Named, named: string): WorkspaceId {
  const [only, ...others] = workspaceIds;
  if (only === undefined) throw notFound("user", named);
  if (others.length === 0) return only;
  const message = `This user is a member of several workspaces. Send the ID of one instead: ${workspaceIds.join(", ")}.`;
  throw invalid([{ path: "userId", message }]);
}

/** An error with a body that the specification defines separately: `error` is a sentence, and it has no code. */
export class WrongKeyKind extends Error {
  readonly availableRoute: string;

  constructor(availableRoute: string) {
    super("This route requires a user-specific API key. With a global key, use the route in availableRoute.");
    this.availableRoute = availableRoute;
  }
}
