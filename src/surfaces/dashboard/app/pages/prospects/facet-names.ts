import type { ListFacet } from "./filters.ts";

/** Levels as the directory stores them, highest first, with the names that people know. */
const seniorities: Record<string, string> = {
  owner: "Owner",
  founder: "Founder",
  c_suite: "C-level",
  partner: "Partner",
  vp: "Vice president",
  head: "Head",
  director: "Director",
  manager: "Manager",
  senior: "Senior",
  entry: "Entry level",
  intern: "Intern",
};

const departments: Record<string, string> = { it: "IT", business_development: "Business development" };

/** Offices and roles that the directory stores by their short names. */
const titles: Record<string, string> = {
  ceo: "CEO (chief executive officer)",
  cto: "CTO (chief technology officer)",
  cfo: "CFO (chief financial officer)",
  coo: "COO (chief operating officer)",
  cmo: "CMO (chief marketing officer)",
  cio: "CIO (chief information officer)",
  ciso: "CISO (chief information security officer)",
  cro: "CRO (chief revenue officer)",
  cpo: "CPO (chief product officer)",
  chro: "CHRO (chief human resources officer)",
  cdo: "CDO (chief data officer)",
  cco: "CCO (chief commercial officer)",
  clo: "CLO (chief legal officer)",
  cso: "CSO (chief strategy officer)",
  cao: "CAO (chief administrative officer)",
  evp: "Executive vice president",
  svp: "Senior vice president",
  avp: "Assistant vice president",
  vp: "Vice president",
  md: "Managing director",
  gm: "General manager",
  hr: "Human resources",
  it: "IT",
  qa: "Quality assurance",
  pr: "Public relations",
  rd: "Research and development",
  bizdev: "Business development",
  sdr: "Sales development representative",
  bdr: "Business development representative",
  bdm: "Business development manager",
  ae: "Account executive",
  acct: "Account",
  csm: "Customer success manager",
  swe: "Software engineer",
  revops: "Revenue operations",
  mgr: "Manager",
  eng: "Engineering",
  mktg: "Marketing",
  ops: "Operations",
  sr: "Senior",
  jr: "Junior",
};

/** The name of a value as people know it. The value itself stays what a filter contains. */
export function facetName(facet: ListFacet, value: string): string {
  switch (facet) {
    case "seniority":
      return seniorities[value] ?? capitalized(value);
    case "department":
      return departments[value] ?? capitalized(value.replaceAll("_", " "));
    case "title":
      return titles[value] ?? capitalized(value);
    case "size":
      return value.replace(/\d+/g, (digits) => Number(digits).toLocaleString("en-GB")).replace("-", "–");
    default:
      return value;
  }
}

type Value = { value: string };

/** Ranges by size and levels by rank; other values stay in the order of how frequent they are. */
export function inFacetOrder<V extends Value>(facet: ListFacet, values: readonly V[]): V[] {
  if (facet === "size") return values.toSorted((one, other) => startOf(one) - startOf(other));
  if (facet !== "seniority") return [...values];
  const ranks = Object.keys(seniorities);
  const rank = ({ value }: Value) => (ranks.includes(value) ? ranks.indexOf(value) : ranks.length);
  return values.toSorted((one, other) => rank(one) - rank(other));
}

function startOf({ value }: Value): number {
  return Number(/\d+/.exec(value)?.[0] ?? 0);
}

/** Names that are written in capitals already stay as they are. */
function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
