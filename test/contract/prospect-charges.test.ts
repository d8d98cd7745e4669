import { describe, expect, test } from "bun:test";
import type { ProspectBatch, ProspectRow } from "../../src/features/prospecting/directory-model.ts";
import type { ProspectDraft } from "../../src/features/prospecting/content.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { nothing, made, companyRow, personRow, all, imported } from "../support/prospect-rows.ts";

describe.each(enginesAndPostgres)("charges for prospects on $name", ({ open }) => {
  test("the lead of a prospect is noted, and stays through changes, as long as there is one", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const { id } = await make.storedLead(storage, user.id);
    const [stored] = await storage.prospects.put(user.id, [made({ email: "p@example.com" })], startOfTests);
    await storage.prospects.setLead(user.id, stored!.id, id);
    await storage.prospects.put(user.id, [made({ email: "p@example.com", phone: "1" })], startOfTests);
    expect(await storage.prospects.get(user.id, stored!.id)).toMatchObject({ leadId: id, phone: "1" });
    await storage.leads.remove({ workspaceId: user.id, id, version: null, at: startOfTests });
    expect(await storage.prospects.get(user.id, stored!.id)).toMatchObject({ leadId: null, phone: "1" });
  });

  test("who was paid for is free until that was too long ago, and races pay once", async () => {
    await using opened = await open();
    const { prospects, credits } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    await credits.add(factories.grant(user.id, { amount: 5 }));
    const drafts = [1, 2, 3].map((n) => made({ email: `p${n}@example.com` }));
    const [one, two, three] = (await prospects.put(user.id, drafts, startOfTests)).map(({ id }) => id);
    let request = 0;
    const shown = (ids: (string | undefined)[], at: number, each = 2) =>
      prospects.reveal({
        workspaceId: user.id,
        ids: ids.map(String),
        freeSince: at - 1000,
        payment: {
          kind: "charge",
          each,
          charge: {
            entryId: `e${++request}`,
            workspaceId: user.id,
            request: `r${request}`,
            purpose: "search",
            keyId: null,
            at,
          },
        },
      });
    // Either may be the first.
    const races = await Promise.all([shown([one, two], 5000), shown([two, one], 5000)]);
    expect(races).toContainEqual({ kind: "charged", charged: 4, balance: 1 });
    expect(races).toContainEqual({ kind: "charged", charged: 0, balance: 1 });
    expect(await shown([one, three], 5001)).toEqual({ kind: "exhausted", by: "balance", remaining: 1, required: 2 });
    expect(await prospects.unpaid({ workspaceId: user.id, ids: [one!, three!], freeSince: 5000 })).toBe(1);
    expect(await prospects.unpaid({ workspaceId: user.id, ids: [one!, three!], freeSince: 5001 })).toBe(2);
    expect(await shown([one], 6001, 1)).toEqual({ kind: "charged", charged: 1, balance: 0 });
  });

  test("what was reserved is settled for those who are not free, each once, and the rest is given back", async () => {
    await using opened = await open();
    const { prospects, credits } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    await credits.add(factories.grant(user.id, { amount: 20 }));
    const drafts = [1, 2, 3].map((n) => made({ email: `p${n}@example.com` }));
    const [one, two, three] = (await prospects.put(user.id, drafts, startOfTests)).map(({ id }) => id);
    const reserved = async (request: string) => {
      const held = await credits.reserve(factories.reservation(user.id, { request, amount: 6 }));
      return held.kind === "reserved" ? held.id : "";
    };
    const settled = (reservationId: string, ids: (string | undefined)[], at: number) =>
      prospects.reveal({
        workspaceId: user.id,
        ids: ids.map(String),
        freeSince: at - 1000,
        payment: {
          kind: "settle",
          each: 2,
          settlement: { reservationId, releaseId: `${reservationId}-rest`, closes: true, at },
          entry: { entryId: `${reservationId}-results`, item: "results" },
        },
      });
    const [first, second, late] = [await reserved("r1"), await reserved("r2"), await reserved("r3")];
    const raced = await Promise.all([settled(first, [one, two, one], 5000), settled(second, [two, three], 5000)]);
    expect(raced).toMatchObject([
      { kind: "charged", charged: 4 },
      { kind: "charged", charged: 2 },
    ]);
    // 18 were held; 6 of them are spent, and 6 are held still.
    expect([await credits.balance(user.id), await credits.reserved(user.id)]).toEqual([8, 6]);
    expect(await settled(late, [one, two, three], 5001)).toEqual({ kind: "charged", charged: 0, balance: 14 });
    // To be shown for nothing does not make it free for longer.
    expect(await settled(await reserved("r4"), [one, two], 6001)).toEqual({
      kind: "charged",
      charged: 4,
      balance: 10,
    });
    const ledger = await credits.page({
      ...{ workspaceId: user.id, kind: "settle", createdFrom: null, createdTo: null, limit: 10, after: null },
    });
    expect(ledger.map(({ request, amount }) => [request, amount])).toEqual([
      ["r4", -4],
      ["r2", -2],
      ["r1", -4],
    ]);
  });

  test("nothing is charged out of what was given back, and nobody is free for it", async () => {
    await using opened = await open();
    const { prospects, credits } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    await credits.add(factories.grant(user.id, { amount: 5 }));
    const [stored] = await prospects.put(user.id, [made({ email: "p@example.com" })], startOfTests);
    const shown = { workspaceId: user.id, ids: [stored!.id], freeSince: startOfTests };
    const held = await credits.reserve(factories.reservation(user.id, { amount: 3 }));
    const reservationId = held.kind === "reserved" ? held.id : "";
    await credits.settle(factories.settlement(reservationId, {}, { closes: true }));
    const settlement = { reservationId, releaseId: "released", closes: true, at: startOfTests };
    const entry = { entryId: "settled", item: "results" };
    expect(await prospects.reveal({ ...shown, payment: { kind: "settle", each: 2, settlement, entry } })).toEqual({
      kind: "charged",
      charged: 0,
      balance: 5,
    });
    expect(await prospects.unpaid(shown)).toBe(1);
  });

  test("a vendor's person becomes the workspace's own by an import of the person, and stays it", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const fromVendor = (draft: ProspectDraft) => {
      const { content, identity } = made(draft);
      return storage.prospects.put(user.id, [{ content: { ...content, isFromVendor: true }, identity }], startOfTests);
    };
    const vendors = async () =>
      (await all(storage, user.id)).filter(({ isFromVendor }) => isFromVendor).map(({ email }) => email);
    for (const name of ["ada", "bob", "cy"]) await fromVendor({ email: `${name}@acme.example`, company: "Acme" });
    expect(await vendors()).toEqual(["ada@acme.example", "bob@acme.example", "cy@acme.example"]);
    // What a file says about the company, and a dry run, tell of no person.
    await imported(storage, user.id, [companyRow(2, { company: "Acme", domain: "acme.example", industry: "Robots" })]);
    await imported(storage, user.id, [personRow(2, { email: "ada@acme.example" })], { dryRun: true });
    await fromVendor({ email: "ada@acme.example", title: "CTO" });
    expect(await vendors()).toHaveLength(3);
    await imported(storage, user.id, [personRow(2, { email: "ada@acme.example" })]);
    expect(await vendors()).toEqual(["bob@acme.example", "cy@acme.example"]);
    const skipped = await imported(storage, user.id, [personRow(2, { email: "bob@acme.example", title: "CFO" })], {
      onDuplicate: "skip",
    });
    expect(skipped).toMatchObject({ skipped: 1, updated: 0 });
    await fromVendor({ email: "ada@acme.example", title: "CEO" });
    expect(await vendors()).toEqual(["cy@acme.example"]);
    expect((await all(storage, user.id)).map(({ title }) => title)).toEqual(["CEO", undefined, undefined]);
  });

  test("each attempt at a dry run begins anew, and nothing of it is stored", async () => {
    await using opened = await open();
    const { storage } = opened;
    const factories = createFactories();
    const { user } = await factories.storedUser(storage);
    await storage.prospects.put(user.id, [made({ email: "old@example.com" })], startOfTests);
    const job = await factories.storedJob(storage, user.id, { type: "prospect_import" });
    const rows = [personRow(2, { email: "new@example.com" }), personRow(3, { email: "OLD@example.com" })];
    const foretold = { rows: 2, created: 1, updated: 0, skipped: 1, failed: 0, companies: 0 };
    for (const attempt of [1, 2]) {
      const now = startOfTests + attempt * 60_000;
      const claim = { type: "prospect_import", limit: 1, now, leaseUntil: now + 30_000 } as const;
      const [claimed] = await storage.jobs.claim(claim);
      expect(claimed).toMatchObject({ id: job.id, attempt });
      const foresee = async (some: ProspectRow[]) => {
        const batch: ProspectBatch = {
          workspaceId: user.id,
          jobId: job.id,
          attempt,
          rows: some,
          found: null,
          onDuplicate: "update",
          dryRun: true,
          lastRow: 3,
          progress: 50,
          leaseUntil: now + 30_000,
          at: now,
        };
        return await storage.prospects.importBatch(batch, await storage.prospects.lookUp(batch));
      };
      expect(await foresee(rows)).toEqual(foretold);
      expect(await foresee([personRow(4, { email: "NEW@example.com" })])).toMatchObject({ rows: 3, skipped: 2 });
    }
    storage.prospects.forgetDryRun(job.id);
    const page = { workspaceId: user.id, jobId: job.id, outcome: null, afterRow: 0, limit: 10 };
    expect((await storage.prospects.importReport(page)).map(({ row, outcome }) => [row, outcome])).toEqual([
      [3, "skipped"],
      [4, "skipped"],
    ]);
    expect(await all(storage, user.id)).toHaveLength(1);
  });

  test("many namesakes are stored in time that does not grow with their number", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const draft = { firstName: "Max", lastName: "Muster", company: "Same" };
    for (let batch = 0; batch < 3; batch++) {
      const rows = Array.from({ length: 400 }, (_, n) =>
        personRow(batch * 400 + n, { ...draft, email: `m${batch * 400 + n}@example.com` }),
      );
      expect(await imported(storage, user.id, rows)).toMatchObject({ created: 400 });
    }
    expect(
      (await storage.prospects.search({ workspaceId: user.id, query: nothing, offset: 1199, limit: 5 })).prospects,
    ).toHaveLength(1);
  });
});
