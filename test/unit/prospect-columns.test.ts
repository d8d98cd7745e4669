import { describe, expect, test } from "bun:test";
import { normalized } from "../../src/platform/imports/person-columns.ts";
import {
  maxIgnoredColumns,
  noteIgnored,
  profileOwner,
  prospectTargets,
  tellsApart,
} from "../../src/features/prospecting/import/prospect-columns.ts";
import type { ProspectTarget } from "../../src/features/prospecting/import/prospect-targets.ts";

function targets(headers: string, chosen: Record<string, ProspectTarget> = {}): ProspectTarget[] {
  const overrides = new Map(Object.entries(chosen).map(([header, target]) => [normalized(header), target]));
  return prospectTargets(headers.split(","), overrides);
}

describe("a full name beside a company is a person's", () => {
  test.each<[string, ProspectTarget[]]>([
    ["Full Name,Company,LinkedIn URL", ["fullName", "company", "networkUrl"]],
    ["Contact Name,Company,Phone", ["fullName", "company", "phone"]],
    ["Name,Company Name,LinkedIn", ["fullName", "company", "networkUrl"]],
    ["name,company,network_url", ["fullName", "company", "networkUrl"]],
    ["Full Name,LinkedIn URL", ["fullName", "networkUrl"]],
  ])("%s", (headers, expected) => {
    expect(targets(headers)).toEqual(expected);
    expect(tellsApart(targets(headers))).toBe(true);
  });
});

test.each<[string, ProspectTarget[]]>([
  ["氏名,会社名,役職,部署,メールアドレス,電話番号,所在地", ["fullName", "company", "title", "department", "email", "phone", "location"]],
  ["氏名,社名,役職,TEL,URL,売上高,従業員,本社所在地", ["fullName", "company", "title", "phone", "domain", "revenueNamed", "companySize", "companyLocation"]],
  ["氏,名,社名,年商,Webサイト,人数", ["lastName", "firstName", "company", "revenueNamed", "domain", "companySize"]],
  ["姓名,公司,岗位,公司网址,营业额,公司规模,所属行业", ["fullName", "company", "title", "domain", "revenueNamed", "companySize", "industry"]],
  ["이름,회사,직책,핸드폰,매출액,매출,URL", ["fullName", "company", "title", "phone", "revenueNamed", "revenueNamed", "domain"]],
  ["Name,Company,Email,Tel,URL", ["fullName", "company", "email", "phone", "ignore"]],
  ["姓名,公司名称,职位,部门,邮箱,电话,城市", ["fullName", "company", "title", "department", "email", "phone", "city"]],
  ["이름,회사명,직책,부서,이메일,전화번호,지역", ["fullName", "company", "title", "department", "email", "phone", "location"]],
  ["姓,名,公司名稱", ["lastName", "firstName", "company"]],
  ["성,이름,회사", ["lastName", "firstName", "company"]],
  ["이름,홈페이지,업종,직원수", ["company", "domain", "industry", "companySize"]],
])("the headers %s are understood", (headers, expected) => {
  expect(targets(headers)).toEqual(expected);
  expect(tellsApart(targets(headers))).toBe(true);
}); // prettier-ignore

test("a list without a column of persons is one of companies", () => {
  expect(targets("Name,Website,Industry,Employees")).toEqual(["company", "domain", "industry", "companySize"]);
  expect(targets("Name,LinkedIn URL,Phone")).toEqual(["company", "companyNetworkUrl", "companyPhone"]);
  expect(targets("Company Name,City,Phone")).toEqual(["company", "companyCity", "companyPhone"]);
  expect(tellsApart(targets("Company,Phone"))).toBe(true);
});

test("a name beside the profile of a person is a person's", () => {
  const columns = (owner: number[]) => prospectTargets(["Name", "LinkedIn URL", "Phone", "Blog"], new Map(), owner);
  expect(columns([1])).toEqual(["fullName", "networkUrl", "phone", "ignore"]);
  expect(columns([3])).toEqual(["company", "companyNetworkUrl", "companyPhone", "ignore"]);
  const urls = [
    "https://www.network.example/in/ada",
    "network.example/pub/ada/1/2",
    "http://network.example/company/in",
  ];
  expect(urls.map(profileOwner)).toEqual(["person", "person", "company"]);
  expect(
    ["in/ada", "ada@in.example/in/x", "https://shop.example/men/in/blue", "network.example/in/"].map(profileOwner),
  ).toEqual([null, null, null, null]);
});

test("what somebody chose for a column stays", () => {
  expect(targets("Name,LinkedIn URL", { Name: "fullName" })).toEqual(["fullName", "networkUrl"]);
  expect(targets("Company,Link", { Link: "networkUrl" })).toEqual(["company", "networkUrl"]);
  expect(targets("Company,Tel,Phone", { Tel: "phone" })).toEqual(["company", "phone", "companyPhone"]);
  expect(targets("First Name,Name", { Name: "fullName" })).toEqual(["firstName", "fullName"]);
  expect(targets("Name,Company,Web", { Name: "company", Web: "domain" })).toEqual(["company", "company", "domain"]);
});

test.each<[string, ProspectTarget[]]>([
  ["Company Name,Revenue (in 000s USD),Revenue (in 000s)", ["company", "revenueThousands", "revenueThousands"]],
  [
    "Company Name,Revenue Range (in USD),Employee Range,Primary Industry",
    ["company", "revenue", "companySize", "industry"],
  ],
  [
    "Account Name,Account Website,Account Industry,Account Headcount,Account Revenue",
    ["company", "domain", "industry", "companySize", "revenue"],
  ],
  ["job_title,job_company_name,job_company_website,job_company_size", ["title", "company", "domain", "companySize"]],
  ["job_title,job_company_industry,job_company_location_name", ["title", "industry", "companyLocation"]],
  ["Email,Associated Company", ["email", "company"]],
  ["Recommended Email,Job position", ["email", "title"]],
])("the headers %s are understood", (headers, expected) => {
  expect(targets(headers)).toEqual(expected);
});

test("only so many headers that are not understood are told of, each once and none too long", () => {
  const ignored = new Set<string>();
  const headers = ["Email", " Hat\n", "Hat", "", "\u0001", "Pet", "x".repeat(500)];
  const overrides = new Map([["pet", "ignore"]] as const);
  noteIgnored(ignored, headers, prospectTargets(headers, overrides), overrides);
  expect([...ignored]).toEqual(["Hat", "x".repeat(60)]);
  const many = Array.from({ length: 100 }, (_, n) => `column ${n}`);
  noteIgnored(ignored, many, prospectTargets(many, new Map()), new Map());
  expect(ignored.size).toBe(maxIgnoredColumns);
});

test("names of people alone tell nobody apart", () => {
  expect(tellsApart(targets("Full Name,Website"))).toBe(false);
});

test("a column of profiles is one, whatever its name, where no other is", () => {
  const headers = ["First Name", "Last Name", "URL", "Company", "Position"];
  expect(prospectTargets(headers, new Map(), [2])[2]).toBe("networkUrl");
  expect(prospectTargets(headers, new Map())[2]).toBe("ignore");
  expect(prospectTargets(headers, new Map([["url", "ignore"]]), [2])[2]).toBe("ignore");
  expect(prospectTargets([...headers, "LinkedIn"], new Map(), [2, 5])[2]).toBe("ignore");
  expect(prospectTargets(["Company", "Website", "Founder"], new Map(), [2])[2]).toBe("ignore"); // of companies
  const ignored = new Set<string>();
  noteIgnored(ignored, headers, prospectTargets(headers, new Map(), [2]), new Map());
  expect([...ignored]).toEqual([]);
});

test("a company's address is its place alone, and a street beside its city, of which is told that it goes nowhere", () => {
  expect(prospectTargets(["Email", "Company Address"], new Map())).toEqual(["email", "companyLocation"]);
  const headers = ["Email", "Company Address", "Company City", "Company Country"];
  const targets = prospectTargets(headers, new Map());
  expect(targets).toEqual(["email", "ignore", "companyCity", "companyCountry"]);
  const ignored = new Set<string>();
  noteIgnored(ignored, headers, targets, new Map());
  expect([...ignored]).toEqual(["Company Address"]);
  const chosen = new Map([["companyaddress", "companyLocation"]] as const);
  expect(prospectTargets(headers, chosen)[1]).toBe("companyLocation");
});

test("headers that leads know are known for prospects, but for those that mean something else in a list of companies", () => {
  const none = new Map<string, ProspectTarget>();
  const targetOf = (header: string) => prospectTargets(["First Name", header], none)[1];
  const names = ["Unternehmen", "Telefonnummer", "Ville", "Berufsbezeichnung", "Correo electrónico", "LinkedIn-Profil"];
  expect(names.map(targetOf)).toEqual(["company", "phone", "city", "title", "email", "networkUrl"]);
  expect(["Company Email", "URL"].map(targetOf)).toEqual(["ignore", "ignore"]);
});
