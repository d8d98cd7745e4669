import { expect, test } from "bun:test";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { KeyRing } from "../../src/platform/auth/access.ts";
import type { ApiKey, Grant } from "../../src/platform/auth/key-model.ts";
import type { Role } from "../../src/platform/auth/user-model.ts";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import type { KeyStore, KeyUsage } from "../../src/platform/auth/key-store.ts";
import type { RoleGrant } from "../../src/platform/auth/member-role.ts";
import type { Holder } from "../../src/platform/auth/workspace-model.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";
import { createIds } from "../support/ids.ts";

test("a key of a user is its user's, with the user's role and the key's permissions", async () => {
  const { ring, make, add } = createRing();
  const user = make.user({ role: "admin" });
  const { secret, key } = add(user, { permissions: ["leads:read"], name: "CRM" });
  expect(await ring.identify(secret)).toEqual({
    keyId: key.id,
    keyName: "CRM",
    keyHash: key.hash,
    workspaceId: user.id,
    userId: user.id,
    role: "admin",
    memberRole: "owner",
    permissions: ["leads:read"],
    requiresApproval: false,
    expiresAt: null,
    isLocal: false,
  });
});

test.each<[RoleGrant, Grant[], readonly Grant[]]>([
  [{ role: "admin", permissions: null }, ["*"], ["*"]],
  [{ role: "admin", permissions: null }, ["leads:delete", "audit:read"], ["leads:delete", "audit:read"]],
  [{ role: "member", permissions: null }, ["leads:delete", "audit:read"], ["leads:delete"]],
  [{ role: "viewer", permissions: null }, ["leads:read", "leads:delete", "audit:read"], ["leads:read"]],
  [{ role: "custom", permissions: ["leads:read"] }, ["*"], ["leads:read", "users:write"]],
  [{ role: "custom", permissions: ["leads:read"] }, ["leads:read"], ["leads:read"]],
  [{ role: "custom", permissions: [] }, ["leads:read"], []],
])("a key can do what both it and the role of its member include: %j and %j", async (role, granted, effective) => {
  const { ring, make, add, store } = createRing();
  const user = make.user();
  store.roles.set(user.id, role);
  const { secret } = add(user, { permissions: granted });
  expect((await identified(ring, secret)).permissions).toEqual(effective);
});

test("a change of the role of its member ends what was accepted before", async () => {
  const { ring, make, add, store } = createRing();
  const user = make.user();
  const caller = await identified(ring, add(user, { permissions: ["leads:delete"] }).secret);
  expect(await ring.isGood(caller)).toBe(true);
  store.roles.set(user.id, { role: "viewer", permissions: null });
  expect(await ring.isGood(caller)).toBe(false);
});

test("a global key belongs to no user", async () => {
  const { ring, add } = createRing();
  const { secret } = add(null);
  expect(await ring.identify(secret)).toMatchObject({
    workspaceId: null,
    role: null,
    permissions: ["*"],
    isLocal: false,
  });
});

test.each([
  ["no secret", null, "Send your API key"],
  ["an empty secret", "", "Send your API key"],
  ["a secret of another form", "hunter2", "checksum"],
  ["a secret with a typo", makeSecret("user", createIds(3)).replace(/.$/, "x"), "checksum"],
])("%s is refused without a look at the store", async (_what, secret, message) => {
  const { ring, store } = createRing();
  expect(() => ring.identify(secret)).toThrow(message);
  expect(store.lookUps).toBe(0);
});

test("a key that nobody has is refused", async () => {
  const { ring } = createRing();
  await expect(identified(ring, makeSecret("user", createIds(3)))).rejects.toMatchObject({
    code: "UNAUTHORIZED",
    message: expect.stringContaining("API key not found"),
  });
});

test("the key of a user that is gone is refused", async () => {
  const { ring, add, store, make } = createRing();
  const user = make.user();
  const { secret } = add(user);
  store.roles.delete(user.id);
  await expect(identified(ring, secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

test("a deactivated key is refused, also when it is known already", async () => {
  const { ring, add } = createRing();
  const { secret } = add(null, { isActive: false });
  for (let n = 0; n < 2; n++)
    await expect(identified(ring, secret)).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining("deactivated"),
    });
});

test("a key is accepted until the moment at which it expires, also when it is known already", async () => {
  const { ring, add, clock } = createRing();
  const { secret } = add(null, { expiresAt: startOfTests + 1000 });
  await identified(ring, secret);
  clock.advance(999);
  await identified(ring, secret);
  clock.advance(1);
  await expect(identified(ring, secret)).rejects.toMatchObject({
    message: expect.stringContaining("expired at 2026-01-05T10:00:01.000Z"),
  });
});

test("a key that was seen is known at once, without a second look at the store", async () => {
  const { ring, add, store } = createRing();
  const { secret } = add(null);
  const first = await ring.identify(secret);
  const second = ring.identify(secret);
  expect(second).not.toBeInstanceOf(Promise);
  expect(second).toEqual(first);
  expect(store.lookUps).toBe(1);
});

test("after a key has changed it is looked up anew", async () => {
  const { ring, add, store } = createRing();
  const { secret, key } = add(null);
  await identified(ring, secret);
  store.keys.set(key.hash, { ...key, isActive: false });
  ring.forget();
  await expect(identified(ring, secret)).rejects.toMatchObject({ message: expect.stringContaining("deactivated") });
});

test("a key that changes while it is looked up is not remembered as it was before", async () => {
  const { ring, add, store } = createRing();
  const { secret, key } = add(null);
  const answer = Promise.withResolvers<void>();
  store.beforeAnswer = answer.promise;
  const slow = identified(ring, secret);
  store.keys.set(key.hash, { ...key, isActive: false });
  ring.forget();
  answer.resolve();
  await slow.catch(() => {});
  await expect(identified(ring, secret)).rejects.toMatchObject({ message: expect.stringContaining("deactivated") });
});

test("a refused look-up is not remembered, so that a key works as soon as it is made", async () => {
  const { ring, store, make } = createRing();
  const { secret, key } = make.secretKey(null);
  await expect(identified(ring, secret)).rejects.toThrow();
  store.keys.set(key.hash, key);
  expect((await identified(ring, secret)).keyId).toBe(key.id);
});

test("a local key is everybody's without a look at the store, is not counted, and outlives a change of keys", async () => {
  const { ring, store } = createRing();
  const secret = makeSecret("local", createIds(5));
  ring.addLocal(secret);
  ring.forget();
  expect(ring.identify(secret)).toMatchObject({ keyId: "local", workspaceId: null, permissions: ["*"], isLocal: true });
  expect(store.lookUps).toBe(0);
  await ring.flush();
  expect(store.recorded).toEqual([]);
});

test("uses are counted in memory and written together", async () => {
  const { ring, add, store, clock } = createRing();
  const [one, two] = [add(null), add(null)];
  await identified(ring, one.secret);
  clock.advance(10);
  await identified(ring, one.secret);
  await identified(ring, two.secret);
  expect(ring.unwritten(one.key.id)).toEqual({ keyId: one.key.id, uses: 2, lastUsedAt: startOfTests + 10 });
  expect(store.recorded).toEqual([]);
  await ring.flush();
  expect(store.recorded).toEqual([
    [
      { keyId: one.key.id, uses: 2, lastUsedAt: startOfTests + 10 },
      { keyId: two.key.id, uses: 1, lastUsedAt: startOfTests + 10 },
    ],
  ]);
  expect(ring.unwritten(one.key.id)).toBeNull();
  await ring.flush();
  expect(store.recorded).toHaveLength(1);
});

test("refused requests are not counted as uses", async () => {
  const { ring, add, store } = createRing();
  const { secret } = add(null, { isActive: false });
  await expect(identified(ring, secret)).rejects.toThrow();
  await ring.flush();
  expect(store.recorded).toEqual([]);
});

test("uses that can't be written stay counted, together with those that came meanwhile", async () => {
  const { ring, add, store, clock } = createRing();
  const { secret, key } = add(null);
  await identified(ring, secret);
  const failed = Promise.withResolvers<void>();
  store.beforeRecording = failed.promise;
  const flushing = ring.flush();
  clock.advance(5);
  await identified(ring, secret);
  failed.reject(new Error("The disk is full"));
  await expect(flushing).rejects.toThrow("The disk is full");
  expect(ring.unwritten(key.id)).toEqual({ keyId: key.id, uses: 2, lastUsedAt: startOfTests + 5 });
  store.beforeRecording = Promise.resolve();
  await ring.flush();
  expect(store.recorded).toEqual([[{ keyId: key.id, uses: 2, lastUsedAt: startOfTests + 5 }]]);
});

test("a use that comes while others are written is written by the next flush", async () => {
  const { ring, add, store } = createRing();
  const { secret, key } = add(null);
  await identified(ring, secret);
  const flushing = ring.flush();
  await identified(ring, secret);
  await flushing;
  await ring.flush();
  expect(store.recorded.flat().map(({ keyId, uses }) => [keyId, uses])).toEqual([
    [key.id, 1],
    [key.id, 1],
  ]);
});

test("uses that are being written are told once: neither twice nor not at all", async () => {
  const { ring, add, store } = createRing();
  const { secret, key } = add(null);
  const usesOf = () =>
    ring.withUnwritten(
      async () => store.recorded.flat().reduce((sum, { uses }) => sum + uses, 0),
      (stored) => stored + (ring.unwritten(key.id)?.uses ?? 0),
    );
  await identified(ring, secret);
  const disk = Promise.withResolvers<void>();
  store.beforeRecording = disk.promise;
  const flushing = ring.flush();
  const asked = usesOf();
  disk.resolve();
  expect(await asked).toBe(1);
  await flushing;
});

test("uses that are written while the store is read are read anew", async () => {
  const { ring, add, store } = createRing();
  const { secret, key } = add(null);
  await identified(ring, secret);
  let reads = 0;
  const uses = await ring.withUnwritten(
    async () => {
      const stored = store.recorded.flat().reduce((sum, usage) => sum + usage.uses, 0);
      if (reads++ === 0) await ring.flush();
      return stored;
    },
    (stored) => stored + (ring.unwritten(key.id)?.uses ?? 0),
  );
  expect({ uses, reads }).toEqual({ uses: 1, reads: 2 });
});

/** The answer as a promise, also when it comes, or is refused, at once. */
async function identified(ring: KeyRing, secret: string | null): Promise<Caller> {
  return await ring.identify(secret);
}

type Holding = { id: string; role: Role };

test("while the store is away, only keys that were good are accepted, and only where an outage must be seen", async () => {
  let isTrusted = true;
  const { ring, clock, store, add } = createRing(() => isTrusted);
  const [known, expiring, unknown] = [add(null), add(null, { expiresAt: startOfTests + 1_000 }), add(null)];
  for (const { secret } of [known, expiring]) await ring.identify(secret);
  isTrusted = false;
  store.failure = new Error("connection refused");
  clock.advance(2_000);
  expect((await ring.identifyInOutage(known.secret)).keyId).toBe(known.key.id);
  await expect(ring.identifyInOutage(expiring.secret)).rejects.toThrow("expired");
  await expect(ring.identifyInOutage(unknown.secret)).rejects.toThrow("connection refused");
  await expect((async () => ring.identify(known.secret))()).rejects.toThrow("connection refused");
  store.failure = null;
  store.keys.delete(known.key.hash);
  await expect(ring.identifyInOutage(known.secret)).rejects.toThrow("API key not found");
});

function createRing(mayCache?: () => boolean) {
  const make = createFactories();
  const clock = new FakeClock();
  const store = createStore();
  const ring = new KeyRing(store.keyStore, store.holders, clock, mayCache);
  function add(user: Holding | null, overrides: Partial<ApiKey> = {}) {
    const made = make.secretKey(user?.id ?? null, overrides);
    store.keys.set(made.key.hash, made.key);
    if (user !== null) {
      store.users.set(user.id, user.role);
      if (!store.roles.has(user.id)) store.roles.set(user.id, { role: "owner", permissions: null });
    }
    return made;
  }
  return { make, clock, store, ring, add };
}

/** What a key ring asks of the stores, in memory. */
function createStore() {
  const store = {
    keys: new Map<string, ApiKey>(),
    users: new Map<string, Role>(),
    /** Of users in their workspaces. */
    roles: new Map<string, RoleGrant>(),
    lookUps: 0,
    failure: null as Error | null,
    recorded: [] as KeyUsage[][],
    /** Resolves when what was found may be told. */
    beforeAnswer: Promise.resolve(),
    beforeRecording: Promise.resolve(),
    keyStore: {
      async findByHash(hash: string) {
        store.lookUps++;
        if (store.failure !== null) throw store.failure;
        const found = store.keys.get(hash) ?? null;
        await store.beforeAnswer;
        return found;
      },
      async recordUsage(usages: KeyUsage[]) {
        await store.beforeRecording;
        store.recorded.push(usages);
      },
    } as Pick<KeyStore, "findByHash" | "recordUsage"> as KeyStore,
    holders: {
      async holder(_workspaceId: string, userId: string): Promise<Holder | null> {
        const member = store.roles.get(userId);
        return member === undefined ? null : { role: store.users.get(userId) ?? "member", member };
      },
    },
  };
  return store;
}
