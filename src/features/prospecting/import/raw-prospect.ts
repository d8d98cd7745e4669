import { companyContent, prospectContent, type ProspectDraft } from "../content.ts";
import { besideNameOf, prospectKeys } from "../keys.ts";
import type { RevenueRange } from "../model.ts";
import { isOneName } from "./one-name.ts";
import {
  companyPlaceOf,
  confidenceOf,
  namesIn,
  namesOf,
  placeOf,
  revenueIn,
  type ReadProspect,
  type Values,
} from "./row-values.ts";

const noKeys: number[] = [];

/**
 * Reads a person or company from the values of a row. A row without personal data is a company. `technologies` is
 * passed if the file has it as a list. `PlainPeople` produces the same result faster for typical rows.
 */
export function checkedProspect(
  values: Values,
  technologies: string[] | null,
  revenue: RevenueRange | null,
): ReadProspect {
  const { email, networkUrl, title } = values;
  const names = namesOf(values);
  const isPerson = names.firstName || names.lastName || email || networkUrl || title;
  const confidence = confidenceOf(values);
  const known = revenue ?? revenueIn(values);
  const tools = technologies ?? (values.technologies === undefined ? null : namesIn(values.technologies));
  // The targets are the same in both cases, except for the values that are set or removed here.
  const shared = values as ProspectDraft;
  delete shared.confidence;
  delete shared.revenue;
  delete shared.technologies;
  if (known !== null) shared.revenue = known;
  if (tools !== null) shared.technologies = tools;
  const companyLocation = companyPlaceOf(values);
  if (companyLocation !== undefined) shared.companyLocation = companyLocation;
  const location = placeOf(values);
  if (location !== undefined) shared.location = location;
  if (!isPerson) return readCompany(shared, values);
  if (names.firstName) shared.firstName = names.firstName;
  if (names.lastName) shared.lastName = names.lastName;
  else if (!shared.lastName && !email && !networkUrl && isOneName(values.fullName, values.company))
    shared.hasOneName = true;
  if (confidence !== undefined) shared.confidence = confidence;
  const checked = prospectContent(shared);
  if ("errors" in checked) return checked;
  const { content, identity } = checked;
  const [keys, beside] = [prospectKeys(identity), besideNameOf(identity)];
  return { kind: "person", content: JSON.stringify(content), keys, beside };
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
  return { kind: "company", content: JSON.stringify(checked.content), keys: noKeys, beside: 0 };
}
