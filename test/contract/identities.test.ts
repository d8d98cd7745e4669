import { describe, expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import type { Identity } from "../../src/features/workspaces/sign-in/model.ts";
import type { IdentityFacts } from "../../src/features/workspaces/sign-in/store.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const issuer = "https://id.example.com";
const audit = auditEntry(null, startOfTests, { action: "identity.linked", workspaceId: null });

function identityOf(userId: string, parts: Partial<Identity> = {}): Identity {
  const times = { createdAt: startOfTests, lastUsedAt: startOfTests };
  return { id: `identity of ${userId}`, userId, issuer, subject: "ada", email: "ada@example.com", ...times, ...parts };
}

describe.each(enginesAndPostgres)("identities on $name", ({ open }) => {
  test("a person is known by issuer and subject, and a user by their address", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage, { email: "ada@example.com" });
    const facts: IdentityFacts[] = [];
    const resolve = (subject: string, emailKey: string, from = issuer) =>
      storage.identities.resolve({ issuer: from, subject, emailKey }, null, (found) => {
        facts.push(found);
        return { identity: identityOf(user.id), newcomer: null, audit: facts.length === 1 ? audit : null };
      });
    await resolve("ada", user.emailKey);
    await resolve("ada", "another@example.com");
    await resolve("grace", user.emailKey);
    await resolve("grace", user.emailKey, "https://other.example.com");
    const workspace = { id: user.id, timeZone: "UTC", members: 1 };
    const known = { identity: identityOf(user.id), user };
    expect(facts).toEqual([
      { known: null, byAddress: user, isTaken: false, workspace },
      { known, byAddress: null, isTaken: false, workspace },
      { known: null, byAddress: user, isTaken: true, workspace },
      { known: null, byAddress: user, isTaken: false, workspace },
    ]);
    const entries = await storage.audit.page({ filter: {}, before: null, limit: 10 });
    expect(entries.filter(({ action }) => action === "identity.linked")).toHaveLength(1);
  });

  test("the address and the time of the last sign-in are kept, the rest does not change", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const sign = (identity: Identity) =>
      storage.identities.resolve({ issuer, subject: "ada", emailKey: user.emailKey }, user.id, () => ({
        ...{ identity, newcomer: null, audit: null },
      }));
    await sign(identityOf(user.id));
    await sign(identityOf(user.id, { email: "new@example.com", lastUsedAt: startOfTests + 1 }));
    const kept = identityOf(user.id, { email: "new@example.com", lastUsedAt: startOfTests + 1 });
    expect(await (await opened.reopen()).identities.ofUser(user.id)).toEqual([kept]);
  });

  test("a newcomer is stored with their membership and identity, or not at all", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user: owner } = await make.storedUser(storage);
    const user = make.user({ email: "grace@example.com" });
    const times = { createdAt: startOfTests, updatedAt: startOfTests };
    const grant = { role: "viewer", permissions: null, isActive: true } as const;
    const member = { workspaceId: owner.id, userId: user.id, ...grant, ...times };
    const key = { issuer, subject: "grace", emailKey: user.emailKey };
    const add = (fails: boolean) =>
      storage.identities.resolve(key, owner.id, ({ workspace }) => {
        expect(workspace).toEqual({ id: owner.id, timeZone: "UTC", members: 1 });
        if (fails) throw new Error("refused");
        return { identity: identityOf(user.id, { subject: "grace" }), newcomer: { user, member }, audit };
      });
    await expect(add(true)).rejects.toThrow("refused");
    expect(await storage.users.get(user.id)).toBeNull();
    await add(false);
    expect(await storage.users.get(user.id)).toEqual(user);
    expect((await storage.workspaces.member(owner.id, user.id))?.member).toEqual(member);
    expect(await storage.identities.ofUser(user.id)).toHaveLength(1);
  });

  test("a workspace that does not exist is none", async () => {
    await using opened = await open();
    const key = { issuer, subject: "x", emailKey: "x@example.com" };
    await expect(
      opened.storage.identities.resolve(key, "missing", ({ workspace }) => {
        expect(workspace).toBeNull();
        throw new Error("refused");
      }),
    ).rejects.toThrow("refused");
  });

  test("an identity is removed from its user only", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const [{ user }, { user: other }] = [await make.storedUser(storage), await make.storedUser(storage)];
    const identity = identityOf(user.id);
    await storage.identities.resolve({ issuer, subject: "ada", emailKey: user.emailKey }, null, () => ({
      ...{ identity, newcomer: null, audit: null },
    }));
    expect(await storage.identities.remove(other.id, identity.id, audit)).toBe(false);
    expect(await storage.identities.remove(user.id, identity.id, audit)).toBe(true);
    expect(await storage.identities.remove(user.id, identity.id, audit)).toBe(false);
    expect(await storage.identities.ofUser(user.id)).toEqual([]);
  });
});
