const columnTargets = [
  "firstName", "lastName", "fullName", "email", "phone", "networkUrl", "title", "seniority", "department",
  "location", "city", "state", "country", "confidence", "likelihood", "source",
  "company", "domain", "industry", "companySize", "revenue", "revenueThousands", "revenueNamed", "technologies", "companyPhone", "companyNetworkUrl",
  "companyLocation", "companyCity", "companyState", "companyCountry", "description", "founded", "ignore",
] as const; // prettier-ignore
/**
 * Target of a column: a field of the prospect or its company; `fullName`, which is split; parts of a place, which are
 * combined if no column has the whole place; `revenueThousands`, a revenue in thousands; `revenueNamed`, a revenue that
 * counts only if it names its currency; `likelihood`, a confidence from 1 to 10; or `ignore`.
 */
export type ProspectTarget = (typeof columnTargets)[number];
export const prospectTargetNames: readonly ProspectTarget[] = columnTargets;
