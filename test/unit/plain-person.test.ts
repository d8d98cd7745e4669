import { expect, test } from "bun:test";
import { eachRaw } from "../../src/features/prospecting/facets/terms.ts";
import { PlainPeople } from "../../src/features/prospecting/import/plain-person.ts";
import type { ProspectTarget } from "../../src/features/prospecting/import/prospect-targets.ts";
import { unpacked } from "../../src/features/prospecting/import/prospect-file.ts";
import { checkedProspect } from "../../src/features/prospecting/import/raw-prospect.ts";
import { RowBuffer } from "../../src/features/prospecting/import/row-buffer.ts";
import { numberOfTarget, RowText } from "../../src/features/prospecting/import/row-text.ts";
import type { ProspectContent } from "../../src/features/prospecting/model.ts";
import { canonicalProfileUrl } from "../../src/platform/identity/profile-url.ts";
import { pick, seeded } from "../support/random.ts";

const values: Record<string, readonly string[]> = {
  firstName: ["Ada", "Björn", "  Łukasz ", "A\u0001da", "O\u0301scar", "Jean  Luc", "山田太郎", "x".repeat(300), '"Bob"', "\ud800x"],
  lastName: ["Lovelace", "ÅNGSTRÖM", "O'Neill", "de la\tCruz", "\\", "\u0007"],
  fullName: ["Dr. Ludwig van Beethoven", "Ada", "Lovelace, Ada", "Grace Hopper PhD", "王小明", "高圆圆", "Suharto", "ACME", "田中様"],
  email: ["ada@example.com", "Ada.L@Gmail.COM", "no address", "a b@c.de", "jörg@firma.de", "a@b", `"x"@y.de`, "x@-.y"],
  networkUrl: [
    "https://network.example/in/ada", "http://UK.network.example/in/Ada/", "www.network.example/in/ada?x=1", "ftp://x.y/z",
    "https://network.example/in/ada\\b", "https://network.example/", "not a url", "https://de.bp.co.uk/in/ada/de",
    "https://xn--.example/in/ada", "https://www.de.example/in/ada_b/",
  ],
  title: ["VP Sales", "Co-Founder & CEO", "Senior Engineer", "Chief Technology Officer", "Baker", "", "Head of\nMarketing", "y".repeat(301)],
  company: ["Acme, Inc.", "ACME", "Société Générale S.A.", "AG", "Co", "Müller  &  Söhne GmbH & Co. KG", "Quiet Systems 244", "The Gap", "Gap, The", "Theodor Ander", "Bed and Bath", "Meyer UND Sohn", "And Co", "The", "Rag and", "トヨタ自動車株式会社", "주식회사 카카오", "㈜카카오", "Acme LLP", "Grab PTE LTD", "Petronas Sdn Bhd", "Fiat S p A", "Sony K K", "Maersk A/S", "Fiat s a"],
  domain: ["https://www.acme.example/about", "acme.example", "WWW.Acme.Example", "127.0.0.1", "nothing", "www.de", "a..b.de", "xn--x.de", "-a.de"],
  industry: ["Software", "\u2028", "Wine & Spirits"],
  phone: ["+49 30 1234", "1".repeat(60)],
  location: ["Berlin", "Lyon, France"], city: ["Paris"], state: ["TX"], country: ["France"],
  companyCity: ["Rome"], companyCountry: ["Italy"], companyLocation: ["Austin, TX"],
  companySize: ["51-200", "1,200 employees", "many"], revenue: ["$5M", "none", "1000000", "5 crore", "-3"], revenueThousands: ["1,250", "-", "2M"], revenueNamed: ["5億円", "5000000", "$3M"],
  technologies: ["Node.js; React; Node.js", '["C++","C#"]', "['E', 'F']", "{G,H}", "[unclosed,I", "C|D", "A, B; C|D", "|E|;", "a,b,,a", "J\nK\r\nL", "M, N\nO;P", "Q,\nR", "Salesforce / HubSpot", "React/Redux", "PL/SQL", "x/y, TCP/IP", "AWS/GCP/Azure", "z".repeat(120), Array.from({ length: 250 }, (_, n) => `t${n}`).join(";")],
  seniority: ["VP", "c-level", "Non-Manager"], department: ["sales, marketing"], confidence: ["0.8", "80 %", "-1", "0.805", "100"], source: ["a file"],
}; // prettier-ignore

test("a row that is put together of known parts is what the whole of the rules makes of it", () => {
  const random = seeded(5);
  const buffer = new RowBuffer();
  const people = new PlainPeople(buffer);
  const raws: string[] = [];
  let plain = 0;
  for (let n = 0; n < 20_000; n++) {
    const row: Record<string, string> = {};
    for (const [field, list] of Object.entries(values)) if (random() < 0.35) row[field] = pick(list, random);
    const technologies = random() < 0.1 ? ["Rust", "", "Rust", "Zig "] : null;
    const revenue = random() < 0.1 ? { min: 1e6, max: null } : null;
    const text = new RowText();
    for (const [field, value] of Object.entries(row))
      if (value !== "") text.set(numberOfTarget(field as ProspectTarget), value);
    if (!people.write(n, text, technologies, revenue)) continue;
    plain++;
    const packed = buffer.take(1);
    const [read] = unpacked(packed);
    if (read === undefined || "errors" in read) throw new Error("A person was expected");
    const content = new TextDecoder().decode(read.content);
    const found = { kind: read.kind, content, keys: [...read.keys], beside: read.beside };
    // What is no character can't be in UTF-8.
    const written = Object.fromEntries(Object.entries(row).map(([field, value]) => [field, value.toWellFormed()]));
    expect(found).toEqual(checkedProspect(written, technologies, revenue) as typeof found);
    for (const value of packed.found.added) raws.push(value);
    expect([...packed.found.raws].map((raw) => raws[raw]!).toSorted()).toEqual(rawsIn(content));
  }
  expect(plain).toBeGreaterThan(3000);
});

/** What the terms of a content are made of. */
function rawsIn(content: string): string[] {
  const found: string[] = [];
  eachRaw(JSON.parse(content) as ProspectContent, (facet, raw) => found.push(`${facet} ${raw}`));
  return found.toSorted();
}

test.each([
  ["https://network.example/in/Ada-L", "https://network.example/in/ada-l"],
  ["https://www.network.example/in/ada/", "https://network.example/in/ada"],
  ["https://uk.network.example/in/ada", "https://network.example/in/ada"],
  ["https://bp.co.uk/in/ada", "https://bp.co.uk/in/ada"],
  ["https://network.example/in//ada", "https://network.example/in/ada"],
  ["https://xn--a.example/in/ada", null],
])("the profile %s is known as %s", (url, known) => {
  expect(canonicalProfileUrl(url)).toBe(known);
});
