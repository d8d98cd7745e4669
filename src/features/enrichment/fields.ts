/** Enrichable fields, grouped by the option that enables them. A dot denotes a nested object. */
export const fieldGroups = {
  personal: ["firstName", "lastName", "title", "location", "experience", "skills", "bio"],
  company: [
    "company",
    "companyInfo.name",
    "companyInfo.website",
    "companyInfo.industry",
    "companyInfo.size",
    "companyInfo.description",
    "companyInfo.founded",
    "companyInfo.headquarters",
  ],
  social: ["networkUrl", "socialProfiles.twitter", "socialProfiles.github"],
  contact: ["email", "alternativeEmails", "phone"],
} as const;

export type FieldGroup = keyof typeof fieldGroups;
export type EnrichField = (typeof fieldGroups)[FieldGroup][number];
export const allGroups = Object.keys(fieldGroups) as FieldGroup[];
export const allFields = Object.values(fieldGroups).flat();

const lists: readonly EnrichField[] = ["alternativeEmails", "skills"];
/** Whether a field is a list of strings; all others are single strings. */
export function isList(field: EnrichField): boolean {
  return lists.includes(field);
}

/** Maximum number of items in a list. */
export const maxListItems = 50;
/** Maximum length of text from a provider. */
export const maxTextLength = 4000;

export function fieldsOf(groups: readonly FieldGroup[]): ReadonlySet<EnrichField> {
  return new Set(groups.flatMap((group): readonly EnrichField[] => fieldGroups[group]));
}

/** Weights of the parts of a record in its overall confidence: email, identity, company, and the rest. */
export const recordWeights: readonly { weight: number; fields: readonly EnrichField[] }[] = [
  { weight: 0.4, fields: ["email"] },
  { weight: 0.3, fields: ["firstName", "lastName", "title", "networkUrl"] },
  { weight: 0.2, fields: fieldGroups.company },
  {
    weight: 0.1,
    fields: [
      "alternativeEmails",
      "phone",
      "location",
      "experience",
      "skills",
      "bio",
      "socialProfiles.twitter",
      "socialProfiles.github",
    ],
  },
];
