import { describe, expect, test } from "bun:test";
import { enginesAndPostgres } from "../support/engines.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";
import { made } from "../support/prospect-rows.ts";

describe.each(enginesAndPostgres)("merges of leads on $name", ({ open }) => {
  test("one lead is left, found by what it now has, and the counts are right", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const keep = await make.storedLead(opened.storage, user.id, { email: null, company: "Engines", tags: ["a"] });
    const other = await make.storedLead(opened.storage, user.id, {
      email: "Other@x.example",
      tags: ["b"],
      status: "qualified",
    });
    const outcome = await leads.merge(make.leadMerge(keep, other));
    expect(outcome).toMatchObject({
      kind: "merged",
      lead: { id: keep.id, email: "Other@x.example", tags: ["a", "b"], status: "qualified", version: 2 },
    });
    expect(await leads.get(user.id, other.id)).toBeNull();
    const identity = { email: "other@x.example", network: null, name: null };
    expect((await leads.findSame(user.id, identity, null))?.id).toBe(keep.id);
    expect(await leads.count(user.id, { tag: "b" })).toBe(1);
    expect(await leads.count(user.id, { statuses: ["new"] })).toBe(0);
    expect(await leads.count(user.id, { statuses: ["qualified"] })).toBe(1);
  });

  test("the ID of a lead that was merged leads to the one that is left, also after further merges", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const stored = () => make.storedLead(opened.storage, user.id);
    const [first, second, third, unrelated] = [await stored(), await stored(), await stored(), await stored()];
    await leads.merge(make.leadMerge(second, first));
    expect(await leads.mergedInto(user.id, [first.id, second.id, "never"])).toEqual(new Map([[first.id, second.id]]));
    await leads.merge(make.leadMerge(third, (await leads.get(user.id, second.id))!));
    const ids = [first.id, second.id, third.id, unrelated.id];
    const expected = new Map([
      [first.id, third.id],
      [second.id, third.id],
    ]);
    expect(await leads.mergedInto(user.id, ids)).toEqual(expected);
    const { user: another } = await make.storedUser(opened.storage);
    expect(await leads.mergedInto(another.id, ids)).toEqual(new Map());
    await leads.remove({ workspaceId: user.id, id: third.id, version: null, at: startOfTests, actorId: null });
    expect(await leads.mergedInto(user.id, ids)).toEqual(new Map());
  });

  test("the merged lead is newer than both", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const keep = await make.storedLead(opened.storage, user.id);
    const before = await make.storedLead(opened.storage, user.id);
    const { content, identity } = make.leadMerge(before, before);
    const change = { ...{ workspaceId: user.id, id: before.id, content, identity }, at: startOfTests, actorId: null };
    for (const version of [1, 2]) await leads.update({ ...change, version });
    const other = (await leads.get(user.id, before.id))!;
    expect(other.version).toBe(3);
    expect(await leads.merge(make.leadMerge(keep, other))).toMatchObject({ lead: { id: keep.id, version: 4 } });
  });

  test("an erased person is not known by the IDs of merged leads", async () => {
    await using opened = await open();
    const { leads, persons } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const email = "gone@merge.example";
    const keep = await make.storedLead(opened.storage, user.id, { email });
    const other = await make.storedLead(opened.storage, user.id, { email: null });
    await leads.merge(make.leadMerge(keep, other));
    const scope = { workspaceId: user.id };
    for (const given of [
      { email, profile: null, leadId: null },
      { email: null, profile: null, leadId: other.id },
    ]) {
      const identity = await persons.identify(scope, given, true);
      expect(identity?.leadIds.toSorted()).toEqual([keep.id, other.id].toSorted());
    }
    const identity = (await persons.identify(scope, { email, profile: null, leadId: null }, true))!;
    const records = [{ place: "leads", key: [keep.id], workspaceId: user.id, isOwn: true, fields: {} }];
    expect(await persons.erase(identity, records, startOfTests)).toMatchObject({ erased: { leads: 1 } });
    expect(await leads.mergedInto(user.id, [other.id])).toEqual(new Map());
    expect(await persons.identify(scope, { email: null, profile: null, leadId: other.id }, true)).toBeNull();
  });

  test("the prospect that the other lead was made of leads to the lead that is kept", async () => {
    await using opened = await open();
    const { leads, prospects } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const [keep, other, third] = [
      await make.storedLead(opened.storage, user.id),
      await make.storedLead(opened.storage, user.id),
      await make.storedLead(opened.storage, user.id),
    ];
    const drafts = [made({ email: "p@example.com" }), made({ email: "q@example.com" })];
    const [first, second] = await prospects.put(user.id, drafts, startOfTests);
    await prospects.setLead(user.id, first!.id, other.id);
    await prospects.setLead(user.id, second!.id, third.id);
    await leads.merge(make.leadMerge(keep, other));
    expect(await prospects.get(user.id, first!.id)).toMatchObject({ leadId: keep.id });
    expect(await prospects.get(user.id, second!.id)).toMatchObject({ leadId: third.id });
  });

  test("nothing is stored if one of the leads has changed or is gone", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const [keep, other] = [
      await make.storedLead(opened.storage, user.id),
      await make.storedLead(opened.storage, user.id),
    ];
    const request = make.leadMerge(keep, other);
    for (const change of [{ keep: { id: keep.id, version: 2 } }, { other: { id: other.id, version: 2 } }])
      expect(await leads.merge({ ...request, ...change })).toEqual({ kind: "stale" });
    expect(await leads.merge({ ...request, other: { id: "gone", version: 1 } })).toEqual({
      kind: "absent",
      id: "gone",
    });
    expect(await leads.merge({ ...request, workspaceId: "another" })).toEqual({ kind: "absent", id: keep.id });
    expect(await leads.get(user.id, keep.id)).toEqual(keep);
    expect(await leads.get(user.id, other.id)).toEqual(other);
  });
});
