import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import type { AuditAction, AuditDetails, AuditEntry } from "../../../platform/auth/audit/model.ts";
import { singleLine } from "../../../platform/base/text.ts";
import { type Clock, type Ids, isoTime } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../../platform/base/errors.ts";
import { hintOf } from "../../../platform/base/secret-text.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { WorkspaceService } from "../service.ts";
import { denied, isAdmin, keyScopeOf, type Caller } from "../../../platform/auth/caller.ts";
import { refusalOf } from "./refusal.ts";
import { keyView, newKeyView } from "./views.ts";
import { hashOf, onlyWorkspace, type KeyRing } from "../../../platform/auth/access.ts";
import { boundedExpiry, mayGrant, type KeyLimits } from "../../../platform/auth/may-grant.ts";
import { networksOf } from "../../../platform/auth/key-restrictions.ts";
import { knownPermissions } from "../../../platform/auth/known-permissions.ts";
import {
  dashboardKeyName,
  permissions as allPermissions,
  type ApiKey,
  type Grant,
  type KeyInput,
  type KeyUpdate,
  limitsOf,
  type KeyUsageView,
  type KeyView,
  type NewKeyView,
} from "../../../platform/auth/key-model.ts";
import { makeSecret, type KeyKind } from "../../../platform/auth/secret.ts";
import type { KeyChange, KeyScope, KeyStore } from "../../../platform/auth/key-store.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";

const dayMs = 86_400_000;
/** Days before expiry at which the owner is warned: enough time to replace a key, even over a weekend. */
const warnDays = 7;
const warnBatchSize = 200;
const maxKeysOfMember = 1000;
export const maxUsageDays = 90;
const forgetBatchSize = 1000;

/** The member that a key belongs to; null for a global key. */
export type KeyOwner = { workspaceId: WorkspaceId; userId: UserId } | null;

export type KeyParts = {
  keys: KeyStore;
  workspaces: WorkspaceService;
  ring: KeyRing;
  /** Whether the key has a monthly credit budget. */
  hasBudget: (keyId: string) => Promise<boolean>;
  clock: Clock;
  ids: Ids;
};

/** Manages API keys. A secret is shown only when it is created; only its hash is stored. */
export class KeyService {
  readonly #keys: KeyStore;
  readonly #workspaces: WorkspaceService;
  readonly #ring: KeyRing;
  readonly #hasBudget: KeyParts["hasBudget"];
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #leaksReported = new Map<string, number>();

  constructor({ keys, workspaces, ring, hasBudget, clock, ids }: KeyParts) {
    this.#keys = keys;
    this.#workspaces = workspaces;
    this.#ring = ring;
    this.#hasBudget = hasBudget;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Creates a key for the caller or, for admins of the installation and global keys, for another user. Restrictions of
   * the caller apply to the key. Throws PERMISSION_DENIED if the key would have more rights than its creator, VALIDATION_ERROR for an
   * unknown permission, and NOT_FOUND for an unknown user.
   */
  async create(caller: Caller, input: KeyInput): Promise<NewKeyView> {
    const owner = await this.#ownerOf(caller, input);
    const granted = input.global ? (["*"] as const) : knownPermissions(input.permissions);
    const { key: made, secret } = this.make(owner, nameOf(input.name), [...granted], input.expiresInDays ?? null);
    const key = {
      ...made,
      requiresApproval: input.requiresApproval ?? caller.requiresApproval,
      expiresAt: made.expiresInDays === null ? boundedExpiry(caller, null) : made.expiresAt,
      rateLimits: limitsOf(input.rateLimits),
      // A key that is limited to networks makes keys for the same ones.
      allowedNetworks: networksIn(input.allowedNetworks) ?? caller.restrictions?.allowedNetworks ?? null,
    };
    await this.#requireGrant(caller, key);
    const details = { name: key.name, hint: key.hint, permissions: key.permissions };
    await this.#keys.insert(key, this.#audit(caller, "key.created", key, details));
    return newKeyView(key, secret);
  }

  /** Generates a key and its secret without storing them. Without an owner, the key is global. */
  make(owner: KeyOwner, name: string, granted: Grant[], expiresInDays: number | null): { key: ApiKey; secret: string } {
    const now = this.#clock.now();
    const secret = this.#secretFor(owner);
    const key: ApiKey = {
      id: this.#ids.next(now),
      workspaceId: owner?.workspaceId ?? null,
      userId: owner?.userId ?? null,
      name,
      hash: hashOf(secret),
      hint: hintOf(secret),
      permissions: granted,
      requiresApproval: false,
      rateLimits: null,
      allowedNetworks: null,
      expiresAt: expiryOf(expiresInDays, now),
      expiresInDays,
      isActive: true,
      usageCount: 0,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    return { key, secret };
  }

  /** The key of a member for sessions whose secret nobody has; made if there is none. */
  async dashboardKey(caller: Caller | null, owner: { workspaceId: WorkspaceId; userId: UserId }): Promise<ApiKey> {
    for (const key of await this.#keys.list(owner, maxKeysOfMember))
      if (key.name === dashboardKeyName && isUnrestricted(key) && !(await this.#hasBudget(key.id))) return key;
    const { key } = this.make(owner, dashboardKeyName, [...allPermissions], null);
    const details = { name: key.name, hint: key.hint, permissions: key.permissions };
    await this.#keys.insert(key, this.#audit(caller, "key.created", key, details));
    return key;
  }

  /** What the caller's key was given: in another workspace of its user, the role there limits it, not the one here. */
  async limitsOf(caller: Caller): Promise<KeyLimits> {
    const { keyId: id, requiresApproval, expiresAt } = caller;
    const permissions = (await this.#keys.get("all", id))?.permissions ?? [];
    const restrictions = caller.restrictions ?? unrestricted;
    return { id, permissions, requiresApproval, expiresAt, hasBudget: await this.#hasBudget(id), ...restrictions };
  }

  /** Newest first: the caller's own keys or, for a global key, those of `userId` or all. */
  async list(
    caller: Caller,
    userId: UserId | undefined,
    limit: number,
    after: TimePlace | null,
  ): Promise<{ keys: { view: KeyView; place: TimePlace }[]; total: number }> {
    const wanted = listedScope(caller, userId);
    if (wanted === null) return { keys: [], total: 0 };
    return this.#ring.withUnwritten(
      async () => ({ keys: await this.#keys.list(wanted, limit, after), total: await this.#keys.count(wanted) }),
      ({ keys, total }) => ({ keys: keys.map((key) => ({ view: this.#view(key), place: key })), total }),
    );
  }

  /**
   * Throws PERMISSION_DENIED if the key has, or would have, more rights than the caller. Any caller who may delete the
   * key may also disable it.
   */
  async update(caller: Caller, id: string, input: KeyUpdate): Promise<KeyView> {
    const isDisabling = input.isActive === false && Object.keys(input).length === 1;
    const key = await (isDisabling ? this.#requireRevocable(caller, id) : this.#require(caller, id));
    if (key.workspaceId === null && input.permissions !== undefined)
      throw invalid([
        { path: "permissions", message: "A global key has all permissions, which cannot be restricted." },
      ]);
    const now = this.#clock.now();
    const { expiresInDays } = input;
    const change: KeyChange = {
      ...(input.name !== undefined && { name: nameOf(input.name) }),
      ...(input.permissions !== undefined && { permissions: knownPermissions(input.permissions) }),
      ...(input.isActive !== undefined && { isActive: input.isActive }),
      ...(input.requiresApproval !== undefined && { requiresApproval: input.requiresApproval }),
      ...(expiresInDays !== undefined && { expiresInDays, expiresAt: expiryOf(expiresInDays, now) }),
      ...(input.rateLimits !== undefined && { rateLimits: limitsOf(input.rateLimits) }),
      ...(input.allowedNetworks !== undefined && { allowedNetworks: networksIn(input.allowedNetworks) }),
      updatedAt: now,
    };
    if (!isDisabling) {
      await this.#requireGrant(caller, key);
      await this.#requireGrant(caller, { ...key, ...change });
    }
    const { updatedAt: _at, rateLimits, ...changed } = change;
    const written = await this.#write(
      id,
      change,
      this.#audit(caller, "key.updated", key, {
        ...changed,
        ...(rateLimits !== undefined && { rateLimits: rateLimits && JSON.stringify(rateLimits) }),
      }),
    );
    return this.#ring.withUnwritten(
      async () => (await this.#keys.get("all", id)) ?? written,
      (latest) => this.#view(latest),
    );
  }

  /**
   * Gives the key a new secret. The old one is rejected as soon as this resolves. The expiry restarts but cannot exceed
   * that of the caller. Throws PERMISSION_DENIED if the key has more rights than the caller.
   */
  async regenerate(caller: Caller, id: string): Promise<NewKeyView> {
    // Pending uses of the old secret are written first; otherwise they would count as the last use of the new one.
    await this.#ring.flush();
    const key = await this.#require(caller, id);
    const now = this.#clock.now();
    const expiresAt = boundedExpiry(caller, expiryOf(key.expiresInDays, now));
    await this.#requireGrant(caller, { ...key, expiresAt });
    const secret = this.#secretFor(ownerOf(key));
    const change = {
      ...{ hash: hashOf(secret), hint: hintOf(secret), expiresAt },
      ...{ createdAt: now, updatedAt: now, lastUsedAt: null },
    };
    const audit = this.#audit(caller, "key.regenerated", key, { name: key.name, hint: change.hint });
    return newKeyView(await this.#write(id, change, audit), secret);
  }

  /**
   * Returns the key if the caller may sign in with it, which, as for `regenerate`, requires at least its rights. Throws
   * CONFLICT if the key is disabled or expired.
   */
  async forSignIn(caller: Caller, id: string): Promise<ApiKey> {
    const key = await this.#require(caller, id);
    await this.#requireGrant(caller, key);
    if (!key.isActive || (key.expiresAt !== null && key.expiresAt <= this.#clock.now()))
      throw new ApiError("CONFLICT", { message: `API key "${key.name}" is disabled or expired.` });
    return key;
  }

  /**
   * Deletes the key permanently and returns its name. It is rejected as soon as this resolves. Admins may delete any
   * key.
   */
  async remove(caller: Caller, id: string): Promise<string> {
    const key = await this.#requireRevocable(caller, id);
    const audit = this.#audit(caller, "key.deleted", key, { name: key.name, hint: key.hint });
    if (!(await this.#keys.remove(id, this.#clock.now(), audit))) throw notFound("key", id);
    this.#ring.forget();
    return key.name;
  }

  /** Requests of the last `days` days of a key that the caller may see, today included. Throws NOT_FOUND for other keys. */
  async usage(caller: Caller, id: string, days: number): Promise<KeyUsageView> {
    if ((await this.#keys.get(keyScopeOf(caller), id)) === null) throw notFound("key", id);
    // What is counted in memory belongs to today, too.
    await this.#ring.flush();
    const today = Math.floor(this.#clock.now() / dayMs);
    const from = today - days + 1;
    const found = new Map((await this.#keys.usage(id, from)).map(({ day, uses }) => [day, uses]));
    return {
      days: Array.from({ length: days }, (_, index) => ({
        date: isoTime((from + index) * dayMs).slice(0, 10),
        requests: found.get(from + index) ?? 0,
      })),
    };
  }

  /** Deletes numbers of requests that nobody is shown any more. */
  async forgetUsage(): Promise<void> {
    const day = Math.floor(this.#clock.now() / dayMs) - maxUsageDays;
    while ((await this.#keys.forgetUsage(day, forgetBatchSize)) === forgetBatchSize);
  }

  /** Warns the owners of keys that expire within a week. */
  async warnOfExpiry(): Promise<void> {
    const now = this.#clock.now();
    while ((await this.#keys.warnOfEnds(now, now + warnDays * dayMs, warnBatchSize)) === warnBatchSize);
  }

  /** Reports valid keys that were sent where others can read them. */
  async reportLeaks(secrets: readonly string[]): Promise<void> {
    const now = this.#clock.now();
    for (const secret of secrets) {
      const key = await this.#keys.findByHash(hashOf(secret));
      if (key === null || !key.isActive || (key.expiresAt !== null && key.expiresAt <= now)) continue;
      // Clients that leak a key do so with every request, so most are handled without a write.
      if ((this.#leaksReported.get(key.id) ?? -Infinity) > now - dayMs) continue;
      await this.#keys.tellLeak(key, now, now - dayMs);
      this.#leaksReported.set(key.id, now);
    }
  }

  /** Number of uses of the key, including those not written yet. */
  async usageCount(id: string): Promise<number> {
    return this.#ring.withUnwritten(
      () => this.#keys.get("all", id),
      (key) => (key?.usageCount ?? 0) + (this.#ring.unwritten(id)?.uses ?? 0),
    );
  }

  #secretFor(owner: KeyOwner): string {
    const kind: KeyKind = owner === null ? "global" : "user";
    return makeSecret(kind, this.#ids);
  }

  async #ownerOf(caller: Caller, { userId, global }: KeyInput): Promise<KeyOwner> {
    if (global) {
      if (caller.isLocal) return null;
      throw denied(
        caller,
        "*",
        "Global keys can be created only on the command line of the server: outreachd key create --global.",
        { refused: "globalKey" },
      );
    }
    if (userId === undefined || userId === caller.userId) {
      if (caller.workspaceId !== null && caller.userId !== null)
        return { workspaceId: caller.workspaceId, userId: caller.userId };
      throw invalid([{ path: "userId", message: "User the new key is for. Required with a global key." }]);
    }
    // A key acts as its user, in whatever else that user belongs to, so owners and admins of a workspace do not make keys
    // of its members. Also for a user who does not exist: who may not create the key does not learn which users there are.
    if (!isAdmin(caller)) throw denied(caller, "*", "Only admins of the installation can create keys for other users.");
    const own = caller.workspaceId;
    if (own !== null && (await this.#workspaces.isMember(own, userId))) return { workspaceId: own, userId };
    const found = await this.#workspaces.find(userId);
    if (found.userId === null) throw notFound("user", userId);
    return { workspaceId: onlyWorkspace(found, userId), userId: found.userId };
  }

  async #requireGrant(caller: Caller, key: ApiKey): Promise<void> {
    const restrictions = caller.restrictions ?? unrestricted;
    const maker = {
      ...caller,
      ...restrictions,
      id: caller.keyId,
      hasBudget: !caller.isLocal && (await this.#hasBudget(caller.keyId)),
    };
    const obstacle = mayGrant(maker, { ...key, hasBudget: maker.hasBudget });
    if (obstacle !== null) throw refusalOf(caller, obstacle);
  }

  async #require(caller: Caller, id: string): Promise<ApiKey> {
    const key = await this.#keys.get(ownScope(caller), id);
    if (key === null) throw notFound("key", id);
    return key;
  }

  /** A key that the caller may delete or disable: for admins, any key of a user. */
  async #requireRevocable(caller: Caller, id: string): Promise<ApiKey> {
    const key = await this.#keys.get(keyScopeOf(caller), id);
    // Global keys belong to no user of the team, so only a caller without a user can revoke them.
    if (key === null || (key.workspaceId === null && caller.workspaceId !== null)) throw notFound("key", id);
    return key;
  }

  #audit(caller: Caller | null, action: AuditAction, { id, workspaceId }: ApiKey, details: AuditDetails): AuditEntry {
    return auditEntry(caller, this.#clock.now(), { action, workspaceId, target: { type: "key", id }, details });
  }

  async #write(id: string, change: KeyChange, audit: AuditEntry): Promise<ApiKey> {
    const key = await this.#keys.update(id, change, audit);
    this.#ring.forget();
    if (key === null) throw notFound("key", id);
    return key;
  }

  #view(key: ApiKey): KeyView {
    const { uses, lastUsedAt } = this.#ring.unwritten(key.id) ?? { uses: 0, lastUsedAt: key.lastUsedAt };
    return keyView({ ...key, usageCount: key.usageCount + uses, lastUsedAt });
  }
}

function expiryOf(days: number | null, from: number): number | null {
  return days === null ? null : from + days * dayMs;
}

/** Removes control characters, which could manipulate the terminals that show the name. */
function nameOf(sent: string): string {
  const name = singleLine(sent);
  if (name === "") throw invalid([{ path: "name", message: "Must not be empty." }]);
  return name;
}

function isUnrestricted({ permissions, isActive, expiresAt, requiresApproval, ...key }: ApiKey): boolean {
  if (key.rateLimits !== null || key.allowedNetworks !== null) return false;
  const isWhole = permissions.includes("*") || allPermissions.every((permission) => permissions.includes(permission));
  return isWhole && isActive && expiresAt === null && !requiresApproval;
}

function ownerOf({ workspaceId, userId }: ApiKey): KeyOwner {
  return workspaceId === null || userId === null ? null : { workspaceId, userId };
}

function ownScope({ workspaceId, userId }: Caller): KeyScope {
  return workspaceId === null || userId === null ? "all" : { workspaceId, userId };
}

/** The keys that a list shows: the caller's own or, for a global key, all; or those of a user. Null: none. */
function listedScope(caller: Caller, userId: UserId | undefined): KeyScope | null {
  const own = ownScope(caller);
  if (userId === undefined || userId === caller.userId) return own;
  if (isAdmin(caller)) return { userId };
  const managed = keyScopeOf(caller);
  return managed !== "all" && managed.userId === undefined ? { ...managed, userId } : null;
}

const unrestricted = { rateLimits: null, allowedNetworks: null };

function networksIn(sent: readonly string[] | null | undefined): string[] | null {
  return sent ? networksOf(sent) : null;
}
