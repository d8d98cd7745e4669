import type { FieldError } from "../../errors.ts";
import { splitFullName } from "../../leads/import/full-name.ts";
import { companyContent, prospectContent, type ProspectDraft } from "../content.ts";
import { revenueRange } from "../facets/ranges.ts";
import { prospectKeys } from "../keys.ts";
import type { RevenueRange } from "../model.ts";
import { remembered } from "../remembered.ts";
import type { ProspectTarget } from "./prospect-columns.ts";

type Values = Partial<Record<ProspectTarget, string>>;
/** A row as it is stored: JSON of its content and the hashes that it is found by, or what is wrong with it. */
export type ReadProspect = { kind: "person" | "company"; content: string; keys: number[] } | { errors: FieldError[] };

const noKeys: number[] = [];
const revenueOf = remembered(revenueRange);

/**
 * The person or company that the values of a row tell of; takes the values over. A row with nothing of a person in it is a company's.
 * `technologies` is a list when the file has it as one.
 */
export function readProspect(
  values: Values,
  technologies: string[] | null,
  revenue: RevenueRange | null,
): ReadProspect {
  const { fullName, firstName, lastName, email, networkUrl, title } = values;
  const names = fullName === undefined || firstName !== undefined ? { firstName, lastName } : splitFullName(fullName);
  const isPerson = names.firstName || names.lastName || email || networkUrl || title;
  const confidence = values.confidence === undefined ? undefined : confidenceIn(values.confidence);
  const known = revenue ?? (values.revenue === undefined ? null : revenueOf(values.revenue));
  const tools = technologies ?? (values.technologies === undefined ? null : namesIn(values.technologies));
  // What the values are of is the same in both, but for those that are set or taken out here.
  const shared = values as ProspectDraft;
  delete shared.confidence;
  delete shared.revenue;
  delete shared.technologies;
  if (known !== null) shared.revenue = known;
  if (tools !== null) shared.technologies = tools;
  const companyLocation =
    values.companyLocation ?? place(values.companyCity, values.companyState, values.companyCountry);
  if (companyLocation !== undefined) shared.companyLocation = companyLocation;
  if (!isPerson) return readCompany(shared, values);
  if (names.firstName) shared.firstName = names.firstName;
  if (names.lastName) shared.lastName = names.lastName;
  if (confidence !== undefined) shared.confidence = confidence;
  const location = values.location ?? place(values.city, values.state, values.country);
  if (location !== undefined) shared.location = location;
  const checked = prospectContent(shared);
  if ("errors" in checked) return checked;
  return { kind: "person", content: JSON.stringify(checked.content), keys: prospectKeys(checked.identity) };
}

function readCompany(
  shared: ProspectDraft,
  { companyPhone, companyNetworkUrl, description, founded }: Values,
): ReadProspect {
  const checked = companyContent({
    ...shared,
    ...(companyPhone !== undefined && { phone: companyPhone }),
    ...(companyNetworkUrl !== undefined && { networkUrl: companyNetworkUrl }),
    ...(description !== undefined && { description }),
    ...(founded !== undefined && { founded }),
  });
  if ("errors" in checked) return checked;
  return { kind: "company", content: JSON.stringify(checked.content), keys: noKeys };
}

function place(...parts: (string | undefined)[]): string | undefined {
  return parts.filter((part) => part !== undefined && part !== "").join(", ") || undefined;
}

/** 0.8, 80 and 80 % are the same; what is no number says nothing. */
function confidenceIn(text: string): number | undefined {
  const number = Number.parseFloat(text.replace(",", "."));
  if (!(number >= 0 && number <= 100)) return undefined;
  return number > 1 || text.includes("%") ? number / 100 : number;
}

/** Names in one text: a JSON list, or parted by semicolons, bars, or commas. */
function namesIn(text: string): string[] {
  if (text.startsWith("["))
    try {
      const list = JSON.parse(text) as unknown;
      if (Array.isArray(list)) return list.filter((name) => typeof name === "string");
    } catch {
      // Not JSON after all.
    }
  const separator = text.includes(";") ? ";" : text.includes("|") ? "|" : ",";
  return text.split(separator);
}
