import { Type, type Static } from "@sinclair/typebox";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Maximum length of each text field, in characters. */
export const prospectTextLimits = {
  firstName: 200,
  lastName: 200,
  email: 254, // RFC 5321: the longest deliverable address
  phone: 50,
  networkUrl: 500,
  title: 300,
  seniority: 100,
  department: 200,
  company: 300,
  domain: 253, // RFC 1035, section 2.3.4
  industry: 200,
  location: 300,
  companyLocation: 300,
  companySize: 40,
  source: 200,
} as const;
export type ProspectTextField = keyof typeof prospectTextLimits;
export const prospectTextFields = Object.keys(prospectTextLimits) as ProspectTextField[];

export const maxTechnologies = 200;
export const maxTechnologyLength = 100;
/** More job changes than are likely during the use of a list. */
export const maxFormerEmails = 8;

/**
 * Annual revenue in US dollars (other currencies are converted by `inCurrency`): at least `min` and below `max`; null =
 * no upper bound.
 */
export type RevenueRange = { min: number; max: number | null };

/** Known data about a prospect; unknown fields are absent. An empty `lastName` means that the person has none. */
export type ProspectContent = { [F in ProspectTextField]?: string } & {
  revenue?: RevenueRange;
  technologies?: string[];
  /**
   * Addresses at former companies, lowercase, most recent last. They are neither returned nor charged, and only serve
   * to recognize the person in older lists.
   */
  formerEmails?: string[];
  /** Known only from a vendor. A person whom the workspace has imported is its own, and free in searches. */
  isFromVendor?: true;
  /** Confidence in the record, from 0 to 1. */
  confidence: number;
};

/** A prospect of a user's directory. */
export type Prospect = ProspectContent & {
  id: string;
  workspaceId: WorkspaceId;
  /** The lead created from this prospect. */
  leadId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** Data about a company in a file, apart from its people. */
export type CompanyContent = Pick<
  ProspectContent,
  "company" | "domain" | "industry" | "companyLocation" | "companySize" | "revenue" | "technologies" | "phone"
> & { networkUrl?: string; description?: string; founded?: string };

/** Facets with value counts. Filters use the listed values or, for revenue, their bounds. */
export const facetNames = [
  "industry",
  "size",
  "location",
  "revenue",
  "title",
  "seniority",
  "department",
  "technology",
] as const;
export type FacetName = (typeof facetNames)[number];

/** Sources of a search: the user's own directory, or a live source. */
export const prospectSources = ["directory", "apollo", "pdl", "fullenrich"] as const;
export type ProspectSourceName = (typeof prospectSources)[number];

/** Maximum number of values per filter list: the limit of Apollo, and more than a user can select. */
export const maxFilterValues = 1000;

const values = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: maxFilterValues, description }));
const amount = (description: string) =>
  Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description }));

const revenueEnds = {
  min: amount("Minimum revenue in US dollars per year."),
  max: amount("Maximum revenue in US dollars per year. null for no upper bound."),
};

/** `additionalProperties`: whether unknown names are accepted. */
function filterGroups(options: { additionalProperties: boolean }) {
  return {
    company: Type.Optional(
      Type.Object(
        {
          industry: values("Industries to match."),
          size: values("Company sizes to match: ranges of employees, such as 11-50 or 10001+, or a number."),
          location: values(
            "Locations to match: city, state, country, or metropolitan area, by name or code (California, CA, Germany, DEU, " +
              "Greater London), or several separated by commas, which must all match (Austin, TX). Includes everything within the location.",
          ),
          revenue: Type.Optional(
            Type.Object(revenueEnds, {
              ...options,
              description:
                "Matches every revenue range that overlaps with this one. Amounts imported in other currencies are converted with rounded rates of 2025.",
            }),
          ),
        },
        options,
      ),
    ),
    person: Type.Optional(
      Type.Object(
        {
          title: values(
            "Job titles to match. All words must occur in the title; abbreviations such as VP match their full form.",
          ),
          seniority: values("Seniority levels to match, such as VP, director, or c_suite."),
          department: values("Departments to match, such as sales or engineering."),
        },
        options,
      ),
    ),
    technology: Type.Optional(
      Type.Object(
        {
          using: values("Technologies of which the company uses at least one."),
          usingAll: values("Technologies that the company uses, all of them."),
          notUsing: values("Technologies that the company is not known to use."),
        },
        options,
      ),
    ),
  };
}

/** Used where credits are charged: a misspelled filter name must not match, and charge for, everyone. */
export const onlyKnown = { additionalProperties: false };

export const SearchFilters = Type.Object(filterGroups(onlyKnown), {
  ...onlyKnown,
  $id: "ProspectFilters",
  description: "A prospect must match at least one value of every non-empty list. Unknown filter names are rejected.",
  examples: [
    {
      company: { industry: ["Software"], size: ["51-200", "201-500"], revenue: { min: 1_000_000, max: null } },
      person: { title: ["VP Sales", "CRO"], seniority: ["VP", "C-Level"] },
      technology: { using: ["Salesforce"], notUsing: ["HubSpot"] },
    },
  ],
});
export type SearchFilters = Static<typeof SearchFilters>;

export const maxSearchLimit = 100;
export const defaultSearchLimit = 25;
/** Prospects of a user are numbered with 32 bits, so larger offsets are meaningless. */
const maxOffset = 2 ** 32;

export const PageInput = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSearchLimit, default: defaultSearchLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOffset, default: 0 })),
  dryRun: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Return only the number of matches and the cost of the page, without prospects or charges. Live sources are not queried, because they charge for a count as much as for a page; `total` is then null.",
    }),
  ),
};
const Source = Type.Union(
  prospectSources.map((source) => Type.Literal(source)),
  {
    default: "directory",
    description:
      "Source to search: your own directory or a live source. Results of live sources are stored in your directory.",
  },
);

export const SearchInput = Type.Object(
  {
    filters: Type.Optional(SearchFilters),
    source: Type.Optional(Source),
    ...PageInput,
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  onlyKnown,
);
export type SearchInput = Static<typeof SearchInput>;

const nullable = Type.Union([Type.String(), Type.Null()]);

export const ProspectView = Type.Object(
  {
    id: Type.String(),
    firstName: nullable,
    lastName: nullable,
    email: nullable,
    networkUrl: nullable,
    title: nullable,
    company: nullable,
    industry: nullable,
    location: nullable,
    companySize: Type.Union([Type.String(), Type.Null()], {
      description:
        "Number of employees as a range, such as 11-50 or 1000+. Ranges are kept as imported; a plain number is converted to a standard range.",
    }),
    technologies: Type.Array(Type.String()),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    phone: nullable,
    seniority: nullable,
    department: nullable,
    domain: Type.Union([Type.String(), Type.Null()], { description: "Host name of the company's website." }),
    companyLocation: nullable,
    revenue: Type.Union(
      [Type.Object({ min: Type.Number(), max: Type.Union([Type.Number(), Type.Null()]) }), Type.Null()],
      { description: "Annual revenue in US dollars: at least `min` and below `max`." },
    ),
    source: Type.Union([Type.String(), Type.Null()], { description: "Source of the record." }),
    leadId: Type.Union([Type.String(), Type.Null()], {
      description: "ID of the lead created from this prospect. null if there is none.",
    }),
    updatedAt: Type.String({ format: "date-time", description: "Time the record was last updated." }),
  },
  { $id: "Prospect", description: "A person in your prospect directory." },
);
export type ProspectView = Static<typeof ProspectView>;

export const SavedSearchInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    source: Type.Optional(Source),
    filters: SearchFilters,
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  onlyKnown,
);
export type SavedSearchInput = Static<typeof SavedSearchInput>;
export const SavedSearchUpdate = Type.Partial(SavedSearchInput, onlyKnown);
export type SavedSearchUpdate = Static<typeof SavedSearchUpdate>;

export type SavedSearch = {
  id: string;
  workspaceId: WorkspaceId;
  name: string;
  source: ProspectSourceName;
  filters: SearchFilters;
  createdAt: number;
  updatedAt: number;
};
/** Earlier versions stored unknown names. */
const anyNames = { additionalProperties: true };
const SavedFilters = Type.Object(filterGroups(anyNames), {
  ...anyNames,
  $id: "SavedFilters",
  description:
    "Same as ProspectFilters. Searches saved by an older version may contain misspelled filter names, which must be corrected before the search can run.",
});

export const SavedSearchView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    source: Type.Union(prospectSources.map((source) => Type.Literal(source))),
    filters: SavedFilters,
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "SavedSearch" },
);
export type SavedSearchView = Static<typeof SavedSearchView>;

/** How an import handles a person who is already in the directory. */
export const prospectOnDuplicate = ["update", "skip"] as const;
export type ProspectOnDuplicate = (typeof prospectOnDuplicate)[number];

/** Outcome of a row that did not create a prospect or company. */
export const prospectOutcomes = ["skipped", "updated", "failed"] as const;
export type ProspectOutcome = (typeof prospectOutcomes)[number];
/** Outcomes that an import report can list; `created` only on request. */
export const prospectReportOutcomes = [...prospectOutcomes, "created"] as const;
export type ProspectReportOutcome = (typeof prospectReportOutcomes)[number];
