import { describe, expect, test } from "bun:test";
import type { Lead } from "../../src/features/leads/model.ts";
import type { InsertLeadOutcome } from "../../src/features/leads/change-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories, leadOf } from "../support/factories.ts";

const ada = {
  email: "ada@example.com",
  networkUrl: "https://network.example/in/ada",
  firstName: "Ada",
  lastName: "Lovelace",
  company: "Engines",
};
const nothing = { email: null, networkUrl: null, firstName: null, lastName: null, company: null };
const nameOnly = { ...ada, email: null, networkUrl: null };

describe.each(enginesAndPostgres)("leads on $name", ({ open, isSingleWriter }) => {
  test("a lead is read as it was stored", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const full = make.leadInsert(user.id, {
      ...ada,
      title: "Countess",
      phone: "+44 1",
      industry: "Computing",
      location: "London",
      source: "referral",
      notes: "First line\nsecond “line” 🧮",
      status: "qualified",
      tags: ["math", "Poetry"],
      customFields: { age: 36, nested: { list: [1, null, "x"] } },
      version: 3,
      updatedAt: startOfTests + 1,
    });
    const bare = make.leadInsert(user.id, { ...nothing, email: "bare@example.com" });
    expect(await storage.leads.insert(full)).toEqual({ kind: "created", lead: full.lead });
    expect(await storage.leads.insert(bare)).toEqual({ kind: "created", lead: bare.lead });
    expect(await storage.leads.get(user.id, full.lead.id)).toEqual(full.lead);
    expect(await storage.leads.get(user.id, bare.lead.id)).toEqual(bare.lead);
  });

  test("somebody else's lead is absent: it can't be read, changed, removed, listed, counted or merged into", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const owner = (await make.storedUser(storage)).user.id;
    const stranger = (await make.storedUser(storage)).user.id;
    const lead = await make.storedLead(storage, owner, { ...ada, tags: ["math"] });
    const { leads } = storage;
    expect(await leads.get(stranger, lead.id)).toBeNull();
    expect(await leads.update({ ...make.leadUpdate(lead, { company: "Mine" }), workspaceId: stranger })).toEqual({
      kind: "absent",
    });
    expect(await leads.remove({ workspaceId: stranger, id: lead.id, version: null, at: startOfTests })).toEqual({
      kind: "absent",
    });
    const sort = { field: "createdAt", descending: false } as const;
    for (const filter of [{}, { tag: "math" }, { email: ada.email }, { text: "ada" }]) {
      expect(await leads.page({ workspaceId: stranger, filter, sort, limit: 10, offset: 0, after: null })).toEqual({
        leads: [],
        next: null,
      });
      expect(await leads.count(stranger, filter)).toBe(0);
    }
    expect((await leads.insert(make.leadInsert(stranger, ada, "update"))).kind).toBe("created");
    expect((await leads.insert(make.leadInsert(owner, ada, "error"))).kind).toBe("duplicate");
    expect(await leads.get(owner, lead.id)).toEqual(lead);
  });

  describe("duplicates", () => {
    test("with create the same person is stored again", async () => {
      await using opened = await open();
      const { outcome, storage, existing } = await insertBeside(opened.storage, ada, ada, "create");
      expect(outcome.kind).toBe("created");
      expect(leadOf(outcome).id).not.toBe(existing.id);
      expect(await storage.leads.count(existing.workspaceId, {})).toBe(2);
    });

    test("with error the same person is told of and nothing changes", async () => {
      await using opened = await open();
      const { outcome, storage, existing } = await insertBeside(
        opened.storage,
        ada,
        { ...ada, title: "Countess" },
        "error",
      );
      expect(outcome).toEqual({ kind: "duplicate", lead: existing });
      expect(await storage.leads.get(existing.workspaceId, existing.id)).toEqual(existing);
      expect(await storage.leads.count(existing.workspaceId, {})).toBe(1);
    });

    test("with update the newcomer is merged in: its texts win, what it lacks stays, tags and fields are joined", async () => {
      await using opened = await open();
      const { storage, existing, outcome } = await insertBeside(
        opened.storage,
        {
          ...ada,
          title: "Countess",
          phone: "+44 1",
          status: "qualified",
          tags: ["a", "b"],
          customFields: { x: 1, y: 1 },
        },
        {
          ...ada,
          title: "Programmer",
          status: "new",
          tags: ["b", "c"],
          customFields: { y: 2, z: 2 },
          updatedAt: startOfTests + 9,
        },
        "update",
      );
      const merged: Lead = {
        ...existing,
        title: "Programmer",
        tags: ["a", "b", "c"],
        customFields: { x: 1, y: 2, z: 2 },
        version: 2,
        updatedAt: startOfTests + 9,
      };
      expect(outcome).toEqual({ kind: "updated", lead: merged });
      expect(await storage.leads.get(existing.workspaceId, existing.id)).toEqual(merged);
      expect(await storage.leads.count(existing.workspaceId, { tag: "c" })).toBe(1);
      expect(await storage.leads.count(existing.workspaceId, {})).toBe(1);
    });

    test("what a merge brought is found by the next look for duplicates", async () => {
      await using opened = await open();
      const { storage, existing, make } = await insertBeside(
        opened.storage,
        nameOnly,
        { ...ada, networkUrl: null },
        "update",
      );
      const byEmail = make.leadInsert(existing.workspaceId, { ...nothing, email: ada.email }, "error");
      expect(await storage.leads.insert(byEmail)).toMatchObject({ kind: "duplicate", lead: { id: existing.id } });
    });

    test.each([
      ["the email address in another case", { ...nothing, email: ada.email }, { ...nothing, email: "ADA@Example.com" }],
      [
        "the email address, with another name and profile",
        ada,
        { ...nothing, email: ada.email, networkUrl: "https://network.example/in/other" },
      ],
      [
        "the profile in another spelling",
        { ...nothing, networkUrl: ada.networkUrl },
        { ...nothing, networkUrl: "http://www.network.example/in/Ada/?x=1" },
      ],
      [
        "the profile, with another email address",
        ada,
        { ...nothing, networkUrl: ada.networkUrl, email: "other@example.com" },
      ],
      ["name and company in another case", nameOnly, { ...nameOnly, firstName: "ADA", company: "engines" }],
      ["name and company, when only one has an email address", nameOnly, { ...nameOnly, email: ada.email }],
      ["name and company, when only one has a profile", { ...nameOnly, networkUrl: ada.networkUrl }, nameOnly],
      [
        "name and company, one with an email address, the other with a profile",
        { ...nameOnly, email: ada.email },
        { ...nameOnly, networkUrl: ada.networkUrl },
      ],
    ])("one person by %s", async (_what, first, second) => {
      await using opened = await open();
      const { outcome, existing } = await insertBeside(opened.storage, first, second, "error");
      expect(outcome).toMatchObject({ kind: "duplicate", lead: { id: existing.id } });
    });

    test.each([
      [
        "another email address beside the same name and company",
        { ...nameOnly, email: ada.email },
        { ...nameOnly, email: "ada2@example.com" },
      ],
      [
        "another profile beside the same name and company",
        { ...nameOnly, networkUrl: ada.networkUrl },
        { ...nameOnly, networkUrl: "https://network.example/in/ada2" },
      ],
      [
        "another profile, though only one has an email address",
        ada,
        { ...nameOnly, networkUrl: "https://network.example/in/ada2" },
      ],
      ["another company", nameOnly, { ...nameOnly, company: "Looms" }],
      [
        "the same name without a company",
        { ...ada, company: null },
        { ...nothing, firstName: "Ada", lastName: "Lovelace", email: "a@example.com" },
      ],
    ])("two persons: %s", async (_what, first, second) => {
      await using opened = await open();
      const { outcome } = await insertBeside(opened.storage, first, second, "error");
      expect(outcome.kind).toBe("created");
    });

    test("among namesakes the one without a conflict is the same person", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      for (const n of [1, 2, 3]) await make.storedLead(storage, user.id, { ...nameOnly, email: `ada${n}@example.com` });
      const unconflicting = await make.storedLead(storage, user.id, nameOnly);
      const newcomer = make.leadInsert(user.id, { ...nameOnly, email: "ada4@example.com" }, "error");
      expect(await storage.leads.insert(newcomer)).toEqual({ kind: "duplicate", lead: unconflicting });
    });

    test("an email address speaks louder than a profile, and a profile than a name", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const byName = await make.storedLead(storage, user.id, nameOnly);
      const byProfile = await make.storedLead(storage, user.id, { ...nothing, networkUrl: ada.networkUrl });
      const byEmail = await make.storedLead(storage, user.id, { ...nothing, email: ada.email });
      const found = async (overrides: Partial<Lead>) =>
        leadOf(await storage.leads.insert(make.leadInsert(user.id, overrides, "error"))).id;
      expect(await found(ada)).toBe(byEmail.id);
      expect(await found({ ...ada, email: null })).toBe(byProfile.id);
      expect(await found(nameOnly)).toBe(byName.id);
    });

    test("of many requests for one person that come at once, one creates and the others add to it", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const requests = Array.from({ length: 20 }, (_, n) =>
        make.leadInsert(user.id, { ...ada, tags: [`t${n}`] }, "update"),
      );
      const outcomes = await Promise.all(requests.map((request) => storage.leads.insert(request)));
      if (isSingleWriter) expect(outcomes[0]?.kind).toBe("created");
      const [created, ...others] = outcomes.toSorted((a, b) => a.kind.localeCompare(b.kind));
      expect(created).toMatchObject({ kind: "created" });
      expect(others.map(({ kind }) => kind)).toEqual(Array.from({ length: 19 }, () => "updated" as const));
      const lead = await storage.leads.get(user.id, leadOf(created!).id);
      expect(lead?.version).toBe(20);
      const tags = requests.map((_, n) => `t${n}`);
      if (isSingleWriter) expect(lead?.tags).toEqual(tags);
      expect(new Set(lead?.tags)).toEqual(new Set(tags));
      expect(await storage.leads.count(user.id, {})).toBe(1);
    });
  });

  describe("changes", () => {
    test("an update at the right version writes everything and counts the version up", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const lead = await make.storedLead(storage, user.id, { ...ada, tags: ["old", "kept"] });
      const content = {
        email: null,
        company: "Looms",
        status: "contacted" as const,
        tags: ["kept", "fresh"],
        customFields: { a: 1 },
      };
      const outcome = await storage.leads.update({ ...make.leadUpdate(lead, content), at: startOfTests + 3 });
      const changed = { ...lead, ...content, version: 2, updatedAt: startOfTests + 3 };
      expect(outcome).toEqual({ kind: "changed", lead: changed });
      expect(await storage.leads.get(user.id, lead.id)).toEqual(changed);
      const counts = ["old", "kept", "fresh"].map((tag) => storage.leads.count(user.id, { tag }));
      expect(await Promise.all(counts)).toEqual([0, 1, 1]);
    });

    test("what an update took away is not found as a duplicate any more; what it brought is", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const lead = await make.storedLead(storage, user.id, { ...nothing, email: ada.email });
      await storage.leads.update(make.leadUpdate(lead, { email: "new@example.com" }));
      const kindOf = async (email: string) =>
        (await storage.leads.insert(make.leadInsert(user.id, { ...nothing, email }, "error"))).kind;
      expect(await kindOf(ada.email)).toBe("created");
      expect(await kindOf("new@example.com")).toBe("duplicate");
    });

    test("an update at another version is stale and writes nothing", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const lead = await make.storedLead(storage, user.id, ada);
      for (const version of [0, 2])
        expect(await storage.leads.update({ ...make.leadUpdate(lead, { title: "X" }), version })).toEqual({
          kind: "stale",
        });
      expect(await storage.leads.get(user.id, lead.id)).toEqual(lead);
    });

    test("of two updates from one version that come at once one is stale", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const lead = await make.storedLead(storage, user.id, ada);
      const outcomes = await Promise.all(
        ["one", "two"].map((title) => storage.leads.update(make.leadUpdate(lead, { title }))),
      );
      if (isSingleWriter) expect(outcomes.map(({ kind }) => kind)).toEqual(["changed", "stale"]);
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["changed", "stale"]);
      const changed = outcomes.flatMap((outcome) => (outcome.kind === "changed" ? [outcome.lead] : []));
      expect(changed).toHaveLength(1);
      expect(await storage.leads.get(user.id, lead.id)).toEqual({ ...changed[0]!, version: 2 });
    });

    test("a removal answers the lead as it was, and is heeded only at the version that it names", async () => {
      await using opened = await open();
      const { storage } = opened;
      const make = createFactories();
      const { user } = await make.storedUser(storage);
      const [lead, other] = [
        await make.storedLead(storage, user.id, { ...ada, tags: ["math"] }),
        await make.storedLead(storage, user.id),
      ];
      expect(await storage.leads.remove({ workspaceId: user.id, id: lead.id, version: 2, at: startOfTests })).toEqual({
        kind: "stale",
      });
      expect(await storage.leads.get(user.id, lead.id)).toEqual(lead);
      expect(await storage.leads.remove({ workspaceId: user.id, id: lead.id, version: 1, at: startOfTests })).toEqual({
        kind: "changed",
        lead,
      });
      expect(
        await storage.leads.remove({ workspaceId: user.id, id: lead.id, version: null, at: startOfTests }),
      ).toEqual({
        kind: "absent",
      });
      expect(await storage.leads.update(make.leadUpdate(lead, {}))).toEqual({ kind: "absent" });
      expect(await storage.leads.get(user.id, lead.id)).toBeNull();
      expect(await storage.leads.count(user.id, { tag: "math" })).toBe(0);
      expect(
        await storage.leads.remove({ workspaceId: user.id, id: other.id, version: null, at: startOfTests }),
      ).toEqual({
        kind: "changed",
        lead: other,
      });
      expect((await storage.leads.insert(make.leadInsert(user.id, ada, "error"))).kind).toBe("created");
    });
  });

  test("a lead is assigned to active members of the workspace only", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const [{ user }, stranger] = [await make.storedUser(storage), await make.storedUser(storage)];
    const wish = (userId: string) => ({ ...make.leadInsert(user.id, { assignedTo: userId }), assignee: userId });
    const refused = { kind: "noMember", userId: stranger.user.id } as const;
    expect(await storage.leads.insert(wish(stranger.user.id))).toEqual(refused);
    expect(await storage.leads.count(user.id, {})).toBe(0);
    const lead = leadOf(await storage.leads.insert(wish(user.id)));
    const update = { ...make.leadUpdate(lead, { assignedTo: stranger.user.id }), assignee: stranger.user.id };
    expect(await storage.leads.updateAll([update])).toEqual([refused]);
    expect(await storage.leads.get(user.id, lead.id)).toEqual(lead);
    const audit = auditEntry(null, startOfTests, { action: "member.updated", workspaceId: user.id });
    const inactive = { ...stranger.member, workspaceId: user.id, isActive: false };
    await storage.workspaces.changeMembers(user.id, [], () => ({ write: [inactive], remove: [], audit }));
    expect(await storage.leads.update(update)).toEqual(refused);
    const active = { ...inactive, isActive: true };
    await storage.workspaces.changeMembers(user.id, [], () => ({ write: [active], remove: [], audit }));
    expect(await storage.leads.update(update)).toMatchObject({ kind: "changed" });
  });

  test("a lead that can't be stored leaves nothing behind, neither its tags nor its place in the counts", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const lead = await make.storedLead(storage, user.id, { tags: ["first"] });
    const twin = make.leadInsert(user.id, { id: lead.id, tags: ["second"], status: "contacted" });
    await expect(storage.leads.insert(twin)).rejects.toThrow();
    await expect(storage.leads.insert(make.leadInsert("nobody", { tags: ["second"] }))).rejects.toThrow();
    expect(await storage.leads.get(user.id, lead.id)).toEqual(lead);
    expect(await storage.leads.count(user.id, { tag: "second" })).toBe(0);
    expect(await storage.leads.count(user.id, {})).toBe(1);
    expect(await storage.leads.count("nobody", {})).toBe(0);
  });

  test("stored, changed, merged and removed leads are so after the process was killed", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const [changed, removed] = [
      await make.storedLead(opened.storage, user.id, ada),
      await make.storedLead(opened.storage, user.id),
    ];
    await opened.storage.leads.update(make.leadUpdate(changed, { title: "Countess" }));
    await opened.storage.leads.insert(
      make.leadInsert(user.id, { ...nothing, email: ada.email, tags: ["merged"] }, "update"),
    );
    await opened.storage.leads.remove({ workspaceId: user.id, id: removed.id, version: null, at: startOfTests });
    const storage = await opened.reopen();
    expect(await storage.leads.get(user.id, changed.id)).toMatchObject({
      ...ada,
      title: "Countess",
      tags: ["merged"],
      version: 3,
    });
    expect(await storage.leads.get(user.id, removed.id)).toBeNull();
    expect(await storage.leads.count(user.id, {})).toBe(1);
    expect(await storage.leads.count(user.id, { tag: "merged" })).toBe(1);
  });
});

/** Stores one lead, then asks for a second of the same user. */
async function insertBeside(
  storage: Storage,
  first: Partial<Lead>,
  second: Partial<Lead>,
  onDuplicate: "create" | "update" | "error",
) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const existing = await make.storedLead(storage, user.id, first);
  const outcome: InsertLeadOutcome = await storage.leads.insert(make.leadInsert(user.id, second, onDuplicate));
  return { outcome, existing, storage, make };
}
