import { singleLine } from "../../../platform/base/text.ts";
import { normalized, personHeaders } from "../../../platform/imports/person-columns.ts";
import { nestedTarget } from "./nested-names.ts";
import { eastAsianHeaders, givenBesideFamily } from "../../../platform/imports/east-asian-headers.ts";
import { prospectTargetNames, type ProspectTarget } from "./prospect-targets.ts";

/**
 * Header names of Apollo, ZoomInfo, Cognism, People Data Labs, RocketReach, Snov, and HubSpot, in addition to those of
 * people in general. Case, spaces, punctuation, and accents do not matter.
 */
const vendorHeaders: Partial<Record<ProspectTarget, string>> = {
  fullName: "Person Full Name",
  email: "Recommended Email,Emails",
  phone: "Person Phone,Phone Numbers,Direct Phone Number",
  networkUrl: "Person LinkedIn,LinkedIn Contact Profile URL,Prospect LinkedIn URL",
  title: "Person Title,Job Position,Current Job",
  seniority: "Seniority,Seniority Level,Level,Management Level,Job Level,Job Title Levels",
  department: "Department,Departments,Function,Job Function,Sub Departments,Job Title Role",
  location: "Location Name",
  city: "Person City",
  state: "Person State",
  country: "Person Country",
  confidence: "Confidence,Confidence Score,Email Confidence,Score",
  likelihood: "Likelihood",
  source: "Data Source",
  company: "Job Company Name,Company Name for Emails",
  domain:
    "Website,Domain,Company Domain,Company Website,Website URL,Company URL,Web,Organization Domain,Account Website,Job Company Website",
  industry: "Primary Industry,Account Industry,Job Company Industry,Company Main Industry",
  companySize:
    "# Employees,Employees,Employee Count,Number of Employees,Company Size,Company Headcount,Headcount,Company Employees,Employee Range,Account Headcount,Job Company Size,Size,Mitarbeiter,Company Employee Count,Company Employee Range",
  revenue:
    "Annual Revenue,Revenue,Company Revenue,Company Annual Revenue,Yearly Revenue,Estimated Revenue,Revenue Range,Revenue Range (in USD),Account Revenue,Job Company Inferred Revenue,Umsatz,Inferred Revenue",
  revenueThousands: "Revenue (in 000s USD),Revenue (in 000s)",
  technologies: "Technologies,Technology,Tech Stack,Company Technologies,Techstack,Tools,Current Technologies",
  companyPhone: "Company Phone,Company Phone Number,Corporate Phone",
  companyNetworkUrl:
    "Company Linkedin Url,Company LinkedIn,Organization Linkedin Url,Company Network Url,Account LinkedIn URL,Job Company LinkedIn URL",
  companyLocation:
    "Company Location,Company Address,Headquarters,HQ,HQ Location,Organization Location,Company HQ,Job Company Location Name",
  companyCity: "Company City,HQ City,Organization City,Office City",
  companyState: "Company State,HQ State,Company Region,Organization State,Office State",
  companyCountry: "Company Country,HQ Country,Organization Country,Office Country",
  description: "Short Description,Description,SEO Description,Company Description,About",
  founded: "Founded Year,Founded,Year Founded,Company Founded Year,Job Company Founded",
};

/** Headers that do not mean a person in a list of companies. */
const ambiguousHeaders: ReadonlySet<string> = new Set(["URL", "Company Email"]);

const eastAsianNames = {
  ...eastAsianHeaders,
  department: ["部署", "部署名", "部門", "所属部署", "部门", "부서", "부서명"],
  domain: ["ウェブサイト", "ホームページ", "サイトURL", "Webサイト", "サイト", "企業URL", "会社URL", "网站", "網站", "网址", "官网", "公司网址", "公司網址", "公司网站", "公司官网", "웹사이트", "홈페이지", "도메인"],
  companySize: ["従業員数", "従業員", "従業員規模", "社員数", "人数", "人數", "规模", "規模", "公司规模", "公司規模", "企业规模", "员工人数", "員工人數", "员工数", "직원수", "종업원수", "임직원수", "사원수"],
  companyLocation: ["本社所在地", "本社", "本社住所", "公司地址", "公司所在地", "总部", "總部", "본사", "본사 소재지"],
  // Not in dollars in these languages, and a plain number does not name its currency.
  revenueNamed: [
    ...["売上高", "売上", "年商", "年間売上", "年間売上高", "营业额", "營業額", "年营业额", "年營業額", "营业收入", "營業收入"],
    ...["年收入", "매출", "매출액", "연매출", "연매출액"],
  ],
}; // prettier-ignore

const targetByName = new Map<string, ProspectTarget>([
  ...Object.entries(eastAsianNames).flatMap(([target, names]) => namesOf(target, names)),
  ...prospectTargetNames.flatMap((target) => namesOf(target, [target, ...generalHeaders(target)])),
  ...Object.entries(vendorHeaders).flatMap(([target, names]) => namesOf(target, names.split(","))),
]);
const knownTarget = (name: string): ProspectTarget | undefined => targetByName.get(name);
const namesOfGiven = new Set(givenBesideFamily.map(normalized));

/** Names that leads have for the same field. */
function generalHeaders(target: ProspectTarget): readonly string[] {
  if (!Object.hasOwn(personHeaders, target) || target === "ignore") return [];
  return personHeaders[target as keyof typeof personHeaders].filter((name) => !ambiguousHeaders.has(name));
}

function namesOf(target: string, names: readonly string[]): (readonly [string, ProspectTarget])[] {
  return names.map((name) => [normalized(name), target as ProspectTarget]);
}

/** Header names that are suggested when a file has no recognized ones. */
export const understoodProspectHeaders = [
  "First Name", "Last Name", "Email", "LinkedIn URL", "Title", "Company", "Website", "Industry", "# Employees",
  "Annual Revenue", "Company Location", "Technologies",
]; // prettier-ignore

/** Type of a profile URL, by its path: `/in/ada`, `/company/engines`. Null for other text. */
export function profileOwner(text: string): "person" | "company" | null {
  if (profileOfPerson.test(text)) return "person";
  return profileOfCompany.test(text) ? "company" : null;
}

const profile = (paths: string) => new RegExp(`^\\s*(https?://)?[^\\s/?#@]+\\.[^\\s/?#@]+/(${paths})/[^/?#]`, "i");
const profileOfPerson = profile("in|pub");
const profileOfCompany = profile("company|school|showcase");

/**
 * The target of each column. `overrides` (header to target) take precedence. Unrecognized columns are ignored, except
 * for profile columns with a meaningless name in a list of people, such as LinkedIn's "URL". A street is ignored next
 * to a city. `ofPeople`: columns whose values are profiles of people.
 */
export function prospectTargets(
  headers: readonly string[],
  overrides: ReadonlyMap<string, ProspectTarget>,
  ofPeople: readonly number[] = [],
): ProspectTarget[] {
  const columns = headers.map((header) => {
    const name = normalized(header);
    const chosen = overrides.get(name);
    const target = chosen ?? knownTarget(name) ?? nestedTarget(header, knownTarget) ?? "ignore";
    return { name, target, isChosen: chosen !== undefined };
  });
  const has = (target: ProspectTarget): boolean => columns.some((column) => column.target === target);
  const lacksProfiles = !has("networkUrl") && columns.some(({ target }) => personTargets.has(target));
  const profiles = lacksProfiles && columns.find((column, at) => isFree(column) && ofPeople.includes(at));
  if (profiles) profiles.target = "networkUrl";
  // East Asian lists call a company's website "URL"; elsewhere it may be anything.
  const site = has("company") && !has("domain") && columns.some(({ name }) => ofOtherScript.test(name));
  const url =
    site && columns.findIndex((column, at) => column.name === "url" && isFree(column) && !ofPeople.includes(at));
  if (url !== false && url !== -1) columns[url]!.target = "domain";
  if (has("companyCity") || has("companyState") || has("companyCountry"))
    for (const column of columns) if (column.name === streetName && !column.isChosen) column.target = "ignore";
  const isOfPeople =
    ofPeople.some((column) => columns[column]?.target === "networkUrl") ||
    columns.some(({ name, target, isChosen }) => isOfPerson(target, name, isChosen, has("company")));
  if (isOfPeople) {
    // "Name" next to only a first name is the last name.
    const isLast = has("firstName") && !has("lastName");
    // "이름" next to only a last name is the first name.
    const isFirst = has("lastName") && !has("firstName");
    return columns.map(({ name, target, isChosen }) => {
      if (target !== "fullName" || isChosen) return target;
      if (isLast) return "lastName";
      return isFirst && namesOfGiven.has(name) ? "firstName" : target;
    });
  }
  // In a file of companies, person columns belong to the company, unless overridden.
  return columns.map(({ target, isChosen }) => (isChosen ? target : (companyMeanings[target] ?? target)));
}

const ofOtherScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** A single address column is the company's location; next to a city column it is only the street. */
const streetName = normalized("Company Address");

function isFree({ target, isChosen }: { target: ProspectTarget; isChosen: boolean }): boolean {
  return target === "ignore" && !isChosen;
}

/** Maximum number of reported headers per file. */
export const maxIgnoredColumns = 20;

/** Adds headers that are ignored without having been chosen to be. */
export function noteIgnored(
  ignored: Set<string>,
  headers: readonly string[],
  targets: readonly ProspectTarget[],
  overrides: ReadonlyMap<string, ProspectTarget>,
): void {
  for (const [at, header] of headers.entries()) {
    if (ignored.size === maxIgnoredColumns) return;
    const shown = singleLine(header).slice(0, shownHeaderLength);
    if (shown !== "" && targets[at] === "ignore" && !overrides.has(normalized(header))) ignored.add(shown);
  }
}

const shownHeaderLength = 60;

/**
 * Whether a column occurs only in files of people. "Name", "이름", and "LinkedIn URL" may be a company's if it has no
 * other name.
 */
function isOfPerson(target: ProspectTarget, name: string, isChosen: boolean, besideCompany: boolean): boolean {
  if (target === "fullName") return isChosen || besideCompany || !(name === "name" || namesOfGiven.has(name));
  return personTargets.has(target) || (target === "networkUrl" && isChosen);
}

const personTargets: ReadonlySet<ProspectTarget> = new Set(["firstName", "lastName", "email", "title", "seniority"]);
const companyMeanings: Partial<Record<ProspectTarget, ProspectTarget>> = {
  fullName: "company",
  networkUrl: "companyNetworkUrl",
  phone: "companyPhone",
  location: "companyLocation",
  city: "companyCity",
  state: "companyState",
  country: "companyCountry",
};

/** Whether rows with these targets can identify a person or a company. */
export function tellsApart(targets: readonly ProspectTarget[]): boolean {
  const has = (target: ProspectTarget): boolean => targets.includes(target);
  const hasName = has("fullName") || (has("firstName") && has("lastName"));
  const isOfPeople = hasName || targets.some((target) => personTargets.has(target));
  if (!isOfPeople && (has("company") || has("domain"))) return true;
  return has("email") || has("networkUrl") || (hasName && has("company"));
}

/** Parses a target name; null if unknown. */
export function prospectTarget(text: string): ProspectTarget | null {
  return (prospectTargetNames as readonly string[]).includes(text) ? (text as ProspectTarget) : null;
}
