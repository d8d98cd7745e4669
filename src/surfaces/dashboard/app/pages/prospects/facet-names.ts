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

/** The name of a value as people know it. The value itself stays what a filter contains. */
export function facetName(facet: ListFacet, value: string): string {
  switch (facet) {
    case "seniority":
      return seniorities[value] ?? capitalized(value);
    case "department":
      return departments[value] ?? capitalized(value.replaceAll("_", " "));
    case "size":
      return value.replace(/\d+/g, (digits) => Number(digits).toLocaleString("en-GB")).replace("-", "–");
    default:
      return value;
  }
}

/** Names that are written in capitals already stay as they are. */
function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
