import { describe, expect, test } from "bun:test";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import { type ProspectDraft } from "../../src/features/prospecting/content.ts";
import { prospectIdentity } from "../../src/features/prospecting/keys.ts";
import type { ProspectRow } from "../../src/features/prospecting/directory-model.ts";
import { createPeopleDirectory } from "../../src/features/prospecting/people-directory.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { nobody, made, personRow, companyRow, all, imported } from "../support/prospect-rows.ts";

describe.each(enginesAndPostgres)("identity of prospects on $name", ({ open }) => {
  test("the address and the phone of an old job are told to nobody, and the address finds the person still", async () => {
    await using opened = await open();
    const { user } = await createFactories().storedUser(opened.storage);
    const profile = { networkUrl: "https://network.example/in/ka" };
    const old = { email: "Ka@acme.example", firstName: "Ka", lastName: "Li", company: "Acme" };
    await imported(opened.storage, user.id, [personRow(1, { ...old, ...profile, phone: "1", confidence: 0.95 })]);
    const [first] = await all(opened.storage, user.id);
    const moved = { ...profile, company: "Globex", title: "CTO", confidence: 0.6 };
    expect(await imported(opened.storage, user.id, [personRow(2, moved)])).toMatchObject({ updated: 1 });
    expect(await imported(opened.storage, user.id, [personRow(3, moved)])).toMatchObject({ skipped: 1 });
    const [ka, ...others] = await all(opened.storage, user.id);
    expect(others).toEqual([]);
    expect(ka).toMatchObject({ id: first!.id, company: "Globex", title: "CTO", confidence: 0.6 });
    expect([ka!.email, ka!.phone]).toEqual([undefined, undefined]);
    for (const prepare of [async () => opened.storage, () => opened.reopen()]) {
      const storage = await prepare();
      const told = await storage.prospects.findPerson(user.id, prospectIdentity({ email: "ka@ACME.example" }));
      expect(told).toMatchObject({ id: first!.id, company: "Globex" });
      expect(await imported(storage, user.id, [personRow(4, { email: "ka@acme.example" })])).toMatchObject({
        skipped: 1,
      });
      await storage.prospects.settle(user.id);
    }
    // Whoever has the address now is somebody else.
    const bo = personRow(5, { email: old.email, firstName: "Bo", lastName: "Ray", company: "Acme" });
    const other = personRow(6, { ...old, networkUrl: "https://network.example/in/another-ka" });
    for (const row of [bo, other])
      expect(await imported(opened.storage, user.id, [row], { dryRun: true })).toMatchObject({ created: 1 });
    expect(await imported(opened.storage, user.id, [bo])).toMatchObject({ created: 1 });
    const found = await opened.storage.prospects.findPerson(user.id, prospectIdentity({ email: old.email }));
    expect(found).toMatchObject({ firstName: "Bo" });
  });

  test("the old list again, as the newest word, takes the person back, and makes no second one", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const profile = { networkUrl: "https://network.example/in/ka" };
    const old = { email: "ka@acme.example", firstName: "Ka", lastName: "Li", company: "Acme", phone: "1" };
    const now = { ...profile, company: "Globex", email: "ka@globex.example" };
    await imported(storage, user.id, [personRow(1, { ...old, ...profile })]);
    for (const dryRun of [true, false])
      expect(
        await imported(storage, user.id, [personRow(2, now), personRow(3, old), personRow(4, now)], { dryRun }),
      ).toMatchObject({ created: 0, updated: 3 });
    expect(await all(storage, user.id)).toMatchObject([{ ...now, formerEmails: ["ka@acme.example"] }]);
  });

  test("a person is found by address, or by a name that only one has", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const names = { firstName: "Ada", lastName: "Lovelace", company: "Engines" };
    await storage.prospects.put(
      user.id,
      [
        made({ ...names, email: "ada@engines.example", industry: "Machines" }),
        made({ firstName: "Max", lastName: "Muster", company: "Engines", email: "m1@engines.example" }),
        made({ firstName: "Max", lastName: "Muster", company: "Engines", email: "m2@engines.example" }),
      ],
      startOfTests,
    );
    const find = async (draft: ProspectDraft) =>
      (await storage.prospects.findPerson(user.id, prospectIdentity(draft)))?.email;
    expect(await find({ email: "ADA@engines.example" })).toBe("ada@engines.example");
    expect(await find(names)).toBe("ada@engines.example");
    expect(await find({ ...names, email: "other@engines.example" })).toBeUndefined();
    expect(await find({ firstName: "Max", lastName: "Muster", company: "Engines" })).toBeUndefined();
    // What its people say of a company is told by them.
    const company = { domain: null, name: "engines" };
    expect(await storage.prospects.findCompany(user.id, company)).toBeNull();
    expect((await storage.prospects.colleagues(user.id, company, 8)).map(({ industry }) => industry)).toContain(
      "Machines",
    );
    const colleagues = await storage.prospects.colleagues(user.id, { domain: "engines.example", name: null }, 2);
    expect(colleagues).toHaveLength(2);
    expect(await storage.prospects.colleagues("nobody", { domain: "engines.example", name: null }, 2)).toEqual([]);
    // Who has no address is known, too, behind those who have one.
    await storage.prospects.put(
      user.id,
      ["Al", "Bo"].map((firstName, n) =>
        made({ firstName, lastName: "Late", company: "Late", ...(n === 1 && { email: "bo@late.example" }) }),
      ),
      startOfTests,
    );
    const late = await storage.prospects.colleagues(user.id, { domain: null, name: "late" }, 2);
    expect(late.map(({ firstName }) => firstName)).toEqual(["Bo", "Al"]);
  });

  test("a name makes two one only where nothing that both have beside it differs", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    let last = 0;
    const person = (company: string, beside: readonly string[]): ProspectRow =>
      personRow(++last, {
        ...{ firstName: "Max", lastName: "Muster", company },
        ...(beside.includes("email") && { email: `max.${last}@example.com` }),
        ...(beside.includes("networkUrl") && { networkUrl: `https://network.example/in/max-${last}` }),
      });
    const sets = [[], ["email"], ["networkUrl"], ["email", "networkUrl"]];
    const pairs = sets.flatMap((one) =>
      sets.map((other) => ({ one, other, company: `${one.join("+")} or ${other.join("+")}` })),
    );
    const created = async (rows: ProspectRow[]) => (await imported(storage, user.id, rows))?.created;
    const apart = pairs.filter(({ one, other }) => one.some((field) => other.includes(field)));
    // Side by side in one batch, where no index is asked.
    const both = pairs.flatMap(({ one, other, company }) => [
      person(`1 ${company}`, one),
      person(`1 ${company}`, other),
    ]);
    expect(await created(both)).toBe(pairs.length + apart.length);
    expect(await created(pairs.map(({ one, company }) => person(`2 ${company}`, one)))).toBe(pairs.length);
    await storage.prospects.settle(user.id);
    expect(await created(pairs.map(({ other, company }) => person(`2 ${company}`, other)))).toBe(apart.length);
    // Whoever is known by his name alone is everybody's namesake, and who came by an email since is nobody's who has one.
    expect(await created(pairs.map(({ company }) => person(`2 ${company}`, [])))).toBe(0);
    expect(
      await created(sets.slice(1).map((other) => person(`2 or ${other.join("+")}`, ["email", "networkUrl"]))),
    ).toBe(3);
  });

  test("a namesake of a company is one of it, however its legal form is written", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const ka = (row: number, company: string, more: ProspectDraft = {}) =>
      personRow(row, { firstName: "Ka", lastName: "Li", company, ...more });
    const first = await imported(storage, user.id, [ka(1, "Acme, Inc.", { email: "ka@acme.example" }), ka(2, "ACME")]);
    expect(first).toMatchObject({ created: 1, skipped: 1 });
    await storage.prospects.settle(user.id);
    const later = [ka(3, "acme ltd", { title: "CTO" }), ka(4, "Acme AG", { email: "other@acme.example" }), ka(5, "!?")];
    expect(await imported(storage, user.id, [...later, ka(6, "?!")])).toMatchObject({ created: 3, updated: 1 });
    const directory = createPeopleDirectory(storage.prospects);
    const find = (company: string) =>
      directory.findPerson(user.id, leadIdentity({ ...nobody, firstName: "ka", lastName: "LI", company }), null);
    expect(await find("!?")).toMatchObject({ company: "!?" });
    expect(await find("Acme GmbH")).toBeNull(); // two have this name
  });

  test.each([
    ["The Boring Company", "Boring Company"],
    ["AT&T", "AT and T"],
    ["Ernst & Young", "ernst und young"],
  ])("%s and %s are one company with one namesake", async (one, other) => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const ka = (row: number, company: string) => personRow(row, { firstName: "Ka", lastName: "Li", company });
    expect(await imported(storage, user.id, [ka(1, one), ka(2, other)])).toMatchObject({ created: 1, skipped: 1 });
    await imported(storage, user.id, [companyRow(3, { company: other, industry: "Robots" })]);
    expect(await imported(storage, user.id, [companyRow(4, { company: one, companySize: "11-50" })])).toMatchObject({
      updated: 1,
    });
    expect(await all(storage, user.id)).toMatchObject([{ company: one, industry: "Robots", companySize: "11-50" }]);
    expect(await storage.prospects.findCompany(user.id, { domain: null, name: one })).toMatchObject({
      industry: "Robots",
    });
    expect(await storage.prospects.colleagues(user.id, { domain: null, name: other }, 2)).toHaveLength(1);
  });

  test("who has the email of one record and the profile of another makes one of them, known by both ids", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const lead = await make.storedLead(opened.storage, user.id);
    const otherLead = await make.storedLead(opened.storage, user.id);
    const { prospects } = opened.storage;
    const networkUrl = "https://network.example/in/ka";
    const drafts = [
      { email: "ka@acme.example", title: "CTO", firstName: "K" },
      { networkUrl, industry: "Robots", firstName: "Ka", lastName: "Li" },
    ];
    const [first, second] = (await prospects.put(user.id, drafts.map(made), startOfTests)).map(({ id }) => id);
    await prospects.setLead(user.id, second!, lead.id);
    const shown = { workspaceId: user.id, ids: [second!], freeSince: startOfTests };
    const charge = { entryId: "e", workspaceId: user.id, request: "r", purpose: "search" as const, keyId: null };
    await prospects.reveal({ ...shown, payment: { kind: "charge", each: 0, charge: { ...charge, at: startOfTests } } });
    await prospects.settle(user.id);
    const both = personRow(1, { email: "KA@acme.example", networkUrl: `${networkUrl}/`, phone: "1" });
    const stranger = personRow(2, { email: "new@example.com" });
    expect(await imported(opened.storage, user.id, [stranger, both])).toMatchObject({ created: 1, updated: 1 });
    const ka = {
      ...{ id: first!, email: "ka@acme.example", networkUrl, phone: "1", title: "CTO", industry: "Robots" },
      ...{ firstName: "Ka", lastName: "Li", leadId: lead.id },
    };
    expect((await all(opened.storage, user.id)).map(({ email }) => email)).toEqual([ka.email, "new@example.com"]);
    expect(await all(opened.storage, user.id, { company: { industry: ["robots"] } })).toMatchObject([ka]);
    for (const id of [first!, second!]) expect(await prospects.get(user.id, id)).toMatchObject(ka);
    expect(await prospects.unpaid({ ...shown, ids: [first!] })).toBe(0);
    // Known by what each of the two was known by, and told again it is no news.
    const storage = await opened.reopen();
    const again = [both, personRow(3, { networkUrl }), personRow(4, { email: "ka@acme.example" })];
    expect(await imported(storage, user.id, again)).toMatchObject({ skipped: 3 });
    await storage.prospects.setLead(user.id, second!, otherLead.id);
    expect(await storage.prospects.get(user.id, first!)).toMatchObject({ leadId: otherLead.id });
    expect(await storage.prospects.remove(user.id, second!)).toBe(true);
    for (const id of [first!, second!]) expect(await storage.prospects.get(user.id, id)).toBeNull();
    expect(await storage.prospects.remove(user.id, second!)).toBe(false);
  });

  test("the ids of records that became one in two steps lead to the one that is left", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const profile = made({ networkUrl: "https://network.example/in/ka" });
    // Stored twice, as when each had another name once.
    const unknown = { ...profile.identity, network: null };
    const found = [made({ email: "ka@acme.example" }), profile, { ...profile, identity: unknown }];
    const ids = (await storage.prospects.put(user.id, found, startOfTests)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    await imported(storage, user.id, [personRow(1, profile.content)]);
    expect(await all(storage, user.id)).toHaveLength(2);
    await imported(storage, user.id, [personRow(2, { ...profile.content, email: "ka@acme.example" })]);
    for (const id of ids) expect(await storage.prospects.get(user.id, id)).toMatchObject({ id: ids[0]! });
  });

  test("records that contradict each other stay two, whoever names both", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const profile = (name: string) => ({ networkUrl: `https://network.example/in/${name}` });
    const pairs: [ProspectDraft, ProspectDraft][] = [
      [{}, { email: "other@example.com" }],
      [profile("other"), {}],
      [
        { firstName: "Ann", lastName: "Lee" },
        { firstName: "Bo", lastName: "Lee" },
      ],
      [
        { firstName: "Ann", lastName: "Lee" },
        { firstName: "Ann", lastName: "Kim" },
      ],
    ];
    let row = 0;
    for (const [n, [one, other]] of pairs.entries()) {
      const [email, theirs] = [`office${n}@example.com`, profile(`p${n}`)];
      const both = [personRow(++row, { email, ...one }), personRow(++row, { ...theirs, ...other })];
      await imported(storage, user.id, [...both, personRow(++row, { email, ...theirs })]);
      expect(await all(storage, user.id)).toHaveLength(2 * n + 2);
    }
  });
});
