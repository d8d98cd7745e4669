import { expect, test } from "bun:test";
import type { Colleague, Directory, KnownCompany, KnownPerson } from "../../src/enrichment/directory-store.ts";
import { leadFill } from "../../src/enrichment/lead-fill.ts";
import type { Merged, Subject } from "../../src/enrichment/model.ts";
import { createLocalProvider } from "../../src/providers/enrichment/local.ts";
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
  const context = { userId: "u", leadId, signal: new AbortController().signal };
  const outcome = await provider.lookUp({ ...nobody, ...subject }, context);
  return outcome.kind === "found"
    ? outcome.findings.map(({ field, value, confidence }) => `${field}=${String(value)} ${confidence.toFixed(2)}`)
    : outcome.kind;
}

test("a person by an address is surer than by name, and what is old is less sure", async () => {
  const ada = { email: "ada@acme.example", title: "CTO" };
  expect(await ask([directory({ person: ada })], { email: ada.email })).toEqual([
    "email=ada@acme.example 0.85",
    "title=CTO 0.85",
  ]);
  expect(await ask([directory({ person: ada })], { firstName: "Ada", lastName: "L", company: "Acme" })).toContain(
    "title=CTO 0.65",
  );
  const old = { ...ada, updatedAt: now - 400 * 86_400_000 };
  expect(await ask([directory({ person: old })], { email: ada.email })).toContain("title=CTO 0.68");
});

test("several lists are asked in turn, each with what the one before it knew", async () => {
  const first = directory({ person: { company: "Acme" } });
  const second = directory({ person: { title: "CTO" }, company: { name: "Acme", size: "11-50" } });
  expect(await ask([first, second], { email: "a@b.co" }, "lead-1")).toEqual(
    expect.arrayContaining(["company=Acme 0.65", "title=CTO 0.65", "companyInfo.size=11-50 0.70"]),
  );
  expect([first.excepted, second.excepted]).toEqual([["lead-1"], ["lead-1"]]);
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
