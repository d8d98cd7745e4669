import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { Suppression, SuppressionKind } from "../../src/features/suppression/model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

describe.each(enginesAndPostgres)("the do-not-contact list on $name", ({ open }) => {
  test("entries are read as they were stored, each with its outcome in order", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const full = make.suppression(workspaceId, "email", "ada@example.com", {
      reason: "asked us to stop",
      source: "reply",
      createdAt: startOfTests + 1,
    });
    const bare = make.suppression(null, "phone", "+4930123456", { value: null, source: "erasure" });
    expect(await storage.suppressions.add([full, bare])).toEqual([
      { outcome: "added", id: full.id },
      { outcome: "added", id: bare.id },
    ]);
    expect(await storage.suppressions.get(workspaceId, full.id)).toEqual(full);
    expect(await storage.suppressions.get(workspaceId, bare.id)).toEqual(bare);
    expect(await storage.suppressions.get(workspaceId, "nothing")).toBeNull();
  });

  test("the same value again changes nothing and answers the entry that is there", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const first = make.suppression(workspaceId, "email", "ada@example.com", { reason: "first" });
    const again = [1, 2].map(() => make.suppression(workspaceId, "email", "ada@example.com", { reason: "again" }));
    expect(await storage.suppressions.add([first, again[0]!])).toEqual([
      { outcome: "added", id: first.id },
      { outcome: "existing", id: first.id },
    ]);
    expect(await storage.suppressions.add([again[1]!])).toEqual([{ outcome: "existing", id: first.id }]);
    expect(await storage.suppressions.get(workspaceId, first.id)).toEqual(first);
    expect(await storage.suppressions.count(workspaceId, {})).toBe(1);
  });

  test("the same value may stand in the lists of several users and of the team", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const other = (await make.storedUser(storage)).user.id;
    for (const scope of [workspaceId, other, null]) {
      const entry = make.suppression(scope, "email", "ada@example.com");
      expect(await storage.suppressions.add([entry])).toEqual([{ outcome: "added", id: entry.id }]);
    }
    expect(await storage.suppressions.count(workspaceId, {})).toBe(2);
  });

  test("an entry for an unknown user is refused, with all that was to be stored beside it", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const beside = make.suppression(workspaceId, "email", "ada@example.com");
    const lost = make.suppression("nobody", "email", "bob@example.com");
    await expect(storage.suppressions.add([beside, lost])).rejects.toThrow();
    expect(await storage.suppressions.count(workspaceId, {})).toBe(0);
    expect(await storage.suppressions.matches(workspaceId, { email: "ada@example.com" })).toEqual([]);
    expect(await storage.suppressions.add([beside])).toEqual([{ outcome: "added", id: beside.id }]);
  });

  describe("matching", () => {
    test.each<[SuppressionKind, string, object]>([
      ["email", "ada@example.com", { email: "ada@example.com" }],
      ["email", "ada@example.com", { email: "ADA@Example.COM" }],
      ["email", "ada@xn--bcher-kva.example", { email: "Ada@Bücher.example" }],
      ["domain", "example.com", { email: "ada@example.com" }],
      ["domain", "example.com", { email: "ada@mail.eu.Example.com" }],
      ["domain", "xn--bcher-kva.example", { email: "ada@shop.bücher.example" }],
      ["profile", "https://network.example/in/ada", { profileKey: "https://network.example/in/ada" }],
      ["phone", "+442079460018", { phone: "+44 20 7946 0018" }],
      ["phone", "+442079460018", { phone: "+44 (0)20-7946.0018" }],
      ["phone", "+442079460018", { phone: "+44 20 7946 0018 ext. 5" }],
    ])("an entry for the %s %s stands in the way of %j", async (kind, value, target) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const match = { kind, scope: "user", reason: "they said so" } as const;
      const entry = await make.storedSuppression(storage, workspaceId, kind, value, { reason: "they said so" });
      expect(await storage.suppressions.matches(workspaceId, target)).toEqual([{ entryId: entry.id, ...match }]);
    });

    test.each<[SuppressionKind, string, object]>([
      ["email", "ada@example.com", { email: "ada@mail.example.com" }],
      ["email", "ada@example.com", { email: "bada@example.com" }],
      ["email", "ada@example.com", { profileKey: "ada@example.com", phone: "ada@example.com" }],
      ["domain", "example.com", { email: "ada@badexample.com" }],
      ["domain", "mail.example.com", { email: "ada@example.com" }],
      ["domain", "example.com", { email: "example.com@other.com", profileKey: "https://example.com/in/ada" }],
      ["profile", "https://network.example/in/ada", { profileKey: "https://network.example/in/ada-l" }],
      ["phone", "+442079460018", { phone: "020 7946 0018" }], // from where, nobody has said
      ["phone", "+442079460018", { phone: "+33 20 7946 0018" }],
      ["email", "ada@example.com", {}],
      ["email", "ada@example.com", { email: null, profileKey: null, phone: null }],
      ["email", "ada@example.com", { email: "" }],
    ])("an entry for the %s %s does not stand in the way of %j", async (kind, value, target) => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedSuppression(storage, workspaceId, kind, value);
      expect(await storage.suppressions.matches(workspaceId, target)).toEqual([]);
    });

    test("among many people those are told who are on the list", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const nobody = { email: null, networkUrl: null, phone: null };
      const people = [
        { ...nobody, email: "Ada@example.com" },
        nobody,
        { ...nobody, networkUrl: "http://www.network.example/in/Bob/", phone: "1" },
        { ...nobody, networkUrl: "nonsense", phone: "+44 20 7946 0018" },
      ];
      expect(await storage.suppressions.among(workspaceId, people)).toEqual([false, false, false, false]);
      await make.storedSuppression(storage, null, "email", "ada@example.com");
      await make.storedSuppression(storage, workspaceId, "profile", "https://network.example/in/bob");
      await make.storedSuppression(storage, workspaceId, "phone", "+442079460018");
      expect(await storage.suppressions.among(workspaceId, people)).toEqual([true, false, true, true]);
      expect(await storage.suppressions.among("nobody", people)).toEqual([false, false, false, false]);
    });

    test("the hash alone matches as the value does", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const entry = await make.storedSuppression(storage, workspaceId, "email", "ada@example.com", { value: null });
      expect(await storage.suppressions.matches(workspaceId, { email: "ada@example.com" })).toMatchObject([
        { entryId: entry.id },
      ]);
    });

    test("own entries hold for their user only, the team's for everybody; all that match are told", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const other = (await make.storedUser(storage)).user.id;
      const own = await make.storedSuppression(storage, workspaceId, "email", "ada@example.com");
      const teams = await make.storedSuppression(storage, null, "domain", "example.com");
      const target = { email: "ada@example.com" };
      const matched = async (id: string) =>
        (await storage.suppressions.matches(id, target)).map(({ entryId, scope }) => [entryId, scope]);
      expect(await matched(workspaceId)).toEqual([
        [own.id, "user"],
        [teams.id, "team"],
      ]);
      expect(await matched(other)).toEqual([[teams.id, "team"]]);
      expect(await matched("nobody")).toEqual([]);
    });

    test("every one of many entries is found, and nothing else, also by the next process", async () => {
      await using opened = await open();
      const { workspaceId, make } = await withUser(opened.storage);
      const dice = createDice(11);
      const entries = Array.from({ length: 3000 }, (_, n) =>
        make.suppression(dice.chance(0.5) ? workspaceId : null, "email", `person${n}@example.com`),
      );
      // Some before the first question, some between questions, some after it.
      for (let start = 0; start < entries.length; start += 250) {
        await opened.storage.suppressions.add(entries.slice(start, start + 250));
        await expectMatches(opened.storage, workspaceId, entries.slice(0, start + 250).slice(-300));
      }
      await expectMatches(await opened.reopen(), workspaceId, entries);
      const strangers = Array.from({ length: 500 }, (_, n) => `stranger${n}@example.com`);
      for (const email of strangers)
        expect(await opened.storage.suppressions.matches(workspaceId, { email })).toEqual([]);
    });
  });

  describe("removing and forgetting", () => {
    test("a removed entry does not hold any more; others go on", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const [ada, bob] = [
        await make.storedSuppression(storage, workspaceId, "email", "ada@example.com"),
        await make.storedSuppression(storage, workspaceId, "email", "bob@example.com"),
      ];
      expect(await storage.suppressions.remove(workspaceId, ada.id)).toBe(true);
      expect(await storage.suppressions.remove(workspaceId, ada.id)).toBe(false);
      expect(await storage.suppressions.matches(workspaceId, { email: "ada@example.com" })).toEqual([]);
      expect(await storage.suppressions.matches(workspaceId, { email: "bob@example.com" })).toHaveLength(1);
      expect(await storage.suppressions.remove(workspaceId, bob.id)).toBe(true);
      expect(await storage.suppressions.count(workspaceId, {})).toBe(0);
      const again = make.suppression(workspaceId, "email", "ada@example.com");
      expect(await storage.suppressions.add([again])).toEqual([{ outcome: "added", id: again.id }]);
      expect(await storage.suppressions.matches(workspaceId, { email: "ada@example.com" })).toHaveLength(1);
    });

    test("a forgotten value holds as before, and its text is gone", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const entry = await make.storedSuppression(storage, workspaceId, "email", "ada@example.com", {
        reason: "Ada asked",
      });
      const forgotten: Suppression = { ...entry, value: null, reason: null };
      expect(await storage.suppressions.forgetValue(workspaceId, entry.id)).toEqual(forgotten);
      expect(await storage.suppressions.get(workspaceId, entry.id)).toEqual(forgotten);
      expect(await storage.suppressions.matches(workspaceId, { email: "ada@example.com" })).toHaveLength(1);
      expect(await storage.suppressions.forgetValue(workspaceId, "nothing")).toBeNull();
    });

    test("an entry that comes again without its value loses it; one that comes with it does not bring it back", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const entry = await make.storedSuppression(storage, workspaceId, "email", "ada@example.com", {
        reason: "Ada asked",
      });
      const hash = make.suppression(workspaceId, "email", "ada@example.com", { value: null });
      expect(await storage.suppressions.add([hash])).toEqual([{ outcome: "existing", id: entry.id }]);
      await make.storedSuppression(storage, workspaceId, "email", "ada@example.com");
      expect(await storage.suppressions.get(workspaceId, entry.id)).toEqual({ ...entry, value: null, reason: null });
    });

    test("somebody else's entry is absent: it can't be read, listed, removed or forgotten", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      const entry = await make.storedSuppression(storage, workspaceId, "email", "ada@example.com");
      expect(await storage.suppressions.get(stranger, entry.id)).toBeNull();
      expect(await storage.suppressions.remove(stranger, entry.id)).toBe(false);
      expect(await storage.suppressions.forgetValue(stranger, entry.id)).toBeNull();
      expect(await storage.suppressions.count(stranger, { key: entry.key })).toBe(0);
      expect(await idsOf(storage, stranger, {})).toEqual([]);
      expect(await storage.suppressions.get(workspaceId, entry.id)).toEqual(entry);
    });

    test("what was added, removed and forgotten is so after the process was killed", async () => {
      await using opened = await open();
      const { workspaceId, make } = await withUser(opened.storage);
      const [kept, removed, forgotten] = [
        await make.storedSuppression(opened.storage, workspaceId, "email", "ada@example.com"),
        await make.storedSuppression(opened.storage, workspaceId, "phone", "+4930123456"),
        await make.storedSuppression(opened.storage, null, "domain", "example.org"),
      ];
      await opened.storage.suppressions.remove(workspaceId, removed.id);
      await opened.storage.suppressions.forgetValue(workspaceId, forgotten.id);
      const storage = await opened.reopen();
      expect(await storage.suppressions.get(workspaceId, kept.id)).toEqual(kept);
      expect(await storage.suppressions.get(workspaceId, removed.id)).toBeNull();
      expect(await storage.suppressions.matches(workspaceId, { phone: "+49 30 123456" })).toEqual([]);
      expect(await storage.suppressions.matches(workspaceId, { email: "bob@example.org" })).toHaveLength(1);
    });
  });

  describe("lists", () => {
    test("are newest first, in pages that neither skip nor repeat, narrowed by scope, kind, value and text", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const other = (await make.storedUser(storage)).user.id;
      await make.storedSuppression(storage, other, "email", "ada@example.com");
      const ada = await make.storedSuppression(storage, workspaceId, "email", "ada@example.com");
      const org = await make.storedSuppression(storage, null, "domain", "example.org");
      const bob = await make.storedSuppression(storage, workspaceId, "email", "bob@example.org", { value: null });
      const all = [bob.id, org.id, ada.id];
      expect(await idsOf(storage, workspaceId, {})).toEqual(all);
      expect(await idsOf(storage, workspaceId, { scope: "user" })).toEqual([bob.id, ada.id]);
      expect(await idsOf(storage, workspaceId, { scope: "team" })).toEqual([org.id]);
      expect(await idsOf(storage, workspaceId, { kind: "email" })).toEqual([bob.id, ada.id]);
      expect(await idsOf(storage, workspaceId, { key: bob.key })).toEqual([bob.id]);
      expect(await idsOf(storage, workspaceId, { text: "EXAMPLE" })).toEqual([org.id, ada.id]);
      expect(await idsOf(storage, workspaceId, { text: "%" })).toEqual([]);
      const request = { workspaceId, filter: {}, limit: 2 };
      const first = await storage.suppressions.page({ ...request, after: null });
      expect(first.entries).toEqual([bob, org]);
      // One that comes meanwhile belongs to no later page.
      await make.storedSuppression(storage, workspaceId, "email", "eve@example.com");
      const second = await storage.suppressions.page({ ...request, after: first.next });
      expect(second).toEqual({ entries: [ada], next: null });
    });

    test("count exactly what they show", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      await make.storedSuppression(storage, workspaceId, "email", "ada@example.com");
      await make.storedSuppression(storage, null, "domain", "example.org");
      const counts = [{}, { scope: "team" }, { kind: "email" }, { text: "org" }, { kind: "phone" }] as const;
      expect(await Promise.all(counts.map((filter) => storage.suppressions.count(workspaceId, filter)))).toEqual([
        2, 1, 1, 1, 0,
      ]);
    });
  });
});

async function withUser(storage: Storage) {
  const make = createFactories();
  return { storage, make, workspaceId: (await make.storedUser(storage)).user.id };
}

async function idsOf(
  storage: Storage,
  workspaceId: string,
  filter: Parameters<Storage["suppressions"]["count"]>[1],
): Promise<string[]> {
  const { entries } = await storage.suppressions.page({ workspaceId, filter, after: null, limit: 100 });
  return entries.map(({ id }) => id);
}

async function expectMatches(storage: Storage, workspaceId: string, entries: readonly Suppression[]): Promise<void> {
  for (const { id, value } of entries) {
    const [match] = await storage.suppressions.matches(workspaceId, { email: value });
    expect(match?.entryId).toBe(id);
  }
}
