import { Type, type Static } from "@sinclair/typebox";

/** Longest text that each field of a prospect takes, in characters. */
export const prospectTextLimits = {
  firstName: 200,
  lastName: 200,
  email: 254, // RFC 5321: the longest address that can be delivered to
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
/** More jobs than somebody changes while a list is in use. */
export const maxFormerEmails = 8;

/** Yearly revenue in US dollars (other currencies by `inCurrency`): at least `min`, below `max`; null = no upper end is known. */
export type RevenueRange = { min: number; max: number | null };

/** What is known of a prospect; what is not is absent. An empty `lastName` is that of somebody who has none. */
export type ProspectContent = { [F in ProspectTextField]?: string } & {
  revenue?: RevenueRange;
  technologies?: string[];
  /**
   * Addresses at companies that the person has left, in lower case, the latest last. Nobody is shown them, or pays for
   * them: they only tell that an older list means the same person.
   */
  formerEmails?: string[];
  /** How far the record is to be trusted, from 0 to 1. */
  confidence: number;
};

/** A prospect of a user's directory. */
export type Prospect = ProspectContent & {
  id: string;
  userId: string;
  /** The lead that was made of it. */
  leadId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** What a file says of a company beside its people. */
export type CompanyContent = Pick<
  ProspectContent,
  "company" | "domain" | "industry" | "companyLocation" | "companySize" | "revenue" | "technologies" | "phone"
> & { networkUrl?: string; description?: string; founded?: string };

/** Facets that values are counted for; a filter takes the values that they list, of revenue their ends. */
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

/** Where a search looks: the user's own directory, or a service outside. */
export const prospectSources = ["directory", "apollo", "pdl", "fullenrich"] as const;
export type ProspectSourceName = (typeof prospectSources)[number];

/** Values in one list of a filter: what Apollo takes, and more than a person can choose. */
export const maxFilterValues = 1000;

const values = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: maxFilterValues, description }));
const amount = (description: string) =>
  Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description }));

const revenueEnds = {
  min: amount("Dollars a year, at least."),
  max: amount("Dollars a year, at most. null = no upper end."),
};

/** `additionalProperties`: whether names are taken that mean nothing. */
function filterGroups(options: { additionalProperties: boolean }) {
  return {
    company: Type.Optional(
      Type.Object(
        {
          industry: values("Industries."),
          size: values("Numbers of employees: ranges such as 11-50 or 10001+, or a number."),
          location: values(
            "Places: a city, state, country or metropolitan area by name or code (California, CA, Germany, DEU, Greater " +
              "London), or several parted by commas, all of which must fit (Austin, TX). Finds what lies in that place.",
          ),
          revenue: Type.Optional(
            Type.Object(revenueEnds, {
              ...options,
              description:
                "Fits every range of revenue that it touches. Amounts that a file has in another currency were turned into dollars by rounded rates of 2025.",
            }),
          ),
        },
        options,
      ),
    ),
    person: Type.Optional(
      Type.Object(
        {
          title: values("Job titles. All words of one must be in the title; VP is Vice President, and so on."),
          seniority: values("Levels, such as VP, director or c_suite."),
          department: values("Departments, such as sales or engineering."),
        },
        options,
      ),
    ),
    technology: Type.Optional(
      Type.Object(
        {
          using: values("The company uses one of these."),
          usingAll: values("The company uses all of these."),
          notUsing: values("It is not known to use any of these."),
        },
        options,
      ),
    ),
  };
}

/** Of what costs credits: a misspelled name must not find, and charge for, everybody. */
export const onlyKnown = { additionalProperties: false };

export const SearchFilters = Type.Object(filterGroups(onlyKnown), {
  ...onlyKnown,
  $id: "ProspectFilters",
  description:
    "A prospect must fit every list that is not empty, by any one of its values. Values that nothing has find nothing; a misspelled name of a filter is refused.",
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
/** Prospects of a user are numbered by 32 bits; no page lies behind that. */
const maxOffset = 2 ** 32;

export const PageInput = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSearchLimit, default: defaultSearchLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOffset, default: 0 })),
  dryRun: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Only count, and tell what the page would cost: no prospects, no credits. A live source is not asked, since to count costs there what a page does: then `total` is null.",
    }),
  ),
};
const Source = Type.Union(
  prospectSources.map((source) => Type.Literal(source)),
  { default: "directory", description: "Your own directory, or a live source. What a live source finds is stored." },
);

export const SearchInput = Type.Object(
  {
    filters: Type.Optional(SearchFilters),
    source: Type.Optional(Source),
    ...PageInput,
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
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
        "Employees, as a range: 11-50, 1000+ and so on. A range keeps its numbers, a plain number becomes the usual range.",
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
      { description: "Dollars a year: at least min, below max." },
    ),
    source: Type.Union([Type.String(), Type.Null()], { description: "Where the record came from." }),
    leadId: Type.Union([Type.String(), Type.Null()], { description: "The lead that was made of it." }),
    updatedAt: Type.String({ format: "date-time", description: "When this was last heard of." }),
  },
  { $id: "Prospect", description: "A person who may become a lead." },
);
export type ProspectView = Static<typeof ProspectView>;

export const SavedSearchInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    source: Type.Optional(Source),
    filters: SearchFilters,
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  onlyKnown,
);
export type SavedSearchInput = Static<typeof SavedSearchInput>;
export const SavedSearchUpdate = Type.Partial(SavedSearchInput, onlyKnown);
export type SavedSearchUpdate = Static<typeof SavedSearchUpdate>;

export type SavedSearch = {
  id: string;
  userId: string;
  name: string;
  source: ProspectSourceName;
  filters: SearchFilters;
  createdAt: number;
  updatedAt: number;
};
/** Earlier versions kept names that mean nothing. */
const anyNames = { additionalProperties: true };
const SavedFilters = Type.Object(filterGroups(anyNames), {
  ...anyNames,
  $id: "SavedFilters",
  description:
    "As ProspectFilters. A search that an older version saved may have misspelled names of filters; it runs once they are put right.",
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

/** What an import does with a row whose person is in the directory already. */
export const prospectOnDuplicate = ["update", "skip"] as const;
export type ProspectOnDuplicate = (typeof prospectOnDuplicate)[number];

/** What became of a row that is no new prospect or company. */
export const prospectOutcomes = ["skipped", "updated", "failed"] as const;
export type ProspectOutcome = (typeof prospectOutcomes)[number];
/** What the report of an import can list; `created` only when it is asked for. */
export const prospectReportOutcomes = [...prospectOutcomes, "created"] as const;
export type ProspectReportOutcome = (typeof prospectReportOutcomes)[number];
