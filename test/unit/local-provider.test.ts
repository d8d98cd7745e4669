import { expect, test } from "bun:test";
import { allFields } from "../../src/features/enrichment/fields.ts";
import type { Colleague, Directory, KnownCompany, KnownPerson } from "../../src/features/enrichment/directory-store.ts";
import { leadFill } from "../../src/features/enrichment/lead-fill.ts";
import type { Merged, Subject } from "../../src/features/enrichment/model.ts";
import { createLocalProvider } from "../../src/adapters/providers/enrichment/local.ts";
import { createFactories } from "../support/factories.ts";
import { nobody } from "../support/vendors.ts";

const now = Date.UTC(2026, 0, 5);
const noPerson: KnownPerson = {
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  networkUrl: null,
  title: null,
  location: null,
  company: null,
  industry: null,
  updatedAt: now,
};

type Known = { person?: Partial<KnownPerson>; company?: Partial<KnownCompany>; colleagues?: Partial<Colleague>[] };

function directory({ person, company, colleagues = [] }: Known): Directory & { excepted: (string | null)[] } {
  const excepted: (string | null)[] = [];
  const noCompany = {
    name: null,
    domain: null,
    industry: null,
    size: null,
    description: null,
    founded: null,
    headquarters: null,
  };
  return {
    excepted,
    findPerson: async (_userId, _identity, exceptLeadId) => {
      excepted.push(exceptLeadId);
      return person ? { ...noPerson, ...person } : null;
    },
    findCompany: async () => (company ? { ...noCompany, ...company } : null),
    colleagues: async () => colleagues.map((colleague) => ({ ...noPerson, ...colleague })),
  };
}

async function ask(directories: Directory[], subject: Partial<Subject>, leadId: string | null = null) {
  const provider = createLocalProvider(directories, () => now);
  const context = { workspaceId: "u", leadId, wanted: new Set(allFields), signal: new AbortController().signal };
  const outcome = await provider.lookUp({ ...nobody, ...subject }, context);
  return outcome.kind === "found"
    ? outcome.findings.map(({ field, value, confidence }) => `${field}=${String(value)} ${confidence.toFixed(2)}`)
    : outcome.kind;
}

test("a person by an address is surer than by name, and what is old is less sure", async () => {
  const ada = { email: "ada@acme.example", title: "CTO" };
  expect(await ask([directory({ person: ada })], { email: ada.email })).toEqual([
    "email=ada@acme.example 0.75",
    "title=CTO 0.75",
  ]);
  expect(await ask([directory({ person: ada })], { firstName: "Ada", lastName: "L", company: "Acme" })).toContain(
    "title=CTO 0.65",
  );
  const old = { ...ada, updatedAt: now - 400 * 86_400_000 };
  expect(await ask([directory({ person: old })], { email: ada.email })).toContain("title=CTO 0.60");
});

test("several lists are asked in turn, each with what the one before it knew", async () => {
  const first = directory({ person: { company: "Acme" } });
  const second = directory({ person: { title: "CTO" }, company: { name: "Acme", size: "11-50" } });
  expect(await ask([first, second], { email: "a@b.co" }, "lead-1")).toEqual(
    expect.arrayContaining(["company=Acme 0.65", "title=CTO 0.65", "companyInfo.size=11-50 0.65"]),
  );
  expect([first.excepted, second.excepted]).toEqual([["lead-1"], ["lead-1"]]);
});

test("a company is as well known as its colleagues are many and of one mind; nobody is their own", async () => {
  const told = (name: string, more: Partial<Colleague> = {}) => ({
    ...{ firstName: name, lastName: "X", email: `${name}@acme.example`, company: "Acme, Inc." },
    ...more,
  });
  const facts = async (colleagues: Partial<Colleague>[], subject: Partial<Subject> = { domain: "acme.example" }) =>
    (await ask([directory({ colleagues })], subject)).toString();
  const industry = { industry: "Anvils" };
  expect(await facts([told("al", industry)])).toContain("companyInfo.industry=Anvils 0.55");
  expect(await facts([told("al", industry), told("bo", { ...industry, company: "ACME" })])).toBe(
    [
      ...["company=Acme, Inc. 0.70", "companyInfo.name=Acme, Inc. 0.70"],
      ...["companyInfo.website=https://acme.example 0.70", "companyInfo.industry=Anvils 0.70"],
    ].join(),
  );
  const others = [told("al", industry), told("bo", { industry: "Nails" }), told("cy", industry), told("di")];
  expect(await facts(others)).toContain("companyInfo.industry=Anvils 0.47");
  for (const self of [
    { email: "al@acme.example", domain: "acme.example" },
    { firstName: "Al", lastName: "X", company: "acme, inc.", domain: "acme.example" },
  ])
    expect(await facts([told("al", industry)], self)).not.toContain("Anvils");
});

test("where a company gets its mail is told by its people's addresses, else by its website", async () => {
  const ada = { firstName: "Ada", lastName: "Lovelace", company: "Acme" };
  const at = (domain: string, name: string) => ({ firstName: name, lastName: "X", email: `${name[0]}x@${domain}` });
  const guessed = async (known: Known) =>
    (await ask([directory({}), directory(known)], ada)).toString().match(/email=(\S+)/)?.[1];
  expect(await guessed({ colleagues: [at("acme.example", "al"), at("gmail.com", "bo")] })).toBe(
    "alovelace@acme.example",
  );
  const company = { domain: "acme.example" };
  expect(await guessed({ company })).toBe("ada.lovelace@acme.example");
  expect(await guessed({ company, colleagues: [at("mail.example", "al"), at("acme.example", "bo")] })).toEndWith(
    "@acme.example",
  );
  expect(await guessed({ company, colleagues: [at("mail.example", "al")] })).toEndWith("@mail.example");
  expect(await guessed({ colleagues: [at("gmail.com", "bo")] })).toBeUndefined();
});

test("an address is guessed only when none is known, and is as sure as what it is learned from", async () => {
  const colleagues = [
    { firstName: "Alan", lastName: "Turing", email: "aturing@acme.example" },
    { firstName: "Grace", lastName: "Hopper", email: "ghopper@acme.example" },
  ];
  const acme = directory({ company: { domain: "acme.example" }, colleagues });
  const ada = { firstName: "Ada", lastName: "Lovelace", company: "Acme" };
  expect(await ask([acme], ada)).toContain("email=alovelace@acme.example 0.70");
  expect((await ask([acme], { ...ada, email: "x@acme.example" })).toString()).not.toContain("email=");
  const listed = directory({ person: { email: "ada@acme.example" }, company: { domain: "acme.example" }, colleagues });
  expect((await ask([listed], ada)).toString()).not.toContain("alovelace");
  expect(await ask([directory({})], { ...ada, domain: "acme.example" })).toEqual([
    "email=ada.lovelace@acme.example 0.30",
  ]);
  expect(await ask([directory({})], ada)).toBe("none");
});

test("a lead is filled where it is empty, with what is more than a guess and what it can hold", () => {
  const lead = createFactories().lead("u", {
    title: "Boss",
    phone: null,
    email: "a@b.co",
    networkUrl: null,
    company: null,
  });
  const said = (value: string, confidence = 0.8) => ({ value, confidence, providers: ["x"], at: 0 });
  const merged: Merged = {
    title: said("CTO"),
    phone: said("+1", 0.4),
    networkUrl: said("not a url"),
    "companyInfo.name": said("Acme"),
    "companyInfo.industry": said("Anvils"),
    location: said("x".repeat(301)),
    email: said("other@b.co"),
  };
  expect(leadFill(lead, merged)).toEqual({ company: "Acme", industry: "Anvils" });
});
