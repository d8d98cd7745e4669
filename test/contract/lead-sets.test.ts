import { describe, expect, test } from "bun:test";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

describe.each(enginesAndPostgres)("several leads in one operation on $name", ({ open }) => {
  test("inserted together, each sees those before it, as if they came one by one", async () => {
    await using opened = await open();
    await using single = await open();
    const make = createFactories();
    const dice = createDice(5);
    const newcomer = await make.storedUser(opened.storage);
    expect(await single.storage.users.insert(newcomer)).toBe(true);
    const { user } = newcomer;
    const requests = Array.from({ length: 120 }, (_, n) =>
      make.leadInsert(
        user.id,
        {
          firstName: dice.pick(["Ada", "Grace", "Alan"]),
          lastName: dice.pick(["Hopper", "Lovelace"]),
          company: dice.pick([null, "Engines"]),
          email: dice.chance(0.3) ? null : `p${dice.below(40)}@example.com`,
          networkUrl: dice.chance(0.7) ? `https://network.example/in/p${dice.below(40)}` : null,
          phone: dice.chance(0.3) ? `+44 20 7946 0${dice.below(3)}00` : null,
          tags: dice.chance(0.5) ? [`t${dice.below(3)}`] : [],
          title: `Row ${n}`,
        },
        dice.pick(["create", "update", "error"]),
      ),
    );
    const together = await opened.storage.leads.insertAll(requests);
    const inTurn = [];
    for (const request of requests) inTurn.push(await single.storage.leads.insert(request));
    expect(together).toEqual(inTurn);
    const kinds = together.map(({ kind }) => kind);
    for (const kind of ["created", "updated", "duplicate"] as const) expect(kinds).toContain(kind);
    for (const outcome of together)
      if (outcome.kind === "created")
        expect(await opened.storage.leads.get(user.id, outcome.lead.id)).toEqual(
          await single.storage.leads.get(user.id, outcome.lead.id),
        );
    for (const filter of [{}, { tag: "t1" }, { statuses: ["new" as const] }])
      expect(await opened.storage.leads.count(user.id, filter)).toBe(await single.storage.leads.count(user.id, filter));
  });

  test("read by their IDs, only those that the workspace has", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const other = await make.storedUser(opened.storage);
    const [a, b] = [await make.storedLead(opened.storage, user.id), await make.storedLead(opened.storage, user.id)];
    const foreign = await make.storedLead(opened.storage, other.user.id);
    const found = await opened.storage.leads.getAll(user.id, [b.id, foreign.id, "nobody", a.id]);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([a.id, b.id]));
    expect(found).toHaveLength(2);
    expect(await opened.storage.leads.getAll(user.id, [])).toEqual([]);
  });

  test("changed together, each by an outcome of its own, in the order of the requests", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const [a, b, c] = [
      await make.storedLead(opened.storage, user.id),
      await make.storedLead(opened.storage, user.id),
      await make.storedLead(opened.storage, user.id),
    ];
    const outcomes = await leads.updateAll([
      make.leadUpdate(c, { title: "Third", tags: ["x"] }),
      { ...make.leadUpdate(b, { title: "Second" }), version: 7 },
      { ...make.leadUpdate(a, { title: "Nobody" }), id: "nobody" },
      make.leadUpdate(a, { title: "First", status: "qualified" }),
    ]);
    expect(outcomes).toMatchObject([
      { kind: "changed", lead: { id: c.id, title: "Third", version: 2 } },
      { kind: "stale" },
      { kind: "absent" },
      { kind: "changed", lead: { id: a.id, title: "First", version: 2 } },
    ]);
    expect(await leads.get(user.id, a.id)).toMatchObject({ title: "First", status: "qualified" });
    expect(await leads.get(user.id, b.id)).toEqual(b);
    expect(await leads.count(user.id, { statuses: ["qualified"] })).toBe(1);
    expect(await leads.count(user.id, { tag: "x" })).toBe(1);
    expect(await leads.updateAll([])).toEqual([]);
  });

  test("removed together", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const [a, b] = [await make.storedLead(opened.storage, user.id), await make.storedLead(opened.storage, user.id)];
    const removal = { workspaceId: user.id, version: null, at: startOfTests };
    const outcomes = await leads.removeAll([
      { ...removal, id: b.id },
      { ...removal, id: "nobody" },
      { ...removal, id: a.id, version: 9 },
    ]);
    expect(outcomes).toEqual([{ kind: "changed", lead: b }, { kind: "absent" }, { kind: "stale" }]);
    expect(await leads.get(user.id, b.id)).toBeNull();
    expect(await leads.count(user.id, {})).toBe(1);
  });

  test("changes of the same leads in opposite order, at once, all end", async () => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const stored = [];
    for (let n = 0; n < 20; n++) stored.push(await make.storedLead(opened.storage, user.id));
    const changes = stored.map((lead) => make.leadUpdate(lead, { title: "Changed" }));
    const both = await Promise.all([leads.updateAll(changes), leads.updateAll(changes.toReversed())]);
    const kinds = both.flat().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "changed")).toHaveLength(20);
    expect(kinds.filter((kind) => kind === "stale")).toHaveLength(20);
  });
});
