import { runOutsideRequest } from "../../lib/concurrency/outside-request.ts";
import type { Clock } from "../base/clock.ts";
import { isoTime } from "../base/clock.ts";
import { ApiError } from "../base/errors.ts";
import type { User, UserLookup } from "./user-model.ts";
import type { Caller } from "./caller.ts";
import type { ApiKey } from "./key-model.ts";
import { hashOf, isWellFormed } from "./secret.ts";
import type { KeyStore, KeyUsage } from "./key-store.ts";

/** Bounds the memory of the cache; a team has dozens of keys, and a full cache starts anew. */
const maxCached = 10_000;

type Known = { key: Pick<ApiKey, "id" | "expiresAt" | "isActive">; caller: Caller };

/**
 * Turns the secret of a request into its caller. Keys that were seen are remembered by their hash until a key changes;
 * uses are counted in memory and written together (`flush`).
 */
export class KeyRing {
  readonly #keys: KeyStore;
  readonly #users: UserLookup;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #locals = new Map<string, Known>();
  /** Under which hash a caller was let in. */
  readonly #hashes = new WeakMap<Caller, string>();
  readonly #listeners = new Set<() => void>();
  #usages = new Map<string, KeyUsage>();
  #writing: Promise<void> | null = null;
  /** Grows when keys change, so that a look-up that began before is not remembered. */
  #generation = 0;

  constructor(keys: KeyStore, users: UserLookup, clock: Clock) {
    this.#keys = keys;
    this.#users = users;
    this.#clock = clock;
  }

  /** Makes `secret` a global key for as long as this process runs; it is stored nowhere. */
  addLocal(secret: string): void {
    const caller: Caller = {
      keyId: "local",
      keyName: "local",
      userId: null,
      role: null,
      permissions: ["*"],
      requiresApproval: false,
      expiresAt: null,
      isLocal: true,
    };
    this.#locals.set(hashOf(secret), { key: { id: "local", expiresAt: null, isActive: true }, caller });
  }

  /**
   * The caller, at once when the key is known already. Throws UNAUTHORIZED when the secret is missing, malformed or
   * unknown, or its key is expired or deactivated.
   */
  identify(secret: string | null): Caller | Promise<Caller> {
    if (!secret) throw new ApiError("UNAUTHORIZED", { message: "Send your API key in the x-api-key header." });
    const hash = hashOf(secret);
    if (!this.#known.has(hash) && !isWellFormed(secret))
      throw new ApiError("UNAUTHORIZED", {
        message: "This is not an API key: its form or its checksum is wrong. Was it copied whole?",
      });
    return this.holder(hash);
  }

  /** As `identify`, by the hash of the secret: for those who were shown the secret before, and kept its hash. */
  holder(hash: string): Caller | Promise<Caller> {
    const known = this.#locals.get(hash) ?? this.#known.get(hash);
    return known === undefined ? this.#lookUp(hash) : this.#accept(known);
  }

  /** The caller as of one request, which came from there; `isGood` knows this one as well. */
  from(caller: Caller, origin: NonNullable<Caller["origin"]>): Caller {
    const told = { ...caller, origin };
    const hash = this.#hashes.get(caller);
    if (hash !== undefined) this.#hashes.set(told, hash);
    return told;
  }

  /** Forget what is remembered: a key or a user has changed. */
  forget(): void {
    this.#generation++;
    this.#known.clear();
    for (const look of this.#listeners) look();
  }

  /** Calls `look` whenever a key or a user may have changed; the answer ends that. */
  onChange(look: () => void): () => void {
    this.#listeners.add(look);
    return () => this.#listeners.delete(look);
  }

  /** Whether a caller of before would be let in now as just the same: for what lasts longer than a request. */
  async isGood(caller: Caller): Promise<boolean> {
    const { origin: _origin, ...before } = caller;
    if (caller.isLocal) return true;
    const hash = this.#hashes.get(caller);
    const key = hash === undefined ? null : await this.#keys.findByHash(hash);
    if (key === null || !key.isActive || (key.expiresAt !== null && key.expiresAt <= this.#clock.now())) return false;
    const user = key.userId === null ? null : await this.#users.get(key.userId);
    return (key.userId === null || user !== null) && Bun.deepEquals(callerOf(key, user), before);
  }

  /** Uses that are counted but not written yet; null when there are none. */
  unwritten(keyId: string): KeyUsage | null {
    return this.#usages.get(keyId) ?? null;
  }

  /**
   * What `read` finds in the store, joined by `join` with what is `unwritten` at that moment. A use that is being written
   * is in neither or in both, so this waits for a write that has begun, and reads anew when one began meanwhile.
   */
  async withUnwritten<Found, Joined>(read: () => Promise<Found>, join: (found: Found) => Joined): Promise<Joined> {
    for (;;) {
      while (this.#writing !== null) await this.#writing.catch(() => {});
      const usages = this.#usages;
      const found = await read();
      if (usages === this.#usages) return join(found);
    }
  }

  /** Writes the uses that are counted by now. What can't be written stays counted. */
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
    const user = key?.userId ? await this.#users.get(key.userId) : null;
    if (key === null || (key.userId !== null && user === null))
      throw new ApiError("UNAUTHORIZED", { message: "No such API key. It may have been deleted or regenerated." });
    const known = { key, caller: callerOf(key, user) };
    this.#hashes.set(known.caller, hash);
    if (this.#known.size >= maxCached) this.#known.clear();
    if (generation === this.#generation) this.#known.set(hash, known);
    return this.#accept(known);
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

function callerOf(key: ApiKey, user: User | null): Caller {
  return {
    keyId: key.id,
    keyName: key.name,
    userId: key.userId,
    role: user?.role ?? null,
    permissions: key.permissions,
    requiresApproval: key.requiresApproval,
    expiresAt: key.expiresAt,
    isLocal: false,
  };
}
