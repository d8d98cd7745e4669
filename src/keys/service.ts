import { auditEntry } from "../audit/entry.ts";
import type { AuditAction, AuditDetails, AuditEntry } from "../audit/model.ts";
import { singleLine } from "../clean-text.ts";
import { isoTime, isoTimeOrNull, type Clock } from "../clock.ts";
import { ApiError, invalid, notFound } from "../errors.ts";
import type { Ids } from "../ids.ts";
import type { TimePlace } from "../time-place.ts";
import type { UserStore } from "../users/store.ts";
import { isAdmin, type Caller } from "./caller.ts";
import type { KeyRing } from "./key-ring.ts";
import {
  permissions as allPermissions,
  type ApiKey,
  type Grant,
  type KeyInput,
  type KeyUpdate,
  type KeyView,
  type NewKeyView,
} from "./model.ts";
import { hashOf, hintOf, makeSecret, type KeyKind } from "./secret.ts";
import type { KeyChange, KeyScope, KeyStore } from "./store.ts";

const dayMs = 86_400_000;
/** Before a key expires: time enough to make another, also over a weekend. */
const warnDays = 7;
const warnedAtOnce = 200;

/** API keys. Secrets are shown once, when they are made; only their hashes are kept. */
export class KeyService {
  readonly #keys: KeyStore;
  readonly #users: UserStore;
  readonly #ring: KeyRing;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #leaksTold = new Map<string, number>();

  constructor(keys: KeyStore, users: UserStore, ring: KeyRing, clock: Clock, ids: Ids) {
    this.#keys = keys;
    this.#users = users;
    this.#ring = ring;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Makes a key for the caller's user, or for the named one if the caller may. PERMISSION_DENIED when it would hold
   * more than its maker does; VALIDATION_ERROR for an unknown permission; NOT_FOUND for an unknown user.
   */
  async create(caller: Caller, input: KeyInput): Promise<NewKeyView> {
    const userId = await this.#ownerOf(caller, input);
    const granted = input.global ? (["*"] as const) : this.#grantable(caller, input.permissions);
    const requiresApproval = input.requiresApproval ?? caller.requiresApproval;
    this.#refuseUnbound(caller, requiresApproval);
    const made = this.make(userId, nameOf(input.name), [...granted], input.expiresInDays ?? null);
    const { secret } = made;
    const key = { ...made.key, requiresApproval };
    const details = { name: key.name, hint: key.hint, permissions: key.permissions };
    await this.#keys.insert(key, this.#audit(caller, "key.created", key, details));
    return newKeyView(key, secret);
  }

  /** A key that is not stored yet, with its secret. A null owner makes a global key. */
  make(
    userId: string | null,
    name: string,
    granted: Grant[],
    expiresInDays: number | null,
  ): { key: ApiKey; secret: string } {
    const now = this.#clock.now();
    const secret = this.#secretFor(userId);
    const key: ApiKey = {
      id: this.#ids.next(now),
      userId,
      name,
      hash: hashOf(secret),
      hint: hintOf(secret),
      permissions: granted,
      requiresApproval: false,
      expiresAt: expiresInDays === null ? null : now + expiresInDays * dayMs,
      isActive: true,
      usageCount: 0,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    return { key, secret };
  }

  /** Newest first: the caller's own; with a global key those of `userId`, or all. */
  async list(
    caller: Caller,
    userId: string | undefined,
    limit: number,
    after: TimePlace | null,
  ): Promise<{ keys: { view: KeyView; place: TimePlace }[]; total: number }> {
    const scope = scopeOf(caller);
    const wanted: KeyScope = userId === undefined ? scope : { userId };
    if (scope !== "all" && userId !== undefined && userId !== scope.userId && !isAdmin(caller))
      return { keys: [], total: 0 };
    return this.#ring.withUnwritten(
      async () => ({ keys: await this.#keys.list(wanted, limit, after), total: await this.#keys.count(wanted) }),
      ({ keys, total }) => ({ keys: keys.map((key) => ({ view: this.#view(key), place: key })), total }),
    );
  }

  async update(caller: Caller, id: string, input: KeyUpdate): Promise<KeyView> {
    const key = await this.#require(caller, id);
    if (key.userId === null && input.permissions !== undefined)
      throw invalid([{ path: "permissions", message: "A global key holds all permissions; they can't be narrowed." }]);
    const change: KeyChange = {
      ...(input.name !== undefined && { name: nameOf(input.name) }),
      ...(input.permissions !== undefined && { permissions: this.#grantable(caller, input.permissions) }),
      ...(input.isActive !== undefined && { isActive: input.isActive }),
      ...(input.requiresApproval !== undefined && { requiresApproval: input.requiresApproval }),
      updatedAt: this.#clock.now(),
    };
    this.#refuseUnbound(caller, input.requiresApproval ?? key.requiresApproval);
    const { updatedAt: _at, ...changed } = change;
    await this.#write(id, change, this.#audit(caller, "key.updated", key, changed));
    return this.#ring.withUnwritten(
      () => this.#require(caller, id),
      (written) => this.#view(written),
    );
  }

  /**
   * Gives the key a new secret; the old one is refused from the moment this resolves. PERMISSION_DENIED when the key
   * holds more than the caller does.
   */
  async regenerate(caller: Caller, id: string): Promise<NewKeyView> {
    // Uses of the old secret are written first, or they would soon count as the last use of the new one.
    await this.#ring.flush();
    const key = await this.#require(caller, id);
    this.#refuseMore(caller, key.permissions);
    this.#refuseUnbound(caller, key.requiresApproval);
    const now = this.#clock.now();
    const secret = this.#secretFor(key.userId);
    const change = { hash: hashOf(secret), hint: hintOf(secret), createdAt: now, updatedAt: now, lastUsedAt: null };
    const audit = this.#audit(caller, "key.regenerated", key, { name: key.name, hint: change.hint });
    return newKeyView(await this.#write(id, change, audit), secret);
  }

  /**
   * The key, for a caller who may sign in with it: as for `regenerate`, nobody gets at more than they hold. CONFLICT
   * when the key is turned off or expired.
   */
  async forSignIn(caller: Caller, id: string): Promise<ApiKey> {
    const key = await this.#require(caller, id);
    this.#refuseMore(caller, key.permissions);
    this.#refuseUnbound(caller, key.requiresApproval);
    if (!key.isActive || (key.expiresAt !== null && key.expiresAt <= this.#clock.now()))
      throw new ApiError("CONFLICT", { message: `The key "${key.name}" is turned off or expired: it opens nothing.` });
    return key;
  }

  /** Deletes the key for good; it is refused from the moment this resolves. Answers its name. */
  async remove(caller: Caller, id: string): Promise<string> {
    const key = await this.#require(caller, id);
    const audit = this.#audit(caller, "key.deleted", key, { name: key.name, hint: key.hint });
    if (!(await this.#keys.remove(id, this.#clock.now(), audit))) throw notFound("key", id);
    this.#ring.forget();
    return key.name;
  }

  /** Warns the owners of keys that expire within a week. */
  async warnOfEnds(): Promise<void> {
    const now = this.#clock.now();
    while ((await this.#keys.warnOfEnds(now, now + warnDays * dayMs, warnedAtOnce)) === warnedAtOnce);
  }

  /** Tells of keys that stand where others can read them, if they open anything. */
  async tellLeaks(secrets: readonly string[]): Promise<void> {
    const now = this.#clock.now();
    for (const secret of secrets) {
      const key = await this.#keys.findByHash(hashOf(secret));
      if (key === null || !key.isActive || (key.expiresAt !== null && key.expiresAt <= now)) continue;
      // Whoever sends it so does it each time: most are answered without a write.
      if ((this.#leaksTold.get(key.id) ?? -Infinity) > now - dayMs) continue;
      await this.#keys.tellLeak(key, now, now - dayMs);
      this.#leaksTold.set(key.id, now);
    }
  }

  /** How often the key was used, with what is not written yet. */
  async usageCount(id: string): Promise<number> {
    return this.#ring.withUnwritten(
      () => this.#keys.get("all", id),
      (key) => (key?.usageCount ?? 0) + (this.#ring.unwritten(id)?.uses ?? 0),
    );
  }

  #secretFor(userId: string | null): string {
    const kind: KeyKind = userId === null ? "global" : "user";
    return makeSecret(kind, this.#ids);
  }

  async #ownerOf(caller: Caller, { userId, global }: KeyInput): Promise<string | null> {
    if (global) {
      if (caller.isLocal) return null;
      throw new ApiError("PERMISSION_DENIED", {
        message: "A global key is made on the server's own command line only: outreachd key create --global.",
        details: { refused: "globalKey" },
      });
    }
    const owner = userId ?? caller.userId;
    if (owner === null)
      throw invalid([{ path: "userId", message: "With a global key, name the user that the new key is for." }]);
    if (owner === caller.userId) return owner;
    if (!isAdmin(caller))
      throw new ApiError("PERMISSION_DENIED", { message: "Only an admin may make keys for somebody else." });
    if ((await this.#users.get(owner)) === null) throw notFound("user", owner);
    return owner;
  }

  #grantable(caller: Caller, wanted: readonly string[]): Grant[] {
    const errors = wanted.flatMap((name, index) =>
      (allPermissions as readonly string[]).includes(name)
        ? []
        : [
            {
              path: `permissions.${index}`,
              index,
              message: `"${name}" is no permission. Choose from: ${allPermissions.join(", ")}.`,
            },
          ],
    );
    if (errors.length > 0) throw invalid(errors);
    const granted = [...new Set(wanted)] as Grant[];
    this.#refuseMore(caller, granted);
    return granted;
  }

  /** Who can read the secret of a key holds what the key holds, so that nobody is shown one that holds more. */
  #refuseMore(caller: Caller, granted: readonly Grant[]): void {
    const lacking = caller.permissions.includes("*")
      ? []
      : granted.filter((name) => !caller.permissions.includes(name));
    if (lacking.length === 0) return;
    throw new ApiError("PERMISSION_DENIED", {
      message: `A key can't grant what its maker lacks: ${lacking.join(", ")}.`,
      details: { lacking },
    });
  }

  /** Who must ask for approval could otherwise make a key that need not. */
  #refuseUnbound(caller: Caller, requiresApproval: boolean): void {
    if (!caller.requiresApproval || requiresApproval) return;
    throw new ApiError("PERMISSION_DENIED", {
      message: "This API key may only propose actions, so it can't make or change a key that needs no approval.",
    });
  }

  async #require(caller: Caller, id: string): Promise<ApiKey> {
    const key = await this.#keys.get(scopeOf(caller), id);
    if (key === null) throw notFound("key", id);
    return key;
  }

  #audit(caller: Caller, action: AuditAction, { id, userId }: ApiKey, details: AuditDetails): AuditEntry {
    return auditEntry(caller, this.#clock.now(), { action, userId, target: { type: "key", id }, details });
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

/** Without control characters, which would do things to the terminals that it is shown in. */
function nameOf(sent: string): string {
  const name = singleLine(sent);
  if (name === "") throw invalid([{ path: "name", message: "Expected a text that is not empty." }]);
  return name;
}

function scopeOf(caller: Caller): KeyScope {
  return caller.userId === null ? "all" : { userId: caller.userId };
}

function keyView(key: ApiKey): KeyView {
  const { id, userId, name, hint, permissions, requiresApproval, isActive, usageCount } = key;
  return {
    id,
    userId,
    name,
    hint,
    permissions,
    requiresApproval,
    isActive,
    usageCount,
    expires_at: isoTimeOrNull(key.expiresAt),
    created_at: isoTime(key.createdAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt),
  };
}

function newKeyView(key: ApiKey, secret: string): NewKeyView {
  return { ...keyView(key), key: secret };
}
