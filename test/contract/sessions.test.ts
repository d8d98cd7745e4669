import { describe, expect, test } from "bun:test";
import type { Session, SignInLink } from "../../src/features/workspaces/sessions/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const hour = 3_600_000;

async function keyIn(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const key = make.key(user.id);
  await storage.keys.insert(key);
  return key;
}

function session(key: { id: string; hash: string }, parts: Partial<Session> = {}): Session {
  return { ...begun("of-a-token"), expiresAt: startOfTests + hour, keyId: key.id, keyHash: key.hash, ...parts };
}

/** A session before it is known whose it is. */
function begun(hash: string, at = startOfTests) {
  const times = { createdAt: at, lastUsedAt: at, expiresAt: at + 30 * hour };
  return { id: `id ${hash}`, hash, address: "192.0.2.7", userAgent: "Firefox", ...times };
}

/** A link, which is no session yet. */
function linkOf(key: { id: string; hash: string }, parts: Partial<SignInLink> = {}): SignInLink {
  const times = { createdAt: startOfTests, expiresAt: startOfTests + hour };
  return { hash: "of-a-link", keyId: key.id, keyHash: key.hash, ...times, ...parts };
}

describe.each(enginesAndPostgres)("sessions on $name", ({ open }) => {
  test("a session is found until its end, and not once it is removed", async () => {
    await using opened = await open();
    const { storage } = opened;
    const stored = session(await keyIn(storage));
    await storage.sessions.insert(stored);
    expect(await storage.sessions.find(stored.hash, stored.expiresAt - 1)).toEqual(stored);
    expect(await storage.sessions.find(stored.hash, stored.expiresAt)).toBeNull();
    expect(await storage.sessions.find("another", startOfTests)).toBeNull();
    expect(await storage.sessions.remove(stored.hash)).toBe(true);
    expect(await storage.sessions.remove(stored.hash)).toBe(false);
    expect(await storage.sessions.find(stored.hash, startOfTests)).toBeNull();
  });

  test("a session survives the end of the process", async () => {
    await using opened = await open();
    const stored = session(await keyIn(opened.storage));
    await opened.storage.sessions.insert(stored);
    expect(await (await opened.reopen()).sessions.find(stored.hash, startOfTests)).toEqual(stored);
  });

  test("of two who open a link at once, one gets a session", async () => {
    await using opened = await open();
    const { storage } = opened;
    const link = linkOf(await keyIn(storage));
    await storage.sessions.insertLink(link);
    const [one, two] = await Promise.all([
      storage.sessions.redeemLink(link.hash, begun("one")),
      storage.sessions.redeemLink(link.hash, begun("two")),
    ]);
    expect(one).toEqual({ ...begun("one"), keyId: link.keyId, keyHash: link.keyHash });
    expect(two).toBeNull();
    expect(await storage.sessions.find("one", startOfTests + 2)).toEqual(one);
    expect(await storage.sessions.find("two", startOfTests + 2)).toBeNull();
  });

  test("a link that is too old opens nothing, also later", async () => {
    await using opened = await open();
    const { storage } = opened;
    const link = linkOf(await keyIn(storage));
    await storage.sessions.insertLink(link);
    expect(await storage.sessions.redeemLink(link.hash, begun("late", link.expiresAt))).toBeNull();
    expect(await storage.sessions.redeemLink(link.hash, begun("late"))).toBeNull();
    expect(await storage.sessions.find("late", startOfTests)).toBeNull();
  });

  test("sessions and links go with their key", async () => {
    await using opened = await open();
    const { storage } = opened;
    const key = await keyIn(storage);
    await storage.sessions.insert(session(key));
    await storage.sessions.insertLink(linkOf(key));
    await storage.keys.remove(key.id, startOfTests);
    expect(await storage.sessions.find("of-a-token", startOfTests)).toBeNull();
    expect(await storage.sessions.redeemLink("of-a-link", begun("new"))).toBeNull();
  });

  test("a sweep removes what has ended, a bounded number at a time, and nothing else", async () => {
    await using opened = await open();
    const { storage } = opened;
    const key = await keyIn(storage);
    for (const hash of ["a", "b", "c"]) await storage.sessions.insert(session(key, { id: hash, hash }));
    await storage.sessions.insert(session(key, { id: "longer", hash: "longer", expiresAt: startOfTests + 2 * hour }));
    await storage.sessions.insertLink(linkOf(key));
    const now = startOfTests + hour;
    expect(await storage.sessions.sweep(now, 2)).toBe(3);
    expect(await storage.sessions.sweep(now, 2)).toBe(1);
    expect(await storage.sessions.sweep(now, 2)).toBe(0);
    expect(await storage.sessions.find("longer", now)).not.toBeNull();
  });

  const audit = auditEntry(null, startOfTests, { action: "session.ended", workspaceId: null });

  /** Ada with a key in her own workspace and one in Bob's, each with two sessions, and Bob with one. */
  async function arrange(storage: Storage) {
    const make = createFactories();
    const [ada, bob] = [await make.storedUser(storage), await make.storedUser(storage)];
    const joined = { ...ada.member, workspaceId: bob.workspace.id };
    await storage.workspaces.changeMembers(bob.workspace.id, [], () => ({ write: [joined], remove: [], audit }));
    const keys = {
      own: make.key(ada.workspace.id, { userId: ada.user.id, name: "own" }),
      guest: make.key(bob.workspace.id, { userId: ada.user.id, name: "guest" }),
      bobs: make.key(bob.workspace.id, { userId: bob.user.id, name: "bobs" }),
    };
    const names: [keyof typeof keys, number][] = [["own", 1], ["own", 2], ["guest", 3], ["guest", 4], ["bobs", 5]]; // prettier-ignore
    for (const key of Object.values(keys)) await storage.keys.insert(key);
    for (const [name, n] of names)
      await storage.sessions.insert(
        session(keys[name], { id: `${n}`, hash: `hash ${n}`, lastUsedAt: startOfTests + n }),
      );
    return { ada: ada.user.id, workspaceId: bob.workspace.id, keys };
  }

  test("sessions of a user are listed last used first, in all workspaces or in one", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { ada, workspaceId, keys } = await arrange(storage);
    const { sessions } = storage;
    await sessions.touch("1", startOfTests + 9);
    const listed = await sessions.list({ userId: ada }, startOfTests, 9);
    expect(listed.map(({ session: { id }, keyName }) => `${id} ${keyName}`)).toEqual([
      "1 own",
      "4 guest",
      "3 guest",
      "2 own",
    ]);
    const guests = await sessions.list({ userId: ada, workspaceId }, startOfTests, 1);
    expect(guests).toMatchObject([{ session: { id: "4" }, userId: ada, workspaceId }]);
    expect(await sessions.holder("3", startOfTests)).toMatchObject({ keyName: "guest", workspaceId });
    expect(await sessions.holder("3", startOfTests + hour)).toBeNull();
    expect(await sessions.list({ userId: ada }, startOfTests + hour, 9)).toEqual([]);
    // A key with another secret has no sessions.
    await storage.keys.update(keys.own.id, { hash: "another", updatedAt: startOfTests });
    expect(await sessions.list({ userId: ada }, startOfTests, 9)).toHaveLength(2);
    expect(await sessions.holder("1", startOfTests)).toBeNull();
  });

  test("chosen sessions end, or all but one, of this user only", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { ada, workspaceId } = await arrange(storage);
    const { sessions } = storage;
    expect(await sessions.end({ userId: ada }, { ids: ["5"] }, audit)).toBe(0);
    expect(await sessions.end({ userId: ada, workspaceId }, { ids: ["1"] }, audit)).toBe(0);
    const before = await storage.audit.page({ filter: { actions: ["session.ended"] }, before: null, limit: 9 });
    expect(await sessions.end({ userId: ada, workspaceId }, { ids: ["3"] }, audit)).toBe(1);
    expect(await sessions.end({ userId: ada }, { except: "1" }, audit)).toBe(2);
    expect((await sessions.list({ userId: ada }, startOfTests, 9)).map(({ session: { id } }) => id)).toEqual(["1"]);
    expect(await sessions.end({ userId: ada }, { except: null }, audit)).toBe(1);
    expect(await sessions.holder("5", startOfTests)).not.toBeNull();
    const after = await storage.audit.page({ filter: { actions: ["session.ended"] }, before: null, limit: 9 });
    expect(after.length - before.length).toBe(3);
  });
});
