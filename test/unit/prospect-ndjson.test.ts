import { expect, test } from "bun:test";
import { normalized } from "../../src/leads/import/columns.ts";
import type { ProspectTarget } from "../../src/prospecting/import/prospect-columns.ts";
import { unpacked } from "../../src/prospecting/import/prospect-file.ts";
import { ProspectNdjsonRows } from "../../src/prospecting/import/prospect-ndjson.ts";
import { RowWriter } from "../../src/prospecting/import/row-writer.ts";

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
