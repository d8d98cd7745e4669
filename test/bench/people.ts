/** Made-up people. Person `n` of a seed is the same in every process, so nothing has to be sent or stored to check it. */
export type Person = {
  firstName: string;
  lastName: string;
  email: string;
  company: string;
  title: string;
  phone: string;
  networkUrl: string;
  industry: string;
  location: string;
  source: string;
  tags: string[];
};

const firstNames = "Ada,Björn,Chiara,Dmitri,Edith,Farid,Grace,Håkon,Ines,Jürgen,Kwame,Lucía,Mei,Noor,Oskar,Priya".split(
  ",",
);
const lastNames = "Lovelace,Ångström,O'Neill,Petrova,García,Nguyen,Okafor,Schäfer,Tanaka,Silva,Novák,Haddad".split(",");
const companyWords = "Analytical,Northern,Quiet,Harbour,Granite,Meridian,Copper,Lantern,Orchard,Summit".split(",");
const companyForms = "Engines,Systems,Works,Partners,Logistics,Labs,Foods,Energy".split(",");
const titles = [
  "CTO",
  "Head of Sales",
  "Marketing Manager",
  "Founder",
  "VP, Engineering",
  "Buyer",
  "Account Executive",
];
const industries = ["Software", "Manufacturing", "Retail", "Health", "Energy", "Education"];
const locations = [
  "Berlin, Germany",
  "Lagos, Nigeria",
  "São Paulo, Brazil",
  "Osaka, Japan",
  "Austin, Texas",
  "Oslo, Norway",
];
const sources = ["website", "referral", "network", "fair"];
const tags = ["priority", "newsletter", "partner", "2026", "trial"];

export function person(seed: number, n: number): Person {
  const random = mulberry32(seed * 0x9e3779b1 + n);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const firstName = pick(firstNames);
  const lastName = pick(lastNames);
  const company = `${pick(companyWords)} ${pick(companyForms)} ${Math.floor(random() * 5000)}`;
  return {
    firstName,
    lastName,
    email: emailOf(seed, n),
    company,
    title: pick(titles),
    phone: `+1 555 ${String(Math.floor(random() * 10_000_000)).padStart(7, "0")}`,
    networkUrl: `https://network.example/in/person-${seed}-${n}`,
    industry: pick(industries),
    location: pick(locations),
    source: pick(sources),
    tags: random() < 0.5 ? [] : [pick(tags)],
  };
}

/** Unique to the person, so a stored lead can be traced back to the request that made it. */
export function emailOf(seed: number, n: number): string {
  return `person.${seed}.${n}@example.com`;
}

export const csvHeader =
  "First Name,Last Name,Email,Company,Job Title,Phone,Profile URL,Industry,Location,Source,Tags\n";

export function csvRow(seed: number, n: number): string {
  const p = person(seed, n);
  const cells = [p.firstName, p.lastName, p.email, p.company, p.title, p.phone, p.networkUrl, p.industry, p.location];
  return `${[...cells, p.source, p.tags.join(";")].map(quoted).join(",")}\n`;
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
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
