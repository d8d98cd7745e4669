import { normalized } from "../../../platform/imports/person-columns.ts";
import type { ProspectTarget } from "./prospect-targets.ts";

/**
 * The target of a nested field with a dotted name, such as "organization.primary_domain" or "data.location.city", for
 * the structures that vendors use. `known` returns the target of a plain header. Null for unknown structures.
 */
export function nestedTarget(header: string, known: Known): ProspectTarget | null {
  if (header.length > maxLength || !header.includes(".")) return null;
  const names = header.split(".").map(normalized);
  while (names.length > 1 && wrappers.has(names[0]!)) names.shift();
  if (names.length > 2 && names[0] === "employment" && names[1] === "current") return ofJob(names.slice(2), known);
  return ofNames(names, names.length < header.split(".").length, known);
}

type Known = (name: string) => ProspectTarget | undefined;

/** FullEnrich: `employment.current.title`, and its `company`. */
function ofJob([first = "", ...rest]: string[], known: Known): ProspectTarget | null {
  return companies.has(first) || titles.has(first) || first === "seniority"
    ? ofNames([first, ...rest], false, known)
    : null;
}

function ofNames(names: readonly string[], isWrapped: boolean, known: Known): ProspectTarget | null {
  if (names.length === 1) return known(names[0]!) ?? null;
  const [first = "", ...rest] = names;
  if (companies.has(first)) {
    if (rest[0] === "locations") rest.shift();
    const isPlace = places.has(rest[0]!) && rest.length > 1;
    return isPlace ? (ofCompanyPlace[rest.slice(1).join("")] ?? null) : (ofCompany.get(rest.join("")) ?? null);
  }
  if (places.has(first)) return ofPlace[rest.join("")] ?? null;
  if (first === "name") return ofName[rest.join("")] ?? null;
  if (titles.has(first)) return ofTitle[rest.join("")] ?? null;
  // "contact.email" is wrapped; "education.title" is not a job title.
  return isWrapped ? (known(names.join("")) ?? null) : null;
}

/** Whether an object with this name wraps the record itself or its current job, rather than a detail. */
export function isWrapper(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, "");
  return wrappers.has(plain) || plain === "employment" || plain === "current";
}

const maxLength = 200;
const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Names of objects that wrap a whole record. */
const wrappers = set(
  "person contact profile lead prospect data attributes properties fields record result people contactinfo mostprobableworkemail",
);
const companies = set("company organization organisation account employer currentcompany currentorganization currentemployer jobcompany business"); // prettier-ignore
const places = set("location address geo place hq headquarters headquarter personlocation currentlocation");
const titles = set("title job jobtitle position currentposition role currentjob");

const ofPlace: Record<string, ProspectTarget> = {
  ...{ name: "location", full: "location", formatted: "location", raw: "location", display: "location" },
  ...{ city: "city", locality: "city", town: "city" },
  ...{ state: "state", region: "state", province: "state", country: "country", countryname: "country" },
};
const companyMeanings: Partial<Record<ProspectTarget, ProspectTarget>> = {
  ...{ location: "companyLocation", city: "companyCity", state: "companyState", country: "companyCountry" },
};
const ofCompanyPlace = Object.fromEntries(
  Object.entries(ofPlace).map(([name, target]) => [name, companyMeanings[target] ?? target]),
);
const ofName: Record<string, ProspectTarget> = {
  ...{ first: "firstName", given: "firstName", firstname: "firstName", givenname: "firstName" },
  ...{ last: "lastName", family: "lastName", lastname: "lastName", familyname: "lastName", surname: "lastName" },
  ...{ full: "fullName", fullname: "fullName", display: "fullName" },
};
const ofTitle: Record<string, ProspectTarget> = {
  ...{ name: "title", title: "title", text: "title" },
  ...{ levels: "seniority", level: "seniority", seniority: "seniority" },
  ...{ role: "department", department: "department", function: "department" },
};

/** Field names of Apollo, People Data Labs, FullEnrich, and others. */
const companyNames: Partial<Record<ProspectTarget, string>> = {
  company: "name displayname companyname legalname",
  domain: "domain website websiteurl primarydomain companydomain companywebsite web homepage",
  industry: "industry industries mainindustry primaryindustry industryname industrymainindustry sector",
  companySize:
    "size employeecount employees estimatednumemployees numemployees headcount employeerange companysize staffcount companyheadcount headcountrange sizerange numberofemployees totalemployees",
  revenue: "annualrevenue revenue annualrevenueprinted organizationrevenue organizationrevenueprinted revenuerange inferredrevenue estimatedrevenue", // prettier-ignore
  companyCity: "city locality",
  companyState: "state region province",
  companyCountry: "country",
  companyLocation: "location rawaddress headquarters hq headquarter locationname address",
  companyNetworkUrl: "linkedinurl linkedin linkedinprofile linkedinprofileurl profileurl networkurl",
  companyPhone: "phone primaryphone sanitizedphone phonenumber primaryphonenumber primaryphonesanitizednumber",
  technologies: "technologies technologynames currenttechnologies technology techstack",
  founded: "foundedyear founded yearfounded",
  description: "shortdescription description about seodescription summary",
};
const ofCompany = new Map(
  Object.entries(companyNames).flatMap(([target, words]) =>
    words.split(" ").map((word) => [word, target as ProspectTarget] as const),
  ),
);
