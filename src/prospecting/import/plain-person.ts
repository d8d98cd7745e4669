import { domainOfEmail, isFreeMail } from "../../enrichment/email-domain.ts";
import { splitFullName } from "../../leads/import/full-name.ts";
import { canonicalProfileUrl } from "../../network/profile-url.ts";
import { companyDomainKey, emailKey, nameKey, networkKey } from "../keys.ts";
import { prospectTextLimits, type RevenueRange } from "../model.ts";
import { remembered } from "../remembered.ts";
import { cellOf, noPart, revenuePart, technologiesPart, type Cell, type Cells, type Part } from "./cells.ts";
import { confidenceIn, place, type ReadProspect } from "./row-values.ts";

/** The person that the cells tell of, exactly as `checkedProspect` would; null when that has to look at them. */
export function plainPerson(
  cells: Cells,
  technologies: string[] | null,
  revenue: RevenueRange | null,
): ReadProspect | null {
  const email = cells.email?.text;
  const networkUrl = cells.networkUrl?.text;
  if (email !== undefined && !isPlainEmail(email)) return null;
  if (networkUrl !== undefined && !isPlainUrl(networkUrl)) return null;
  const { firstName, lastName } = namePartsOf(cells);
  const company = partOf(cells.company);
  const title = partOf(cells.title);
  const domain = partOf(cells.domain);
  const seniority = partOf(cells.seniority);
  const department = partOf(cells.department);
  if (firstName === null || lastName === null || company === null || title === null || domain === null) return null;
  if (seniority === null || department === null) return null;
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

  const phone = partOf(cells.phone);
  const industry = partOf(cells.industry);
  const location = partOf(placeOf(cells));
  const companyLocation = partOf(companyPlaceOf(cells));
  const size = partOf(cells.companySize);
  const source = partOf(cells.source);
  if (phone === null || industry === null || location === null) return null;
  if (companyLocation === null || size === null || source === null) return null;
  const tools = technologies === null ? partOf(cells.technologies)! : technologiesPart(technologies);
  const amount = revenue === null ? partOf(cells.revenue)! : revenuePart(revenue);

  // In the order in which an object would have been made: what the title implies first, then the fields.
  const implied = title.implied ?? nothingImplied;
  const level = seniority === noPart ? implied.seniority : seniority;
  const team = department === noPart ? implied.department : department;
  const isLevelFirst = implied.seniority !== noPart;
  const isTeamFirst = implied.department !== noPart;
  const content = ["{", isLevelFirst ? level.json : "", isTeamFirst ? team.json : "", firstName.json, lastName.json];
  if (email !== undefined) content.push('"email":"', email, '",');
  content.push(phone.json);
  if (networkUrl !== undefined) content.push('"networkUrl":"', networkUrl, '",');
  content.push(title.json, isLevelFirst ? "" : level.json, isTeamFirst ? "" : team.json, company.json, domain.json);
  content.push(industry.json, location.json, companyLocation.json, size.json, source.json, tools.json, amount.json);
  let percent: number;
  if (cells.confidence === undefined || (percent = percentIn(cells.confidence.text)) === -1)
    percent =
      (hasNames ? 10 : 0) +
      (email === undefined ? 0 : 40) +
      (networkUrl === undefined ? 0 : 10) +
      (title === noPart ? 0 : 10) +
      (company === noPart ? 0 : 10) +
      (industry === noPart ? 0 : 5) +
      (size === noPart ? 0 : 5) +
      (phone === noPart ? 0 : 4) +
      (location === noPart ? 0 : 3) +
      (tools === noPart ? 0 : 3);
  const place = companyLocation === noPart ? location : companyLocation;
  const raws = [amount.numbers(percent)];
  for (const part of [industry, size, place, title, level, team, tools])
    for (let at = 0; at < part.raws.length; at++) raws.push(part.raws[at]!);
  content.push(confidences[percent]!);
  return { kind: "person", content, keys, raws };
}

const confidences = Array.from({ length: 101 }, (_, percent) => `"confidence":${percent / 100}}`);
const nothingImplied = { seniority: noPart, department: noPart };

function partOf(cell: Cell | undefined): Part | null {
  return cell === undefined ? noPart : cell.part;
}

function namePartsOf(cells: Cells): { firstName: Part | null; lastName: Part | null } {
  const { fullName, firstName, lastName } = cells;
  if (fullName === undefined || firstName !== undefined)
    return { firstName: partOf(firstName), lastName: partOf(lastName) };
  const names = splitFullName(fullName.text);
  return {
    firstName: partOf(names.firstName ? cellOf("firstName", names.firstName) : undefined),
    lastName: partOf(names.lastName ? cellOf("lastName", names.lastName) : lastName),
  };
}

function placeOf({ location, city, state, country }: Cells): Cell | undefined {
  return location ?? joined("location", city, state, country);
}

function companyPlaceOf({ companyLocation, companyCity, companyState, companyCountry }: Cells): Cell | undefined {
  return companyLocation ?? joined("companyLocation", companyCity, companyState, companyCountry);
}

function joined(target: "location" | "companyLocation", ...parts: (Cell | undefined)[]): Cell | undefined {
  if (parts.every((cell) => cell === undefined)) return undefined;
  const text = place(...parts.map((cell) => cell?.text));
  return text === undefined ? undefined : cellOf(target, text);
}

/** -1 when it says nothing. */
function percentIn(text: string): number {
  const confidence = confidenceIn(text);
  return confidence === undefined ? -1 : Math.round(confidence * 100);
}

const businessDomain = remembered((text) => {
  const domain = domainOfEmail(`x@${text}`);
  return { key: domain === null || isFreeMail(domain) ? 0 : companyDomainKey(domain) };
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
