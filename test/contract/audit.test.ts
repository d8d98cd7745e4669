import { describe, expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import type { AuditEntry } from "../../src/platform/auth/audit/model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const hour = 3_600_000;

function entry(number: number, overrides: Partial<AuditEntry> = {}): AuditEntry {
  const at = startOfTests + number * hour;
  const event = { action: "key.created", workspaceId: "ada", target: { type: "key", id: `key-${number}` } } as const;
  return { ...auditEntry(null, at, event), ...overrides };
}

describe.each(enginesAndPostgres)("audit log of $name", ({ open }) => {
  test("entries come newest first, in pages that neither skip nor repeat", async () => {
    await using opened = await open();
    const { audit } = opened.storage;
    for (let n = 0; n < 5; n++) await audit.append(entry(n));
    const first = await audit.page({ filter: {}, before: null, limit: 3 });
    const second = await audit.page({ filter: {}, before: first.at(-1)!.seq, limit: 3 });
    expect([...first, ...second].map(({ targetId }) => targetId)).toEqual([4, 3, 2, 1, 0].map((n) => `key-${n}`));
    expect(first[0]).toEqual({ seq: 5, ...entry(4) });
  });

  test("a filter lets only what fits through", async () => {
    await using opened = await open();
    const { audit } = opened.storage;
    await audit.append(entry(0, { keyId: "k1" }));
    await audit.append(entry(1, { workspaceId: "bob", action: "key.deleted" }));
    await audit.append(entry(2, { workspaceId: null }));
    const found = async (filter: object) =>
      (await audit.page({ filter, before: null, limit: 10 })).map(({ seq }) => seq);
    expect(await found({ workspaceId: "ada" })).toEqual([1]);
    expect(await found({ actions: ["key.deleted", "user.created"] })).toEqual([2]);
    expect(await found({ keyId: "k1" })).toEqual([1]);
    expect(await found({ targetId: "key-2" })).toEqual([3]);
    expect(await found({ from: startOfTests + hour, to: startOfTests + hour })).toEqual([2]);
  });

  test("an entry and its cause are stored together or not at all", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const key = make.key(user.id);
    await storage.keys.insert(key, entry(1));
    expect(await storage.keys.insert(key, entry(2)).catch(() => "refused")).toBe("refused");
    expect(await storage.keys.remove("nobody", startOfTests, entry(3))).toBe(false);
    expect(await storage.keys.update("nobody", { updatedAt: 1 }, entry(4))).toBeNull();
    const kept = await (await opened.reopen()).audit.page({ filter: {}, before: null, limit: 10 });
    expect(kept.map(({ targetId }) => targetId)).toEqual(["key-1"]);
  });

  test("the chain is whole, in slices too, and after the oldest entries were forgotten", async () => {
    await using opened = await open();
    const { audit } = opened.storage;
    for (let n = 0; n < 6; n++) await audit.append(entry(n));
    const slice = await audit.check(null, 4);
    expect({ checked: slice.checked, more: slice.more, brokenAt: slice.brokenAt }).toEqual({
      checked: 4,
      more: true,
      brokenAt: null,
    });
    expect((await audit.check(slice.last, 4)).last?.seq).toBe(6);
    expect(await audit.forgetBefore(startOfTests + 2 * hour, 100)).toBe(2);
    expect(await audit.forgetBefore(startOfTests + 2 * hour, 100)).toBe(0);
    expect(await audit.check(null, 100)).toMatchObject({ checked: 4, brokenAt: null });
  });

  test("a log of which all was forgotten goes on counting, and its chain stays whole", async () => {
    await using opened = await open();
    const { audit } = opened.storage;
    for (let n = 0; n < 3; n++) await audit.append(entry(n));
    expect(await audit.forgetBefore(startOfTests + 99 * hour, 100)).toBe(3);
    await audit.append(entry(4));
    expect((await audit.page({ filter: {}, before: null, limit: 9 })).map(({ seq }) => seq)).toEqual([4]);
    expect(await audit.check(null, 100)).toMatchObject({ checked: 1, brokenAt: null });
  });
});
