import { folded } from "../../../platform/identity/names.ts";
import { ownTitle } from "./own-title.ts";
import { sureTitleTerms } from "./title-words.ts";

export const departments = [
  "engineering",
  "it",
  "product",
  "design",
  "data",
  "marketing",
  "sales",
  "business_development",
  "customer_success",
  "support",
  "finance",
  "human_resources",
  "legal",
  "operations",
  "education",
  "health",
  "research",
  "consulting",
  "media",
  "real_estate",
  "public_relations",
  "executive",
] as const;
export type Department = (typeof departments)[number];

/** Department names in exports and vendor data (People Data Labs: job_title_role; Apollo: Departments). */
const otherNames: Partial<Record<Department, string[]>> = {
  engineering: ["engineering technical", "engineering & technical", "software", "software engineering", "technical", "r d", "rd"],
  it: ["information technology", "information systems", "i t"],
  product: ["product management", "product & design"],
  design: ["creative", "ux", "arts and design", "art"],
  data: ["data science", "analytics", "data & analytics", "business intelligence"],
  marketing: ["marketing & communications", "growth", "communications"],
  sales: ["master sales", "inside sales", "revenue"],
  business_development: ["business development", "bizdev", "partnerships"],
  customer_success: ["customer success", "account management", "customer service"],
  support: ["customer support", "technical support", "help desk"],
  finance: ["accounting", "finance & accounting", "finance and accounting"],
  human_resources: ["human resources", "hr", "people", "talent", "recruiting", "people operations"],
  legal: ["legal & compliance", "compliance"],
  operations: ["ops", "supply chain", "logistics", "procurement", "purchasing", "manufacturing"],
  education: ["teaching", "training"],
  health: ["medical", "medical health", "medical & health", "healthcare"],
  research: ["research & development", "science", "scientific"],
  consulting: ["consultant", "professional services"],
  media: ["media & communication", "media and communication", "journalism"],
  real_estate: ["real estate"],
  public_relations: ["public relations", "pr"],
  executive: ["c suite", "c level", "management", "general management"],
}; // prettier-ignore
let byName: ReadonlyMap<string, Department> | null = null;

function departmentsByName(): ReadonlyMap<string, Department> {
  return new Map(
    departments.flatMap((department) =>
      [department, ...(otherNames[department] ?? [])].map((name) => [folded(name), department] as const),
    ),
  );
}

/** The department named by the text, or null if unknown. */
export function departmentNamed(text: string): Department | null {
  return (byName ??= departmentsByName()).get(folded(text)) ?? null;
}

/** Patterns for words of a title; the first match wins. */
const signs: [RegExp, Department][] = [
  [/^(hr|chro|recruiter|recruiting|talent|people|human)$/, "human_resources"],
  [/^(cmo|marketing|growth|brand|seo|content|communications)$/, "marketing"],
  [/^(pr)$/, "public_relations"],
  [/^(bizdev|bdr|bdm|partnerships)$/, "business_development"],
  [/^(sales|cro|ae|sdr|revenue|account|vertrieb)$/, "sales"],
  [/^(csm|success)$/, "customer_success"],
  [/^(support|helpdesk)$/, "support"],
  [/^(cpo|product)$/, "product"],
  [/^(designer|design|ux|ui|creative)$/, "design"],
  [/^(data|analytics|analyst|cdo)$/, "data"],
  [/^(cio|ciso|it|infrastructure|sysadmin|network|security)$/, "it"],
  [
    /^(cto|eng|engineer|engineering|developer|software|architect|devops|swe|sre|technical|programmer|qa)$/,
    "engineering",
  ],
  [/^(cfo|finance|financial|accountant|accounting|controller|treasurer|buchhaltung)$/, "finance"],
  [/^(legal|counsel|lawyer|attorney|clo|compliance)$/, "legal"],
  [/^(coo|operations|logistics|supply|procurement|buyer|purchasing|warehouse|plant)$/, "operations"],
  [/^(teacher|professor|lecturer|education)$/, "education"],
  [/^(physician|nurse|medical|doctor|clinical)$/, "health"],
  [/^(research|researcher|scientist|rd)$/, "research"],
  [/^(consultant|consulting|advisor)$/, "consulting"],
];
const executives = /^(ceo|founder|cofounder|owner|president|md|gm|chairman)$/;

/** The department implied by a title, or null. */
export function departmentOfTitle(title: string): Department | null {
  const terms = sureTitleTerms(title);
  for (const [sign, department] of signs) if (terms.some((term) => sign.test(term))) return department;
  // An assistant to the CEO is not an executive.
  return sureTitleTerms(ownTitle(title)).some((term) => executives.test(term)) ? "executive" : null;
}
