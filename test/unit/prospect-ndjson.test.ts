import { expect, test } from "bun:test";
import { normalized } from "../../src/platform/imports/person-columns.ts";
import type { ProspectTarget } from "../../src/features/prospecting/import/prospect-targets.ts";
import { unpacked } from "../../src/features/prospecting/import/prospect-file.ts";
import { ProspectNdjsonRows } from "../../src/features/prospecting/import/prospect-ndjson.ts";
import { RowWriter } from "../../src/features/prospecting/import/row-writer.ts";

type Told = { kind: string; content: Record<string, unknown> };

function read(objects: object[], chosen: Record<string, ProspectTarget> = {}): Told[] {
  const overrides = new Map(Object.entries(chosen).map(([header, target]) => [normalized(header), target]));
  const writer = new RowWriter();
  const rows = new ProspectNdjsonRows(overrides, null, 0, writer);
  rows.take(objects.map((object) => JSON.stringify(object)).join("\n"), false);
  rows.take(null, false);
  return unpacked(writer.buffer.take(Number.POSITIVE_INFINITY)).map((row) => {
    if ("errors" in row) throw new Error(JSON.stringify(row.errors));
    const content = JSON.parse(new TextDecoder().decode(row.content)) as Told["content"];
    return { kind: row.kind, content };
  });
}

const ada = { firstName: "Ada", lastName: "Lovelace", networkUrl: "https://network.example/in/ada" };

test("an object with a name, a company and a profile is a person, also when the company is not known", () => {
  const named = { name: "Ada Lovelace", network_url: ada.networkUrl };
  const [known, unknown] = read([
    { ...named, company: "Engines" },
    { ...named, company: null },
  ]);
  expect(known).toMatchObject({ kind: "person", content: { ...ada, company: "Engines" } });
  expect(unknown).toMatchObject({ kind: "person", content: ada });
});

test("a name that was chosen to be a person's stays one", () => {
  const [row] = read([{ name: "Ada Lovelace", profile: ada.networkUrl }], { name: "fullName" });
  expect(row).toMatchObject({ kind: "person", content: ada });
});

test("an object with a name and the profile of a person is a person, that of a company a company", () => {
  const of = (path: string) => read([{ name: "Ada Lovelace", linkedin_url: `https://network.example/${path}` }])[0];
  expect(of("in/ada")).toMatchObject({ kind: "person", content: ada });
  expect(of("company/ada")).toMatchObject({ kind: "company", content: { company: "Ada Lovelace" } });
});

test("a value that is no text is read where it has one, and else none", () => {
  const [hidden, listed] = read([
    {
      ...{
        full_name: "Ada Lovelace",
        linkedin_url: ada.networkUrl,
        emails: true,
        work_email: true,
        mobile_phone: false,
      },
      ...{ location_name: false, phone_numbers: ["+44 1", "+44 2"], job_title_levels: ["vp"], technologies: true },
      ...{ job_title: ["CTO", "Countess"], job_company_name: [], industry: [[], ["Machines"]], seniority: null },
    },
    {
      ...{ name: "Ada Lovelace", profile: ada.networkUrl, emails: [{ address: "ada@engines.example", type: "work" }] },
      ...{ departments: ["Sales", true, "Data"], technologies: [{ name: "Go" }, "Zig"], phone: { min: 1 } },
    },
  ]);
  expect(hidden?.content).toEqual({
    ...{ ...ada, title: "CTO", seniority: "vp", phone: "+44 1", industry: "Machines" },
    confidence: 0.39,
  });
  expect(listed?.content).toMatchObject({
    ...{ ...ada, email: "ada@engines.example", department: "Sales; Data", technologies: ["Go", "Zig"] },
  });
});

test("an object with a name and a website is a company, with the place that was chosen for it", () => {
  const [row] = read([{ name: "Engines", website: "engines.example", where: "Paris" }], { where: "city" });
  expect(row).toMatchObject({ kind: "company", content: { company: "Engines", companyLocation: "Paris" } });
});

test("what Apollo nests is read: organization, place, phone numbers", () => {
  const [row] = read([
    {
      ...{
        name: "Ada Lovelace",
        title: "CTO",
        linkedin_url: ada.networkUrl,
        location: { city: "London", country: "UK" },
      },
      organization: {
        ...{ name: "Engines", primary_domain: "engines.example", industry: "Software", estimated_num_employees: 120 },
        ...{ annual_revenue: 12e6, city: "Paris", technology_names: ["Go"], current_technologies: [{ name: "Zig" }] },
        ...{ primary_phone: { number: "+44 9" }, departmental_head_count: { sales: 3 } },
      },
      phone_numbers: [{ raw_number: "(020) 1", sanitized_number: "+44 1", type: "mobile" }],
      employment_history: [{ current: true, organization_name: "Other", title: "Countess" }],
    },
  ]);
  expect(row?.content).toEqual({
    ...{ ...ada, title: "CTO", phone: "+44 1", location: "London, UK", company: "Engines", domain: "engines.example" },
    ...{ industry: "Software", companySize: "51-200", companyLocation: "Paris", technologies: ["Go"] },
    ...{ revenue: { min: 1e7, max: 2e7 }, confidence: 0.6 },
  });
});

test("the job of now, and no other, tells what the record itself does not", () => {
  const old = { company: { name: "Old", website: "old.example" }, title: { name: "Clerk" }, end_date: "1840" };
  const now = {
    ...{ company: { name: "Engines", size: "51-200", location: { name: "Boston" } }, location: "Turin" },
    title: { name: "VP Engineering", role: "engineering", levels: ["vp"] },
  };
  const named = { full_name: "Ada Lovelace", linkedin_url: ada.networkUrl };
  const of = (more: object) => read([{ ...named, ...more }])[0]?.content;
  const engines = { company: "Engines", companySize: "51-200", companyLocation: "Boston" };
  const vp = { title: "VP Engineering", department: "engineering", seniority: "vp" };
  const found = { ...ada, ...engines, ...vp };
  expect(of({ experience: [old, { ...now, is_primary: true }] })).toEqual({ ...found, confidence: expect.any(Number) });
  expect(of({ experience: [old, { ...now, start_date: "1842", end_date: null }] })).toMatchObject(found);
  expect(of({ experience: [old, now] })).toEqual({ ...ada, confidence: 0.2 });
  expect(of({ experience: [{ ...old, start_date: "1830" }] })).toEqual({ ...ada, confidence: 0.2 });
  const known = of({ company: "Own", experience: [{ ...now, is_primary: true }] });
  expect(known).toEqual({ ...ada, ...vp, company: "Own", confidence: expect.any(Number) });
  const [company] = read([
    { name: "Engines", website: "engines.example", positions: [{ title: "Clerk", current: true }] },
  ]);
  expect(company).toMatchObject({ kind: "company", content: { company: "Engines" } });
});

test("people as vendors answer them have their job, their address and how sure the vendor is", () => {
  const named = { full_name: "Ada Lovelace", linkedin_url: ada.networkUrl };
  const job = { company: { name: "Engines", website: "engines.example" }, title: { name: "VP Engineering" } };
  const found = { ...ada, company: "Engines", domain: "engines.example", title: "VP Engineering" };
  const [pdl, apollo, full] = read([
    {
      status: 200,
      likelihood: 8,
      data: { ...named, experience: [{ title: { name: "Clerk" } }, { ...job, is_primary: true }] },
    },
    {
      person: {
        ...{ name: "Ada Lovelace", linkedin_url: ada.networkUrl, title: "CTO" },
        employment_history: [{ current: true, organization_name: "Engines", title: "Countess" }],
      },
    },
    {
      contact_info: { most_probable_work_email: { email: "ada@engines.example", status: "DELIVERABLE" } },
      profile: {
        ...{ first_name: "Ada", last_name: "Lovelace", location: { city: "London", country: "United Kingdom" } },
        social_profiles: { professional_network: { url: ada.networkUrl } },
        employment: {
          current: {
            title: "VP Engineering",
            company: {
              ...{ name: "Engines", domain: "engines.example", headcount_range: "51-200" },
              ...{
                industry: { main_industry: "Machines" },
                locations: { headquarters: { city: "Turin", country: "Italy" } },
              },
            },
          },
          all: [{ title: "Clerk", company: { name: "Old" } }],
        },
      },
    },
  ]);
  expect(pdl).toEqual({ kind: "person", content: { ...found, confidence: 0.8 } });
  expect(apollo?.content).toMatchObject({ ...ada, company: "Engines", title: "CTO" });
  expect(full?.content).toMatchObject({
    ...{ ...found, email: "ada@engines.example", location: "London, United Kingdom" },
    ...{ companySize: "51-200", industry: "Machines", companyLocation: "Turin, Italy" },
  });
});

test("a likelihood counts to ten, as a number of a whole too", () => {
  const of = (likelihood: unknown) =>
    read([{ name: "Ada Lovelace", email: "ada@engines.example", likelihood }])[0]?.content["confidence"];
  expect([1, 2, 10, 0.85, "7", 85].map(of)).toEqual([0.1, 0.2, 1, 0.85, 0.7, 0.85]);
});

test("what a record lies in, and a name in parts, are no hindrance; what is too deep or too much is left out", () => {
  const [wrapped, deep] = read([
    {
      id: 1,
      properties: { name: { first: "Ada", last: "Lovelace" }, email: "ada@engines.example" },
      spouse: { email: "x@y.z" },
    },
    {
      ...{ email: "ada@engines.example", a: { b: { c: { d: { e: { title: "CTO" } } } } } },
      more: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field ${n}`, n])),
      location: { city: "Paris" },
      title: "CEO",
    },
  ]);
  expect(wrapped?.content).toMatchObject({ firstName: "Ada", lastName: "Lovelace", email: "ada@engines.example" });
  expect(deep?.content).toMatchObject({ email: "ada@engines.example", title: "CEO" });
  expect(deep?.content).not.toHaveProperty("location");
});
