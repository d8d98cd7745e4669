import { describe, expect, test } from "bun:test";
import type { Session } from "../../src/features/workspaces/sessions/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
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
  const times = { createdAt: startOfTests, expiresAt: startOfTests + hour };
  return { hash: "of-a-token", keyId: key.id, keyHash: key.hash, ...times, ...parts };
}

describe.each(engines)("sessions on $name", ({ open }) => {
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
    const link = session(await keyIn(storage), { hash: "of-a-link" });
    await storage.sessions.insertLink(link);
    const begun = (hash: string) => ({ hash, createdAt: startOfTests + 1, expiresAt: startOfTests + 30 * hour });
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
    const link = session(await keyIn(storage), { hash: "of-a-link" });
    await storage.sessions.insertLink(link);
    const begun = { hash: "late", createdAt: link.expiresAt, expiresAt: link.expiresAt + hour };
    expect(await storage.sessions.redeemLink(link.hash, begun)).toBeNull();
    expect(await storage.sessions.redeemLink(link.hash, { ...begun, createdAt: startOfTests })).toBeNull();
    expect(await storage.sessions.find("late", startOfTests)).toBeNull();
  });

  test("sessions and links go with their key", async () => {
    await using opened = await open();
    const { storage } = opened;
    const key = await keyIn(storage);
    await storage.sessions.insert(session(key));
    await storage.sessions.insertLink(session(key, { hash: "of-a-link" }));
    await storage.keys.remove(key.id, startOfTests);
    expect(await storage.sessions.find("of-a-token", startOfTests)).toBeNull();
    const begun = { hash: "new", createdAt: startOfTests, expiresAt: startOfTests + hour };
    expect(await storage.sessions.redeemLink("of-a-link", begun)).toBeNull();
  });

  test("a sweep removes what has ended, a bounded number at a time, and nothing else", async () => {
    await using opened = await open();
    const { storage } = opened;
    const key = await keyIn(storage);
    for (const hash of ["a", "b", "c"]) await storage.sessions.insert(session(key, { hash }));
    await storage.sessions.insert(session(key, { hash: "longer", expiresAt: startOfTests + 2 * hour }));
    await storage.sessions.insertLink(session(key, { hash: "link" }));
    const now = startOfTests + hour;
    expect(await storage.sessions.sweep(now, 2)).toBe(3);
    expect(await storage.sessions.sweep(now, 2)).toBe(1);
    expect(await storage.sessions.sweep(now, 2)).toBe(0);
    expect(await storage.sessions.find("longer", now)).not.toBeNull();
  });
});
