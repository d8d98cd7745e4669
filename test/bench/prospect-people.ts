import type { ProspectDraft } from "../../src/features/prospecting/content.ts";

/**
 * Made-up prospects. Prospect `n` of a seed is the same in every process. Frequencies fall off as in real directories:
 * few values that many have, many that few have.
 */
export function prospect(seed: number, n: number): ProspectDraft & { firstName: string; company: string } {
  const random = mulberry32(seed * 0x9e3779b1 + n);
  const pick = (list: readonly string[]): string => list[Math.floor(random() ** 2 * list.length)]!;
  const company = `${pick(companyWords)} ${pick(companyForms)} ${Math.floor(random() ** 2 * 4000)}`;
  const technologies = new Set(Array.from({ length: Math.floor(random() * 8) }, () => pick(technologyNames)));
  return {
    firstName: pick(firstNames),
    lastName: pick(lastNames),
    ...(random() < 0.8 && { email: `person.${seed}.${n}@example.com` }),
    networkUrl: `https://network.example/in/person-${seed}-${n}`,
    title: `${pick(levels)} ${pick(fields)}`.trim(),
    company,
    domain: `${company.toLowerCase().replaceAll(" ", "-")}.example`,
    industry: pick(industries),
    companyLocation: pick(places),
    companySize: pick(sizes),
    revenue: revenues[Math.floor(random() ** 2 * revenues.length)]!,
    technologies: [...technologies],
  };
}

const split = (text: string): string[] => text.split(",");
const firstNames = split(
  "Ada,Björn,Chiara,Dmitri,Edith,Farid,Grace,Håkon,Ines,Jürgen,Kwame,Lucía,Mei,Noor,Oskar,Priya",
);
const lastNames = split("Lovelace,Ångström,O'Neill,Petrova,García,Nguyen,Okafor,Schäfer,Tanaka,Silva,Novák,Haddad");
const companyWords = split("Analytical,Northern,Quiet,Harbour,Granite,Meridian,Copper,Lantern,Orchard,Summit");
const companyForms = split("Engines,Systems,Works,Partners,Logistics,Labs,Foods,Energy");
const levels = split(
  "Manager,Senior,Director,Head of,VP,Chief,Junior,Vice President of,Lead,Senior Director,Associate,Principal,SVP,Assistant,Intern",
);
const fields = split(
  "Sales,Marketing,Engineering,Finance,Operations,Product,Human Resources,Customer Success,Software Engineering,Data Science,Legal,Design,Business Development,Procurement,Information Technology,Support,Research,Quality Assurance,Logistics,Strategy",
);
export const industries = Array.from(
  { length: 140 },
  (_, n) => `Industry ${n < 6 ? split("Software,Retail,Health,Energy,Education,Banking")[n] : n}`,
);
export const places = Array.from({ length: 600 }, (_, n) => `City ${n}, Region ${n % 60}, Country ${n % 25}`);
export const technologyNames = Array.from({ length: 900 }, (_, n) => `Tech ${n}`);
const sizes = split("51-200,11-50,201-500,1-10,1001-5000,501-1000,10001+,5001-10000");
const revenues = [1e6, 5e6, 2e6, 1e7, 2e7, 5e7, 1e8, 2e8, 1e9].map((min) => ({ min, max: min * 2 }));
const titles = levels.slice(0, 10).flatMap((level) => fields.slice(0, 8).map((field) => `${level} ${field}`.trim()));

/** Filters as people combine them: `n` of a seed is the same in every process. */
export function filters(seed: number, n: number): Record<string, Record<string, unknown>> {
  const random = mulberry32(seed * 0x9e3779b1 + n);
  const some = (list: readonly string[], most: number): string[] =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => list[Math.floor(random() ** 2 * list.length)]!);
  const company: Record<string, unknown> = {};
  const person: Record<string, unknown> = {};
  const technology: Record<string, unknown> = {};
  if (random() < 0.5) company["industry"] = some(industries, 5);
  if (random() < 0.4) company["size"] = some(sizes, 3);
  if (random() < 0.4) company["location"] = random() < 0.5 ? [`Country ${Math.floor(random() * 25)}`] : some(places, 3);
  if (random() < 0.25) company["revenue"] = { min: 1e6, max: random() < 0.5 ? null : 5e7 };
  if (random() < 0.5) person["title"] = some(titles, 4);
  if (random() < 0.3) person["seniority"] = some(split("VP,Director,C-Level,Manager,Head"), 3);
  if (random() < 0.2) person["department"] = some(split("sales,marketing,engineering,finance"), 2);
  if (random() < 0.35) technology["using"] = some(technologyNames, 4);
  if (random() < 0.2) technology["notUsing"] = some(technologyNames, 3);
  return { company, person, technology };
}

const csvColumns = [
  ["First Name", "firstName"], ["Last Name", "lastName"], ["Email", "email"], ["Person Linkedin Url", "networkUrl"],
  ["Title", "title"], ["Company", "company"], ["Website", "domain"], ["Industry", "industry"],
  ["Company Location", "companyLocation"], ["# Employees", "companySize"], ["Annual Revenue", "revenue"],
  ["Technologies", "technologies"],
] as const; // prettier-ignore

export const prospectCsvHeader = `${csvColumns.map(([header]) => header).join(",")}\n`;

export function prospectCsvRow(seed: number, n: number): string {
  const person = prospect(seed, n);
  const cells = csvColumns.map(([, field]) => {
    if (field === "revenue") return String(person.revenue?.min ?? "");
    return field === "technologies" ? (person.technologies ?? []).join("; ") : (person[field] ?? "");
  });
  return `${cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
}

/** A 32-bit generator that is good enough to vary names; public domain, by Tommy Ettinger. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
