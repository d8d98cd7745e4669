import { describe, expect, test } from "bun:test";
import { type ProspectDraft } from "../../src/features/prospecting/content.ts";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { made, personRow, companyRow, all, imported } from "../support/prospect-rows.ts";

describe.each(enginesAndPostgres)("companies of prospects on $name", ({ open }) => {
  test("companies tell their people what these do not say themselves", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const people = [
      { email: "a@acme.example", company: "ACME Ltd" },
      { email: "b@elsewhere.example", company: "acme", industry: "Own" },
      { email: "c@example.com", company: "Acme", domain: "other-acme.example" },
    ];
    await imported(
      storage,
      user.id,
      people.map((draft, n) => personRow(n, draft)),
    );
    const acme = { company: "Acme", domain: "acme.example", industry: "Robots", companySize: "11-50" };
    expect(await imported(storage, user.id, [companyRow(9, acme)])).toMatchObject({ created: 1, companies: 1 });
    const industries = Object.fromEntries(
      (await all(storage, user.id)).map(({ email, industry }) => [email, industry]),
    );
    expect(industries).toEqual({
      "a@acme.example": "Robots",
      "b@elsewhere.example": "Own",
      "c@example.com": undefined,
    });
    expect((await all(storage, user.id, { company: { size: ["11-50"] } })).map(({ email }) => email)).toEqual([
      "a@acme.example",
    ]);
    await imported(storage, user.id, [personRow(20, { email: "d@acme.example" })]);
    expect((await all(storage, user.id, { company: { industry: ["robots"] } })).map(({ email }) => email)).toEqual([
      "a@acme.example",
      "d@acme.example",
    ]);
    expect(await storage.prospects.findCompany(user.id, { domain: null, name: "ACME, Inc." })).toEqual(acme);
  });

  test("what is told of a company again goes to all of its people, and they are found by it", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const sizes = async () =>
      Object.fromEntries((await all(storage, user.id)).map(({ email, companySize }) => [email, companySize]));
    const acme = { company: "Acme", domain: "acme.example" };
    // More than are told at once.
    const people = Array.from({ length: 450 }, (_, n) => personRow(n, { email: `p${n}@acme.example` }));
    const own = personRow(451, { email: "own@gmail.com", company: "ACME", companySize: "1-10" });
    await imported(storage, user.id, [
      ...people,
      own,
      personRow(452, { email: "x@other.example", companySize: "1-10" }),
    ]);
    await imported(storage, user.id, [companyRow(500, { ...acme, companySize: "51-200", industry: "Robots" })]);
    expect(await all(storage, user.id, { company: { size: ["51-200"], industry: ["robots"] } })).toHaveLength(451);
    await imported(storage, user.id, [companyRow(501, { ...acme, companySize: "201-500" })]);
    expect(await all(storage, user.id, { company: { size: ["51-200"] } })).toEqual([]);
    expect(await all(storage, user.id, { company: { size: ["201-500"], industry: ["robots"] } })).toHaveLength(451);
    // Of a person the newest word counts, too; the company is known by its name alone here.
    await imported(storage, user.id, [personRow(502, { email: "p0@acme.example", companySize: "1-10" })]);
    expect(await sizes()).toMatchObject({ "p0@acme.example": "1-10", "p1@acme.example": "201-500" });
    await imported(storage, user.id, [companyRow(503, { company: "ACME Inc", companySize: "501-1000" })]);
    expect(await sizes()).toMatchObject({ "p0@acme.example": "501-1000", "own@gmail.com": "501-1000" });
    expect((await sizes())["x@other.example"]).toBe("1-10");
    const skipped = companyRow(504, { ...acme, companySize: "10001+" });
    await imported(storage, user.id, [skipped], { onDuplicate: "skip" });
    await imported(storage, user.id, [skipped], { attempt: 99 });
    expect(await all(storage, user.id, { company: { size: ["10001+"] } })).toEqual([]);
  });

  test("what is told of a company reaches all of its people, however many they are", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const people = 17_000;
    const rows = Array.from({ length: people }, (_, n) =>
      personRow(n + 1, {
        email: `p${n}@${n % 5 === 0 ? "other" : "acme"}.example`,
        company: n % 5 === 0 ? "Other" : "Acme",
      }),
    );
    for (let from = 0; from < people; from += 4000) await imported(storage, user.id, rows.slice(from, from + 4000));
    const acme = (row: number, industry: string) =>
      companyRow(row, { company: "Acme", domain: "acme.example", industry });
    const told = async (industry: string) => {
      const query = termQuery({ company: { industry: [industry] } });
      return (await storage.prospects.search({ workspaceId: user.id, query, offset: 0, limit: 1 })).total;
    };
    await imported(storage, user.id, [
      acme(20_001, "Robots"),
      companyRow(20_002, { company: "Other", industry: "Toys" }),
    ]);
    expect([await told("Robots"), await told("Toys")]).toEqual([(people * 4) / 5, people / 5]);
    await imported(storage, user.id, [acme(20_003, "Rockets")]);
    expect([await told("Robots"), await told("Rockets")]).toEqual([0, (people * 4) / 5]);
  });

  test("in a file of people and companies each row knows what those before it say", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const person = (row: number, name: string, more: ProspectDraft = {}) =>
      personRow(row, { email: `${name}@acme.example`, company: "Acme", ...more });
    const acme = (row: number, industry: string) =>
      companyRow(row, { company: "Acme", domain: "acme.example", industry });
    await imported(storage, user.id, [person(1, "old"), person(2, "older")]);
    await imported(storage, user.id, [
      person(10, "ann"),
      person(11, "old", { industry: "Own" }),
      acme(12, "Robots"),
      person(13, "bob"),
      person(14, "older", { industry: "Own" }),
      acme(15, "Toys"),
      person(16, "cid"),
      person(17, "ann", { industry: "Last" }),
    ]);
    const industries = Object.fromEntries(
      (await all(storage, user.id)).map(({ email, industry }) => [email?.split("@")[0], industry]),
    );
    expect(industries).toEqual({ old: "Toys", older: "Toys", ann: "Last", bob: "Toys", cid: "Toys" });
    expect(await all(storage, user.id, { company: { industry: ["toys"] } })).toHaveLength(4);
    expect(await all(storage, user.id, { company: { industry: ["own", "robots"] } })).toEqual([]);
  });

  test("whoever comes to another company is found by its facts alone", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const acme = { company: "Acme", domain: "acme.example", industry: "Robots", companySize: "11-50" };
    const globex = { company: "Globex", domain: "globex.example", industry: "Energy" };
    await imported(storage, user.id, [companyRow(1, acme), companyRow(2, globex)]);
    await imported(storage, user.id, [personRow(3, { email: "ka@acme.example", company: "Acme", title: "VP Sales" })]);
    expect(await all(storage, user.id, { company: { size: ["11-50"] }, person: { seniority: ["vp"] } })).toHaveLength(
      1,
    );
    const moved = { email: "ka@acme.example", company: "Globex", title: "Accountant" };
    expect(await imported(storage, user.id, [personRow(4, moved)])).toMatchObject({ updated: 1 });
    expect(await all(storage, user.id, { company: { size: ["11-50"] } })).toEqual([]);
    expect(await all(storage, user.id, { person: { seniority: ["vp"] } })).toEqual([]);
    const found = { company: { industry: ["energy"] }, person: { department: ["finance"] } };
    expect(await all(storage, user.id, found)).toMatchObject([{ company: "Globex", domain: "globex.example" }]);
    expect(await imported(storage, user.id, [personRow(5, moved)])).toMatchObject({ skipped: 1 });
    await imported(storage, user.id, [companyRow(6, { ...acme, industry: "Toys" })]);
    await imported(storage, user.id, [companyRow(7, { ...globex, industry: "Oil" })]);
    expect((await all(storage, user.id)).map(({ industry }) => industry)).toEqual(["Oil"]);
    const [back] = await storage.prospects.put(
      user.id,
      [made({ email: "ka@acme.example", company: "Acme" })],
      startOfTests,
    );
    expect(back).toMatchObject({ industry: "Toys", companySize: "11-50", domain: "acme.example" });
  });
});
