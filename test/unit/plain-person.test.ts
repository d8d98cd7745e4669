import { expect, test } from "bun:test";
import { eachRaw } from "../../src/prospecting/facets/terms.ts";
import { cellsOf } from "../../src/prospecting/import/cells.ts";
import { plainPerson } from "../../src/prospecting/import/plain-person.ts";
import { checkedProspect } from "../../src/prospecting/import/raw-prospect.ts";
import type { ReadProspect } from "../../src/prospecting/import/row-values.ts";
import type { ProspectContent } from "../../src/prospecting/model.ts";
import { canonicalProfileUrl } from "../../src/network/profile-url.ts";
import { pick, seeded } from "../support/random.ts";

const values: Record<string, readonly string[]> = {
  firstName: ["Ada", "Björn", "  Łukasz ", "A\u0001da", "O\u0301scar", "Jean  Luc", "x".repeat(300), '"Bob"', "\ud800x"],
  lastName: ["Lovelace", "ÅNGSTRÖM", "O'Neill", "de la\tCruz", "\\", "\u0007"],
  fullName: ["Dr. Ludwig van Beethoven", "Ada", "Lovelace, Ada", "Grace Hopper PhD"],
  email: ["ada@example.com", "Ada.L@Gmail.COM", "no address", "a b@c.de", "jörg@firma.de", "a@b", `"x"@y.de`, "x@-.y"],
  networkUrl: [
    "https://network.example/in/ada", "http://UK.network.example/in/Ada/", "www.network.example/in/ada?x=1", "ftp://x.y/z",
    "https://network.example/in/ada\\b", "https://network.example/", "not a url", "https://de.bp.co.uk/in/ada/de",
    "https://xn--.example/in/ada", "https://www.de.example/in/ada_b/",
  ],
  title: ["VP Sales", "Chief Technology Officer", "Baker", "", "Head of\nMarketing", "y".repeat(301)],
  company: ["Acme, Inc.", "ACME", "Société Générale S.A.", "AG", "Co", "Müller  &  Söhne GmbH & Co. KG", "Quiet Systems 244"],
  domain: ["https://www.acme.example/about", "acme.example", "WWW.Acme.Example", "127.0.0.1", "nothing", "www.de", "a..b.de", "xn--x.de", "-a.de"],
  industry: ["Software", "\u2028", "Wine & Spirits"],
  phone: ["+49 30 1234", "1".repeat(60)],
  location: ["Berlin", "Lyon, France"], city: ["Paris"], state: ["TX"], country: ["France"],
  companyCity: ["Rome"], companyCountry: ["Italy"], companyLocation: ["Austin, TX"],
  companySize: ["51-200", "1,200 employees", "many"], revenue: ["$5M", "none", "1000000"],
  technologies: ["Node.js; React; Node.js", '["C++","C#"]', "a,b,,a", "z".repeat(120), Array.from({ length: 250 }, (_, n) => `t${n}`).join(";")],
  seniority: ["VP", "c-level"], department: ["sales, marketing"], confidence: ["0.8", "80 %", "-1", "0.805", "100"], source: ["a file"],
}; // prettier-ignore

test("a row that is put together of known parts is what the whole of the rules makes of it", () => {
  const random = seeded(5);
  let plain = 0;
  for (let n = 0; n < 20_000; n++) {
    const row: Record<string, string> = {};
    for (const [field, list] of Object.entries(values)) if (random() < 0.35) row[field] = pick(list, random);
    const technologies = random() < 0.1 ? ["Rust", "", "Rust", "Zig "] : null;
    const revenue = random() < 0.1 ? { min: 1e6, max: null } : null;
    const found = plainPerson(cellsOf(row), technologies, revenue);
    if (found === null) continue;
    plain++;
    expect(contentOf(found)).toEqual(contentOf(checkedProspect({ ...row }, technologies, revenue)));
    expect(rawsOf(found)).toEqual(rawsIn(found));
  }
  expect(plain).toBeGreaterThan(3000);
});

function contentOf(read: ReadProspect): object {
  return "errors" in read ? read : { kind: read.kind, content: read.content.join(""), keys: read.keys };
}

/** What its terms are made of, as it says itself. */
function rawsOf(read: ReadProspect): string[] {
  const raws = "raws" in read ? (read.raws ?? []) : [];
  return raws.map(({ facet, raw }) => `${facet} ${raw}`).toSorted();
}

/** The same, as its content says. */
function rawsIn(read: ReadProspect): string[] {
  const raws: string[] = [];
  if ("content" in read)
    eachRaw(JSON.parse(read.content.join("")) as ProspectContent, (facet, raw) => raws.push(`${facet} ${raw}`));
  return raws.toSorted();
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
