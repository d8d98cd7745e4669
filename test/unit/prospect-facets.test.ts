import { describe, expect, test } from "bun:test";
import { prospectContent } from "../../src/features/prospecting/content.ts";
import { departmentNamed, departmentOfTitle } from "../../src/features/prospecting/facets/department.ts";
import { placeParts, placeTerms, wantedPlace } from "../../src/features/prospecting/facets/places.ts";
import {
  companySize,
  companySizesTouching,
  companySizeText,
  revenueRange,
  revenueRangeOfNamed,
  revenueRangeOfThousands,
  stepsOfRevenue,
} from "../../src/features/prospecting/facets/ranges.ts";
import { senioritiesOfTitle, seniorityNamed } from "../../src/features/prospecting/facets/seniority.ts";
import { positionOf } from "../../src/features/prospecting/facets/position.ts";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import {
  changedTerms,
  technologyValue,
  termKey,
  termsOf,
  termsOfRaw,
} from "../../src/features/prospecting/facets/terms.ts";
import { titleTerms, wantedTitle } from "../../src/features/prospecting/facets/title-words.ts";
import type { ProspectContent } from "../../src/features/prospecting/model.ts";
import { prospect } from "../bench/prospect-people.ts";

function finds(wanted: string, title: string): boolean {
  const has = new Set(titleTerms(title));
  const needs = wantedTitle(wanted);
  return needs.length > 0 && needs.every((term) => has.has(term));
}

describe("titles", () => {
  test.each([
    ["VP Engineering", "Vice President of Engineering"],
    ["Vice President, Engineering", "VP Engineering"],
    ["Vice President", "SVP Marketing"],
    ["CTO", "Chief Technology Officer & Co-Founder"],
    ["Chief Technology Officer", "C.T.O."],
    ["chief technical officer", "CTO"],
    ["Chief", "CFO"],
    ["founder", "Co-Founder and CEO"],
    ["Sr. Engineer", "Senior Software Engineer"],
    ["HR Manager", "Manager, Human Resources"],
    ["R&D", "Head of Research and Development"],
    ["sales", "VP SALES"],
    ["Geschäftsführer", "CEO"],
    ["SDR", "Sales Development Representative"],
    ["business development", "Business Development Manager"],
    ["VP Engineering", "VP Eng"],
    ["VP Eng", "Vice President of Engineering"],
    ["Eng", "Software Engineer"],
    ["Software Engineer", "Sr. Software Eng"],
    ["Software Eng", "SWE"],
    ["Engineer", "Software Dev"],
    ["Software Development Manager", "Software Dev Manager"],
    ["Software Dev Manager", "Software Development Manager"],
    ["Software Eng", "Head of Software Engineering"],
    ["Marketing Manager", "Mktg Mgr"],
    ["Mktg Mgr", "Senior Marketing Manager"],
    ["Director of Operations", "Dir. Ops"],
    ["Head of Ops", "Head of Operations"],
    ["Junior Developer", "Jr Dev"],
    ["Dev", "Web Developer"],
    ["Head of Development", "Head of Dev"],
    ["Biz Dev Manager", "Business Development Manager"],
    ["SDR", "Sales Dev Rep"],
    ["Account Executive", "Acct Exec"],
    ["Acct Mgr", "Key Account Manager"],
    ["Accountant", "Sr Acct"],
    ["Customer Success Manager", "Cust. Success Mgr"],
    ["IT Director", "Dir, Information Technology"],
    ["Chief Information Security Officer", "CISO"],
    ["Information Security", "InfoSec Lead"],
    ["SVP", "Sr. VP Sales"],
    ["EVP", "Exec VP"],
    ["VP Sales", "Vice Pres., Sales"],
    ["VP Technology", "VP Tech"],
  ])("%s finds %s", (wanted, title) => {
    expect(finds(wanted, title)).toBe(true);
  });

  test.each([
    ["President", "Vice President of Sales"],
    ["CTO", "CEO"],
    ["VP Sales", "VP Marketing"],
    ["Director", "Manager"],
    ["of the", "VP of Sales"],
    ["Engineer", "VP Engineering"],
    ["Engineering", "Software Engineer"],
    ["Engineer", "Software Dev Manager"],
    ["Engineer", "Head of Software Dev"],
    ["Developer", "Business Development Manager"],
    ["Accountant", "Account Manager"],
    ["Operations", "DevOps Engineer"],
    ["VP", "Pres"],
    ["", "CEO"],
  ])("%s does not find %s", (wanted, title) => {
    expect(finds(wanted, title)).toBe(false);
  });

  test("a text that is no title makes no more than a few words", () => {
    expect(titleTerms(Array.from({ length: 300 }, (_, n) => `word${n}`).join(" ")).length).toBeLessThanOrEqual(24);
  });
});

test.each([
  ["Chief Executive Officer", "c_suite"],
  ["VP, Sales", "vp"],
  ["Head of Growth", "head"],
  ["Managing Director", "director"],
  ["Team Lead Support", "manager"],
  ["Senior Accountant", "senior"],
  ["Executive Assistant to the CEO", "entry"],
  ["Product Owner", null],
  ["Co-Founder", "founder"],
  ["Marketing Intern", "intern"],
  ["Baker", null],
  ["Vice Pres", "vp"],
  ["Asst Dir", "entry"],
  ["Eng Mgr", "manager"],
])("%s speaks of the level %s", (title, level) => {
  expect<string[]>(senioritiesOfTitle(title)).toEqual(level === null ? [] : [level]);
});

test.each([
  ["Co-Founder & CEO", ["founder", "c_suite"]],
  ["Owner / President", ["owner", "c_suite"]],
  ["Partner, Head of Tax", ["partner", "head"]],
  ["SVP & CFO", ["c_suite", "vp"]],
  ["Vice President & General Manager", ["vp"]],
  ["HR Business Partner", []],
  ["Senior Business Partner, HR", ["senior"]],
  ["Channel Partner Manager", ["manager"]],
  ["Partner Success Manager", ["manager"]],
  ["Head of Partner Sales", ["head"]],
  ["Managing Partner", ["partner"]],
  ["Partner - Audit", ["partner"]],
  ["Assistant to the VP", ["entry"]],
  ["EA to CEO", []],
  ["Manager, Office of the CEO", ["manager"]],
  ["VP, Go to Market", ["vp"]],
  ["Chief of Staff to the CEO", ["head"]],
  ["Ex-CEO", []],
  ["ex CTO, Advisor", []],
  ["Former VP Sales", []],
  ["Former VP of Sales and CTO", []],
  ["Former VP Sales and now CTO", ["c_suite"]],
  ["Former Founder & CEO", []],
  ["Retired CEO", []],
  ["CEO (retired)", []],
  ["Immediate Past President", []],
  ["Director, formerly VP", ["director"]],
  ["Owner, ex-CEO", ["owner"]],
  ["Former CFO | Partner", ["partner"]],
  ["Ex-Google CTO", ["c_suite"]],
  ["CEO at Formera", ["c_suite"]],
  ["Past Due Collections Manager", ["manager"]],
  ["社長", ["c_suite"]],
  ["代表取締役社長", ["c_suite"]],
  ["代表取締役 CTO", ["c_suite"]],
  ["副社長", ["vp"]],
  ["社長秘書", []],
  ["取締役", ["director"]],
  ["営業部長", ["director"]],
  ["開発課長", ["manager"]],
  ["总经理", ["c_suite"]],
  ["副总经理", ["vp"]],
  ["销售经理", ["manager"]],
  ["市场总监", ["director"]],
  ["대표이사", ["c_suite"]],
  ["영업부장", ["director"]],
  ["개발 팀장", ["manager"]],
  ["Chief Product Officer and Engineer", ["c_suite"]],
  ["Chief Engineer", ["manager"]],
  ["Head Pastry Chef", ["manager"]],
  ["Head of Engineer Training", ["head"]],
  ["Sales Manager, Head Office", ["manager"]],
  ["Senior Product Owner", ["senior"]],
  ["Business Owner", ["owner"]],
  ["Founder in Residence", []],
])("%s holds the offices %p", (title, levels) => {
  expect<string[]>(senioritiesOfTitle(title)).toEqual(levels);
});

test("who holds two offices is found by each, and shown with the higher", () => {
  const content = { title: "Co-Founder & CEO", confidence: 1 };
  expect(positionOf(content).seniority).toBe("founder");
  const levels = termsOf(content).filter(({ facet }) => facet === "seniority");
  expect(levels.map(({ value }) => value)).toEqual(["founder", "c_suite"]);
  const told = termsOf({ ...content, seniority: "Owner" }).filter(({ facet }) => facet === "seniority");
  expect(told.map(({ value }) => value)).toEqual(["owner"]);
});

test.each([
  ["Chief Technology Officer", "engineering"],
  ["HR Business Partner", "human_resources"],
  ["Account Executive", "sales"],
  ["Controller", "finance"],
  ["Owner", "executive"],
  ["Astronaut", null],
  ["VP Eng", "engineering"],
  ["Mktg Coord", "marketing"],
  ["VP Ops", "operations"],
  ["Acct Exec", "sales"],
  ["Sr Acct", null],
  ["Corp Dev", null],
  ["Assistant to the CEO", null],
  ["Ex-CEO", null],
  ["Process Owner", null],
])("%s speaks of the department %s", (title, department) => {
  expect<string | null>(departmentOfTitle(title)).toBe(department);
});

test("levels and departments go by several names", () => {
  expect(["C-Level", "c_suite", "CXO"].map(seniorityNamed)).toEqual(["c_suite", "c_suite", "c_suite"]);
  expect(["Vice President", "vp", "VP-Level"].map(seniorityNamed)).toEqual(["vp", "vp", "vp"]);
  expect(["Director Level", "Manager-Level"].map(seniorityNamed)).toEqual(["director", "manager"]);
  expect(["Human Resources", "human_resources", "HR"].map(departmentNamed)).toEqual([
    "human_resources",
    "human_resources",
    "human_resources",
  ]);
  expect([seniorityNamed("wizard"), departmentNamed("magic")]).toEqual([null, null]);
});

test("whoever is no manager has the level that the title says, unless that is above", () => {
  const level = (title: string, seniority = "Non-Manager") =>
    positionOf({ ...(title && { title }), seniority, confidence: 1 }).seniority;
  const titles = ["Senior Engineer", "Sales Intern", "Account Manager", "Baker", ""];
  expect(titles.map((title) => level(title))).toEqual(["senior", "intern", "entry", "entry", "entry"]);
  expect(
    ["non manager", "Non-Manager Level", "Individual Contributor"].map((told) => level("Sr Engineer", told)),
  ).toEqual(["senior", "senior", "senior"]);
  expect(level("Baker", "Manager")).toBe("Manager");
  const found = termsOf({ title: "Account Manager", seniority: "Non-Manager", confidence: 1 });
  expect(found.filter(({ facet }) => facet === "seniority").map(({ label }) => label)).toEqual(["entry"]);
  const sought = termQuery({ person: { seniority: ["Non-Manager"] } }).groups;
  expect(sought).toEqual([[["seniority senior"], ["seniority entry"], ["seniority intern"]]]);
});

test.each([
  ["11-50", "11-50"],
  ["1,200 employees", "1001-5000"],
  ["51 - 200", "51-200"],
  ["10K+", "10001+"],
  ["10001+", "10001+"],
  ["1000", "501-1000"],
  ["11,50", "11-50"],
  ["<10", "1-10"],
  ["self-employed", null],
  ["0", null],
  ["", null],
  ["-5", null],
  ["1\u00a0200", "1001-5000"],
  ["1\u202f200 Mitarbeiter", "1001-5000"],
  ["1’200", "1001-5000"],
  ["10 000 - 50 000", "10001+"],
  ["201 to 500 people", "201-500"],
  ["501-1K", "501-1000"],
  ["5 thousand", "1001-5000"],
  ["2 lakh", "10001+"],
  ["1万人", "5001-10000"],
  ["1.5万人", "10001+"],
  ["2,000명", "1001-5000"],
  ["51～200人", "51-200"],
  ["1000人以上", "1001-5000"],
  ["Nov 2023: 40", null],
  ["Nov-50", "11-50"],
  ["nov 50", "11-50"],
  ["10-Jan", "1-10"],
  ["Jan-10", "1-10"],
  ["01-Oct", "1-10"],
  ["01. Okt", "1-10"],
  ["10-Feb", "1-10"],
  ["20-Nov", "11-50"],
  ["Nov-1950", null],
  ["Team-50", null],
  ["Nov-00", null],
  ["50 employees or more", "51-200"],
])("%s employees are the range %s", (text, label) => {
  expect(companySize(text)).toBe(label);
});

test.each([
  ["1000+", "1000+", "1001-5000"],
  ["10,001+", "10001+", "10001+"],
  ["1001-5000", "1001-5000", "1001-5000"],
  ["1,001 - 5,000 employees", "1001-5000", "1001-5000"],
  ["100-500", "100-500", "201-500"],
  ["50 employees or more", "50+", "51-200"],
  ["1000人以上", "1000+", "1001-5000"],
  ["10K+", "10000+", "10001+"],
  ["501-1K", "501-1000", "501-1000"],
  ["10 000 - 50 000", "10000-50000", "10001+"],
  ["1,200 employees", "1001-5000", "1001-5000"],
  ["<10", "1-10", "1-10"],
  ["Nov-50", "11-50", "11-50"],
  ["1.5-2.5", "1-10", "1-10"],
  ["many", null, null],
])("%s employees are stored as %s and found by %s", (text, stored, label) => {
  expect(companySizeText(text)).toBe(stored);
  if (stored === null) return;
  // What is stored stays as it is when it is read again, as an export that is imported is.
  expect(companySizeText(stored)).toBe(stored);
  expect(termsOfRaw("size", stored)).toEqual([{ facet: "size", value: label!, label: label! }]);
});

test("a wanted size touches every range that it shares a number with", () => {
  expect(companySizesTouching("100-500")).toEqual(["51-200", "201-500"]);
  expect(companySizesTouching("1000+")).toEqual(["1001-5000", "5001-10000", "10001+"]);
  expect(companySizesTouching("7")).toEqual(["1-10"]);
  expect(companySizesTouching("many")).toEqual([]);
});

test.each([
  ["$10M", 1e7, 2e7],
  ["$1M - $10M", 1e6, 1e7],
  ["$1-10M", 1e6, 1e7],
  ["1500000", 1e6, 2e6],
  ["1.5 billion", 1e9, 2e9],
  ["1.500.000", 1e6, 2e6],
  ["12,5 Mio.", 1e7, 2e7],
  ["<1M", 0, 1e6],
  ["100M+", 1e8, null],
  ["over $2B", 2e9, null],
  ["$1.250M", 1e6, 2e6],
  ["$1.234 million", 1e6, 2e6],
  ["1.234B", 1e9, 2e9],
  ["$1.125 billion", 1e9, 2e9],
  ["$1,250M", 1e9, 2e9],
  ["1,250 Mio. €", 1e6, 2e6],
  ["0,750 Mrd", 5e8, 1e9],
  ["1\u00a0500\u00a0000", 1e6, 2e6],
  ["1\u202f500\u202f000 €", 1e6, 2e6],
  ["1\u2009500\u2009000", 1e6, 2e6],
  ["1’500’000", 1e6, 2e6],
  ["1'500'000.50", 1e6, 2e6],
  ["1,234,567.89", 1e6, 2e6],
  ["1.234.567,89", 1e6, 2e6],
  ["5,00,00,000", 5e7, 1e8],
  ["1500000.0", 1e6, 2e6],
  ["1,5 Millionen Euro", 1e6, 2e6],
  ["1,5 Mrd", 1e9, 2e9],
  ["2 Milliarden", 2e9, 5e9],
  ["1 trillion", 1e11, null],
  ["1tn", 1e11, null],
  ["$50 crore", 5e8, 1e9],
  ["50 crore", 5e6, 1e7],
  ["₹50 crore", 5e6, 1e7],
  ["Rs. 5,00,00,000", 0, 1e6],
  ["15 lakh", 0, 1e6],
  ["¥500 million", 2e6, 5e6],
  ["￥500 million", 2e6, 5e6],
  ["JPY 50 billion", 2e8, 5e8],
  ["RMB 500 million", 5e7, 1e8],
  ["€1.2B", 1e9, 2e9],
  ["£1.8m", 2e6, 5e6],
  ["5 Mio. €", 5e6, 1e7],
  ["CHF 4.5m", 5e6, 1e7],
  ["4.5m CHF", 5e6, 1e7],
  ["₩80 billion", 5e7, 1e8],
  ["100 mln zł", 2e7, 5e7],
  ["kr 100m", 1e7, 2e7],
  ["100 mio. DKK", 1e7, 2e7],
  ["A$10M", 5e6, 1e7],
  ["HK$100 million", 1e7, 2e7],
  ["US$10M", 1e7, 2e7],
  ["5 USD million", 5e6, 1e7],
  ["R$ 10M", 1e6, 2e6],
  ["£1M - £4M", 1e6, 1e7],
  ["5 T€", 0, 1e6],
  ["100mil", 1e8, 2e8],
  ["$3 mil.", 2e6, 5e6],
  ["$3 bil.", 2e9, 5e9],
  ["3bn", 2e9, 5e9],
  ["1.5e6", 1e6, 2e6],
  ["1.250E+06", 1e6, 2e6],
  ["500 TEUR", 0, 1e6],
  ["5M€", 5e6, 1e7],
  ["$100 mil. - $250 mil.", 1e8, 5e8],
  ["100-250 million", 1e8, 5e8],
  ["$500,000 - $1M", 0, 1e6],
  ["$500M to $1.5B", 5e8, 2e9],
  ["1 à 10 millions", 1e6, 1e7],
  ["$1B and above", 1e9, null],
  ["5億円", 2e6, 5e6],
  ["1,250億円", 5e8, 1e9],
  ["3億5,000万円", 2e6, 5e6],
  ["1〜5億円", 0, 5e6],
  ["500万円", 0, 1e6],
  ["5兆円", 2e10, 5e10],
  ["¥100億", 5e7, 1e8],
  ["5亿", 5e7, 1e8],
  ["1.2亿元", 1e7, 2e7],
  ["5000万元", 5e6, 1e7],
  ["3亿美元", 2e8, 5e8],
  ["100억원", 5e6, 1e7],
  ["1,000억", 5e7, 1e8],
  ["₹2 lakh crore", 2e10, 5e10],
  ["5 млрд руб.", 5e7, 1e8],
  ["500 млн ₽", 5e6, 1e7],
  ["R$ 5 milhões", 0, 1e6],
  ["R$ 1,5 bilhão", 2e8, 5e8],
  ["100M USD per year", 1e8, 2e8],
])("a revenue of %s lies from %d to %p", (text, min, max) => {
  expect(revenueRange(text)).toEqual({ min, max });
});

test.each([
  "-5000000", "$-5M", "(5,000,000)", "5 mil millones", "5 tys", "1.250 Mio", "5億", "5億元", "500万", "5 млрд", "5億台", "5 mil milhões", "5%", "1,23,4", "12.34.56",
  "FY2023: $5M", "$5M (2023)", "1 2 3", "10M-1M", "1-2-3", "ARS 500 million", "$5M (€4.5M)", "₿ 5", "XOF 3 million",
])("a revenue of %s is not understood, and none", (text) => {
  expect(revenueRange(text)).toBeNull();
}); // prettier-ignore

test("an amount in thousands may still name a unit of its own", () => {
  const amounts = ["1,250", "1500", "1,250,000", "2M"];
  expect(amounts.map((text) => revenueRangeOfThousands(text)?.min)).toEqual([1e6, 1e6, 1e9, 2e6]);
});

test("where numbers are in no dollars, only amounts count that say what they are in", () => {
  const amounts = ["5000000000", "50億円", "$5M", "5億", "1.2亿元", "5M"];
  expect(amounts.map((text) => revenueRangeOfNamed(text)?.min)).toEqual([
    undefined,
    2e7,
    5e6,
    undefined,
    1e7,
    undefined,
  ]);
});

test("what is no revenue is none, and a wanted range ends below its end", () => {
  expect(["", "unknown", "n/a", "$"].map(revenueRange)).toEqual([null, null, null, null]);
  expect(stepsOfRevenue({ min: 1e6, max: 1e7 })).toEqual([1e6, 2e6, 5e6]);
  expect(stepsOfRevenue({ min: 1e7, max: 1e7 })).toEqual([1e7]);
  expect(stepsOfRevenue({ min: 5e10, max: null })).toEqual([5e10, 1e11]);
});

test.each([
  [
    "Saint Paul",
    ["Minneapolis-St. Paul Area", "Greater Minneapolis-St. Paul Area", "Minneapolis-St. Paul", "Twin Cities"],
  ],
  ["St. Paul", ["Minneapolis-St. Paul Area"]],
  ["Minneapolis", ["Minneapolis-Saint Paul"]],
  ["Raleigh", ["Raleigh-Durham", "Raleigh-Durham, NC", "Raleigh-Durham-Chapel Hill Area"]],
  ["Durham", ["Raleigh-Durham"]],
  ["Fort Worth", ["Dallas-Fort Worth", "Dallas-Ft. Worth, TX"]],
])("%s finds areas that are named after it", (city, areas) => {
  for (const area of areas) {
    const found = placeTerms(area).map(({ value }) => value);
    expect([area, wantedPlace(city).every((value) => found.includes(value))]).toEqual([area, true]);
  }
  expect(placeTerms("Greater Austin").map(({ value }) => value)).not.toContain("round rock");
});

test.each([
  ["Tokyo", ["東京", "東京都", "東京都渋谷区", "日本東京都", "東京都, 日本"]],
  ["東京", ["Tokyo, Japan", "東京都港区"]],
  ["日本", ["Tokyo", "東京都渋谷区", "大阪府大阪市", "Japan", "愛知県名古屋市", "北海道札幌市中央区"]],
  ["Yokohama", ["神奈川県横浜市西区", "日本神奈川県横浜市"]],
  ["Osaka", ["大阪府大阪市", "大阪市北区"]],
  ["Seoul", ["서울", "서울특별시 강남구", "서울 강남구", "대한민국 서울특별시"]],
  ["South Korea", ["서울", "부산광역시"]],
  ["Beijing", ["北京", "北京市朝阳区", "中国北京"]],
  ["China", ["上海市", "深圳", "广东省深圳市南山区", "四川省成都市"]],
])("%s finds %p", (wanted, places) => {
  for (const place of places) {
    const found = placeTerms(place).map(({ value }) => value);
    expect([place, wantedPlace(wanted).every((value) => found.includes(value))]).toEqual([place, true]);
  }
});

test("a road, or another city that ends alike, is no city of that name", () => {
  const values = (place: string) => placeTerms(place).map(({ value }) => value);
  expect(values("南京东路")).toEqual(["南京东路"]);
  expect(values("京都府京都市")).not.toContain("tokyo");
});

test("places go by their usual names", () => {
  expect(placeParts("Austin, TX, USA")).toEqual(["austin", "texas", "united states"]);
  expect(placeParts("München, Deutschland")).toEqual(["munich", "germany"]);
  expect(placeParts("Paris")).toEqual(["paris"]);
  expect(placeParts("UK")).toEqual(["united kingdom"]);
  expect(placeParts(" , ;")).toEqual([]);
});

test("technologies compare without punctuation but for what tells languages apart", () => {
  expect(["Node.js", "NodeJS", "node js"].map(technologyValue)).toEqual(["nodejs", "nodejs", "nodejs"]);
  expect(["C", "C++", "C#"].map(technologyValue)).toEqual(["c", "c++", "c#"]);
});

test("terms that change are those by which the two differ, whatever is known of both", () => {
  const contents = Array.from({ length: 60 }, (_, n) => {
    const checked = prospectContent(prospect(3, n));
    if ("errors" in checked) throw new Error("not valid");
    return checked.content;
  });
  const keys = (content: ProspectContent) => new Set(termsOf(content).map(termKey));
  for (const before of contents)
    for (const other of contents) {
      const after = { ...before, ...other, title: before.title ?? "CTO", technologies: ["Node.js", "NodeJS", "Go"] };
      const { removed, added } = changedTerms(before, after);
      expect(new Set(removed.map(termKey))).toEqual(keys(before).difference(keys(after)));
      expect(new Set(added.map(termKey))).toEqual(keys(after).difference(keys(before)));
    }
});
