import { expect, test } from "bun:test";
import { CompanyNews } from "../../src/features/prospecting/company-news.ts";
import { prospectContent, type ProspectDraft } from "../../src/features/prospecting/content.ts";
import { isOtherEmployer, worksFor, type Employer } from "../../src/features/prospecting/employer.ts";
import { positionOf } from "../../src/features/prospecting/facets/position.ts";
import { mergedProspect, updatedProspect } from "../../src/features/prospecting/merge.ts";
import type { CompanyContent, ProspectContent } from "../../src/features/prospecting/model.ts";

function content(draft: ProspectDraft): ProspectContent {
  const checked = prospectContent({ networkUrl: "https://network.example/in/ka", ...draft });
  if ("errors" in checked) throw new Error(JSON.stringify(checked.errors));
  return checked.content;
}

/** What somebody is after each word of him, of level and department what a search finds. */
function told(...drafts: ProspectDraft[]): Partial<ProspectContent> {
  const merged = drafts.map(content).reduce(mergedProspect);
  return { ...merged, ...positionOf(merged) };
}

const acme: ProspectDraft = {
  ...{ company: "Acme, Inc.", domain: "acme.example", industry: "Robots", companyLocation: "Oslo", companySize: "11-50" },
  ...{ revenue: { min: 1e6, max: 2e6 }, technologies: ["Go"] },
}; // prettier-ignore

test("of another company nothing stays that belonged to the one before", () => {
  const person = { firstName: "Ka", location: "Bergen", title: "Baker" };
  const moved = told({ ...person, ...acme, phone: "1" }, { company: "Globex", technologies: ["Zig"] });
  expect(JSON.parse(JSON.stringify(moved))).toEqual({
    ...{ ...person, company: "Globex", technologies: ["Zig"] },
    ...{ networkUrl: "https://network.example/in/ka", confidence: moved.confidence },
  });
  expect(told(acme, { company: "Globex", industry: "Energy" })).toMatchObject({ industry: "Energy" });
  // Of the new one nothing but the website is told, so it has no name.
  expect(told(acme, { domain: "globex.example" }).company).toBeUndefined();
});

test.each<[ProspectDraft, ProspectDraft]>([
  [acme, {}],
  [acme, { company: "ACME" }],
  [acme, { company: "Acme Robotics" }],
  [acme, { company: "Renamed", domain: "acme.example" }],
  [acme, { company: "Acme", domain: "acme.io" }],
  [acme, { domain: "shop.acme.example" }],
  [{ ...acme, domain: "" }, { domain: "acme.example" }],
])("%j has the facts of its company still after %j", (before, now) => {
  expect(told(before, now)).toMatchObject({ industry: "Robots", companySize: "11-50", technologies: ["Go"] });
});

test.each<[Employer, Employer, boolean]>([
  [{ company: "Acme" }, { company: "Acmeware" }, true],
  [{ company: "Acme", domain: "acme.example" }, { company: "Acme Labs", domain: "labs.example" }, true],
  [{ domain: "a.example" }, { domain: "b.example" }, true],
  [{ company: "Acme" }, { domain: "b.example" }, false],
  [{}, { company: "Acme" }, false],
  // One domain under two names is one company, but for that of the old job, which lists go on with.
  [{ company: "PricewaterhouseCoopers LLP", email: "ken@pwc.com" }, { company: "PwC", email: "Ken@pwc.com" }, false],
  [{ company: "PwC", email: "ken@pwc.com" }, { company: "PricewaterhouseCoopers LLP", email: "ken@pwc.com" }, false],
  [{ company: "Holding", email: "ka@x1.example" }, { company: "Globex", email: "ka@x1.example" }, false],
  [{ company: "Acme", email: "ka@acme.example" }, { company: "Globex", email: "ka@acme.example" }, true],
  [{ company: "PwC", email: "ken@gmail.com" }, { company: "PricewaterhouseCoopers", email: "ken@gmail.com" }, true],
  [{ company: "PwC", email: "ken@pwc.com" }, { company: "PricewaterhouseCoopers" }, true],
  [
    { company: "PwC", email: "ken@pwc.com" },
    { company: "Pawcorp", domain: "pawcorp.example", email: "ken@pwc.com" },
    true,
  ],
  [{ company: "トヨタ自動車株式会社" }, { company: "トヨタ自動車" }, false],
  [{ company: "トヨタ自動車" }, { company: "本田技研工業" }, true],
])("from %j to %j is another employer: %p", (before, now, isOther) => {
  expect(isOtherEmployer(before, now)).toBe(isOther);
});

test.each<[string, ProspectDraft, string | undefined]>([
  ["ka@acme.example", { company: "Globex" }, undefined],
  ["ka@acme.example", { domain: "globex.example" }, undefined],
  // Nobody knows whose this is: not that of the new company.
  ["ka@elsewhere.example", { company: "Globex", domain: "globex.example" }, undefined],
  ["ka@gmail.com", { company: "Globex" }, "ka@gmail.com"],
  ["KA@acme.example", { company: "Globex", email: "ka@acme.example" }, "KA@acme.example"],
  ["ka@acme.example", { company: "Globex", email: "ka@globex.example" }, "ka@globex.example"],
  // A list had the new address before the new company.
  ["ka@globex.example", { company: "Globex Corp." }, "ka@globex.example"],
  ["ka@eu.globex.example", { company: "Globex", domain: "globex.example" }, "ka@eu.globex.example"],
  ["ka@notglobex.example", { company: "Globex", domain: "globex.example" }, undefined],
  ["ka@acme.example", { company: "ACME", title: "Baker" }, "ka@acme.example"],
])("of the address %s %j leaves %p", (email, now, left) => {
  expect(told({ ...acme, email }, now).email).toBe(left);
});

test.each([
  ["ken@us.ibm.com", "IBM"],
  ["ken@ibm.com", "International Business Machines Corporation"],
  ["ken@coca-cola.com", "Coca-Cola"],
  ["ken@cocacola.com", "The Coca-Cola Company"],
  ["ken@coca-cola.com", "Coca-Cola European Partners"],
  ["ken@mueller.de", "Müller GmbH"],
  ["ken@muller.de", "Müller GmbH"],
  ["ken@müller.de", "Mueller GmbH"],
  ["ken@acme-labs.onmicrosoft.com", "Acmé Labs, Inc."],
  ["ken@maersk.dk", "Mærsk A/S"],
  ["ken@new-inc.com", "New"],
  ["ken@newinc.com", "New Inc."],
  ["ken@toyota.co.jp", "Toyota Motor Corporation"],
  ["ken@johnsonandjohnson.com", "Johnson & Johnson"],
])("%s is an address at %s", (email, company) => {
  expect(told({ ...acme, email }, { company }).email).toBe(email);
});

test.each([
  ["ken@notglobex.example", "Globex"],
  ["ken@globexware.example", "Globex"],
  ["ken@globex.acme.example", "Globex Energy"],
  ["ken@ge.com", "Globex Energy"],
  ["ken@com.com", "Globex"],
])("%s is no address at %s", (email, company) => {
  expect(told({ ...acme, email }, { company }).email).toBeUndefined();
});

test("an address that went with the job names the person still, until it is that of a company again", () => {
  const before = { ...acme, email: "Ka@acme.example", phone: "1" };
  const moved = told(before, { company: "Globex", email: "ka@globex.example", phone: "2" });
  expect(moved).toMatchObject({ phone: "2", formerEmails: ["ka@acme.example"] });
  // By itself it tells whom a row is about, and not where that is; what belongs to a job is that of the old one.
  const ofOldJob = { title: "Baker", phone: "1", industry: "Robots", companySize: "11-50", seniority: "VP" };
  const old = { email: "KA@acme.example", firstName: "Ka", location: "Oslo", ...ofOldJob };
  const again = told(before, { company: "Globex", title: "Cook" }, old);
  expect(again).toMatchObject({ company: "Globex", title: "Cook", firstName: "Ka", location: "Oslo" });
  expect(again.formerEmails).toEqual(["ka@acme.example"]);
  for (const field of ["email", "phone", "industry", "companySize", "seniority"] as const)
    expect(again[field]).toBeUndefined();
  // Nor does the website that the address is at tell of another company; one of its own does.
  expect(told(before, { company: "Globex", title: "Cook" }, { ...old, domain: "acme.example" })).toEqual(again);
  expect(told(before, { company: "Globex", title: "Cook" }, { ...old, domain: "initech.example" })).toMatchObject({
    title: "Baker",
    domain: "initech.example",
  });
  const back = told(before, { company: "Globex", email: "ka@globex.example" }, before);
  expect(back).toMatchObject({ email: "Ka@acme.example", phone: "1", formerEmails: ["ka@globex.example"] });
  const many = Array.from({ length: 12 }, (_, n) => ({ company: `C${n}x`, email: `ka@c${n}.example` }));
  expect(told(...many).formerEmails).toEqual(many.slice(3, 11).map(({ email }) => email));
});

test("a record is as sure as what is left of it", () => {
  const before = { ...acme, email: "ka@acme.example", confidence: 0.9 };
  expect(told(before, { company: "Globex", confidence: 0.4 }).confidence).toBe(0.4);
  expect(
    told(before, { company: "Globex", confidence: 0.4 }, { email: "ka@acme.example", confidence: 0.8 }),
  ).toMatchObject({ confidence: 0.4 });
  expect(told({ ...before, email: "ka@gmail.com" }, { company: "Globex", confidence: 0.4 }).confidence).toBe(0.9);
});

test("an address at the website that the new company is known by stays", () => {
  const ka = content({ company: "Acme", email: "ka@globex-group.example" });
  const known = { company: "Globex", domain: "globex-group.example" };
  const now = content({ company: "Globex" });
  expect(updatedProspect(ka, now, () => known).email).toBe("ka@globex-group.example");
  expect(updatedProspect(ka, now, () => null).email).toBeUndefined();
});

test("another spelling of the company's name is no news", () => {
  expect(told({ company: "Acme, Inc." }, { company: "ACME" }, { company: "acme ltd" }).company).toBe("Acme, Inc.");
});

test("level and department go with the title, and what was told of them stays with it", () => {
  expect(told({ title: "VP Sales" }, { title: "Accountant" })).toMatchObject({
    seniority: undefined,
    department: "finance",
  });
  const head = { title: "Head of Sales", seniority: "Director", department: "Field" };
  expect(told(head, { title: "Baker" })).toMatchObject({ seniority: undefined, department: undefined });
  expect(told(head, { title: "head of sales" })).toMatchObject({ seniority: "Director", department: "Field" });
  expect(told(head, { title: "Sales Head" })).toMatchObject({ seniority: "Director", department: "Field" });
  expect(told(head, { seniority: "Head" })).toMatchObject({ seniority: "Head", department: "Field" });
  expect(told(head, { title: "CTO", seniority: "Owner" })).toMatchObject({
    seniority: "Owner",
    department: "engineering",
  });
  expect(told({ seniority: "Director" }, { title: "Head of Sales" })).toMatchObject({ seniority: "Director" });
});

test("what an older version stored of a title goes with it, too", () => {
  const stored = { ...content({ title: "VP Sales" }), seniority: "vp", department: "sales" };
  expect(positionOf(mergedProspect(stored, content({ title: "Baker" })))).toEqual({
    seniority: undefined,
    department: undefined,
  });
});

const companies: CompanyContent[] = [
  { company: "Acme", domain: "acme.example", industry: "Robots" },
  { company: "Globex", domain: "globex.example", industry: "Energy" },
];
const companyOf = (employer: Employer) => companies.find((company) => worksFor(employer, company)) ?? null;

test("whoever comes to a company that is known gets its facts, whatever address he was known by", () => {
  const ka = content({ company: "Acme", domain: "acme.example", email: "ka@acme.example", industry: "Robots" });
  for (const email of [undefined, "KA@acme.example", "ka@globex.example"])
    expect(updatedProspect(ka, content({ company: "Globex", ...(email && { email }) }), companyOf)).toMatchObject({
      industry: "Energy",
      domain: "globex.example",
    });
  const elsewhere = updatedProspect(ka, content({ company: "Initech" }), companyOf);
  expect(elsewhere.industry).toBeUndefined();
  // Also later, by the address that is left of the last job.
  expect(worksFor(elsewhere, companies[0]!)).toBe(false);
  expect(updatedProspect(elsewhere, content({ phone: "1" }), companyOf).industry).toBeUndefined();
});

test.each<[Employer, boolean]>([
  [{ email: "ka@ACME.example" }, true],
  [{ email: "ka@acme.example", company: "Acme Robotics" }, true],
  [{ email: "ka@acme.example", company: "Globex" }, false],
  [{ email: "ka@globex.example", company: "Acme" }, false],
  [{ email: "ka@gmail.com", company: "ACME Ltd." }, true],
  [{ email: "ka@gmail.com", company: "Acme Robotics" }, false],
  [{ domain: "acme.example", company: "Globex" }, true],
  [{ domain: "globex.example", company: "Acme" }, false],
  [{ domain: "shop.acme.example", company: "Globex" }, true],
  [{ domain: "notacme.example" }, false],
  [{ email: "ka@de.acme.example" }, true],
  [{ email: "ka@de.acme.example", company: "Globex" }, false],
  [{ email: "ka@gmail.com" }, false],
])("%j works for Acme: %p", (employer, does) => {
  expect(worksFor(employer, companies[0]!)).toBe(does);
});

test.each<[string, string, boolean]>([
  ["cantwell.senate.gov", "senate.gov", true],
  ["a.b.acme.co.uk", "acme.co.uk", true],
  ["senate.gov", "cantwell.senate.gov", false],
  // Nobody is the company of all who have a name below these.
  ["acme.co.uk", "co.uk", false],
  ["acme.github.io", "github.io", false],
  ["acme.wordpress.com", "wordpress.com", false],
])("who is at %s works for the company at %s: %p", (domain, employer, does) => {
  expect(worksFor({ domain }, { domain: employer })).toBe(does);
  const news = new CompanyNews(true);
  news.add({ domain: employer, industry: "Told" }, null);
  expect(news.applyTo(content({ domain })).industry).toBe(does ? "Told" : undefined);
});

test("the site of a department speaks for its people before that of the whole", () => {
  const news = new CompanyNews(true);
  news.add({ domain: "lab.acme.example", industry: "Research" }, null);
  news.add({ domain: "acme.example", industry: "Robots" }, null);
  expect(news.applyTo(content({ domain: "lab.acme.example" })).industry).toBe("Research");
  expect(news.applyTo(content({ domain: "shop.acme.example" })).industry).toBe("Robots");
});

test("of what is told of companies the newest word counts, and what nobody tells stays", () => {
  const ka = content({ company: "Acme", industry: "Own", companySize: "11-50", technologies: ["Go"] });
  const news = new CompanyNews(true);
  news.add({ company: "Acme", industry: "Robots", companySize: "51-200" }, companies[0]!);
  news.add({ company: "Acme", companySize: "201-500", technologies: ["Zig"] }, null);
  expect(news.applyTo(ka)).toEqual({
    ...{ ...ka, industry: "Robots", companySize: "201-500", technologies: ["Go", "Zig"] },
    domain: "acme.example",
  });
  expect(news.applyTo(content({ company: "Globex", industry: "Own" })).industry).toBe("Own");
  expect(news.applyTo(content({ email: "x@acme.example" }))).toMatchObject({ industry: "Robots" });
});

test("where records are left as they are, companies that are known tell nothing, and others only what lacks", () => {
  const news = new CompanyNews(false);
  news.add({ company: "Acme", industry: "Robots", companySize: "51-200" }, companies[0]!);
  expect(news.applyTo(content({ company: "Acme" })).companySize).toBeUndefined();
  news.add({ company: "Initech", industry: "Paper", companySize: "51-200" }, null);
  expect(news.applyTo(content({ company: "Initech", industry: "Own" }))).toMatchObject({
    industry: "Own",
    companySize: "51-200",
  });
});
