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
