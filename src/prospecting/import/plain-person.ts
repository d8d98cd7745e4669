import { domainOfEmail, isFreeMail } from "../../enrichment/email-domain.ts";
import { regularNamePart } from "../../leads/identity.ts";
import { canonicalProfileUrl } from "../../network/profile-url.ts";
import { cleanText, cleanTechnology } from "../content.ts";
import { impliedByTitle } from "../facets/terms.ts";
import { companyDomainKey, companyNameKey, emailKey, nameKey, networkKey } from "../keys.ts";
import { maxTechnologies, prospectTextFields, prospectTextLimits } from "../model.ts";
import type { ProspectTextField, RevenueRange } from "../model.ts";
import { remembered } from "../remembered.ts";
import { companyPlaceOf, confidenceIn, namesIn, namesOf, placeOf, revenueOf } from "./row-values.ts";
import type { ReadProspect, Values } from "./row-values.ts";

/**
 * A value in the form in which it is stored. Most values of a file come again and again, so what is made of them is
 * remembered, and a row is put together of such parts: a third of the time that it takes to check the row as a whole.
 */
type Part = {
  /** `"field":"value",`; "" when there is nothing to store. */
  json: string;
  /** Of a name or company, as it stands in the key of a name. */
  regular: string;
  /** Hash of a company or domain. */
  key: number;
  /** What a title says of level and department: JSON as above. */
  implied: { seniority: string; department: string } | null;
};

/** The person that the values tell of, exactly as `checkedProspect` would; null when that has to look at them. */
export function plainPerson(
  values: Values,
  technologies: string[] | null,
  revenue: RevenueRange | null,
): ReadProspect | null {
  const { email, networkUrl, title } = values;
  if (email !== undefined && !isPlainEmail(email)) return null;
  if (networkUrl !== undefined && !isPlainUrl(networkUrl)) return null;
  const names = namesOf(values);
  const firstName = names.firstName ? partOf("firstName", names.firstName) : noPart;
  const lastName = partOf("lastName", names.lastName || values.lastName);
  const company = partOf("company", values.company);
  const titlePart = partOf("title", title);
  const domain = partOf("domain", values.domain);
  if (firstName === null || lastName === null || company === null || titlePart === null || domain === null) return null;
  const keys: number[] = [];
  if (email !== undefined) keys.push(emailKey(email.toLowerCase()));
  if (networkUrl !== undefined) {
    const network = canonicalProfileUrl(networkUrl);
    if (network === null) return null;
    keys.push(networkKey(network));
  }
  const hasNames = firstName.json !== "" && lastName.json !== "";
  if (hasNames && company.json !== "")
    keys.push(nameKey(`${firstName.regular}\n${lastName.regular}\n${company.regular}`));
  if (keys.length === 0) return null;
  if (company.json !== "") keys.push(company.key);
  if (domain.json !== "") keys.push(domain.key);
  else if (email !== undefined) {
    const { key } = businessDomain(email.slice(email.lastIndexOf("@") + 1));
    if (key !== 0) keys.push(key);
  }

  // In the order in which an object would have been made: what the title implies first, then the fields.
  const seniority = partOf("seniority", values.seniority);
  const department = partOf("department", values.department);
  if (seniority === null || department === null) return null;
  const implied = titlePart.implied ?? nothingImplied;
  const begins = [implied.seniority && (seniority.json || implied.seniority), implied.department && (department.json || implied.department)]; // prettier-ignore
  let json = `{${begins.join("")}`;
  let points = hasNames ? 10 : 0;
  for (const field of prospectTextFields) {
    let part: string;
    switch (field) {
      case "firstName":
        part = firstName.json;
        break;
      case "lastName":
        part = lastName.json;
        break;
      case "email":
        part = email === undefined ? "" : `"email":"${email}",`;
        break;
      case "networkUrl":
        part = networkUrl === undefined ? "" : `"networkUrl":"${networkUrl}",`;
        break;
      case "title":
        part = titlePart.json;
        break;
      case "company":
        part = company.json;
        break;
      case "domain":
        part = domain.json;
        break;
      case "seniority":
        part = implied.seniority === "" ? seniority.json : "";
        break;
      case "department":
        part = implied.department === "" ? department.json : "";
        break;
      default: {
        const found = partOf(field, rawOf(field, values));
        if (found === null) return null;
        part = found.json;
      }
    }
    if (part === "") continue;
    json += part;
    points += pointsOf[field] ?? 0;
  }
  const tools = technologiesIn(technologies ?? (values.technologies === undefined ? [] : namesIn(values.technologies)));
  if (tools !== "") {
    json += `"technologies":[${tools}],`;
    points += 3;
  }
  const range = revenue ?? (values.revenue === undefined ? null : revenueOf(values.revenue));
  if (range !== null) json += `"revenue":{"min":${range.min},"max":${range.max}},`;
  const told = values.confidence === undefined ? undefined : confidenceIn(values.confidence);
  const percent = told === undefined ? points : Math.round(told * 100);
  return { kind: "person", content: `${json}"confidence":${percent / 100}}`, keys };
}

/** In hundredths, as `prospectContent` counts; names and technologies are counted apart. */
const pointsOf: { [F in ProspectTextField]?: number } = {
  email: 40,
  title: 10,
  networkUrl: 10,
  company: 10,
  industry: 5,
  companySize: 5,
  phone: 4,
  location: 3,
};

function rawOf(field: ProspectTextField, values: Values): string | undefined {
  if (field === "location") return placeOf(values);
  return field === "companyLocation" ? companyPlaceOf(values) : values[field];
}

const noPart: Part = { json: "", regular: "", key: 0, implied: null };
const nothingImplied = { seniority: "", department: "" };

/** Null when the value is refused. */
function partOf(field: ProspectTextField, raw: string | undefined): Part | null {
  return raw === undefined || raw === "" ? noPart : parts[field](raw);
}

/** Companies are too many: to remember them costs more than to make them anew. */
const rare: ReadonlySet<ProspectTextField> = new Set(["company", "domain", "phone"]);
const parts = Object.fromEntries(
  prospectTextFields.map((field) => {
    const make = (raw: string) => makePart(field, raw);
    return [field, rare.has(field) ? make : remembered(make)];
  }),
) as Record<ProspectTextField, (raw: string) => Part | null>;

function makePart(field: ProspectTextField, raw: string): Part | null {
  const text = cleanText(field, raw);
  if (!text) return noPart;
  if (text.length > prospectTextLimits[field]) return null;
  const json = jsonOf(field, text);
  if (field === "title") {
    const { seniority, department } = impliedByTitle(text);
    const implied = {
      seniority: seniority === undefined ? "" : jsonOf("seniority", seniority),
      department: department === undefined ? "" : jsonOf("department", department),
    };
    return { ...noPart, json, implied };
  }
  if (field === "domain") return { ...noPart, json, key: companyDomainKey(text) };
  if (field === "company") return { ...noPart, json, regular: regularNamePart(text), key: companyNameKey(text) };
  return { ...noPart, json, regular: regularNamePart(text) };
}

function jsonOf(field: ProspectTextField, text: string): string {
  return `"${field}":${JSON.stringify(text)},`;
}

const businessDomain = remembered((text) => {
  const domain = domainOfEmail(`x@${text}`);
  return { key: domain === null || isFreeMail(domain) ? 0 : companyDomainKey(domain) };
});

/** JSON of each without the brackets around. */
function technologiesIn(names: readonly string[]): string {
  let json = "";
  const known: string[] = [];
  for (const name of names) {
    const quoted = quotedTechnology(name);
    if (quoted === "" || known.length >= maxTechnologies || known.includes(quoted)) continue;
    known.push(quoted);
    json = json === "" ? quoted : `${json},${quoted}`;
  }
  return json;
}

const quotedTechnology = remembered((name) => {
  const clean = cleanTechnology(name);
  return clean === null ? "" : JSON.stringify(clean);
});

/** An address that needs neither cleaning nor escapes. */
function isPlainEmail(text: string): boolean {
  return text.length <= prospectTextLimits.email && plainEmail.test(text);
}

function isPlainUrl(text: string): boolean {
  return text.length <= prospectTextLimits.networkUrl && plainUrl.test(text);
}

const plainEmail = /^[\w.+%'-]+@([a-z0-9-]+\.)+[a-z0-9-]+$/i;
/** Printable ASCII without a space, a quote or a backslash. */
const plainUrl = /^[!#-[\]-~]+$/;
