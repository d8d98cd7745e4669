import { Type, type Static } from "@sinclair/typebox";
import type { EnrichField, FieldGroup } from "./fields.ts";

/** The specification recommends at most 50 leads per request; up to this many are enriched directly. */
export const maxDirectLeads = 1000;
/** Deadline of a direct response. Leads that are not done by then fail as retryable. */
export const answerWithinMs = 60_000;
/** Maximum number of leads per request. */
export const maxLeads = 10_000;
/** Days for which a stored result is returned again free of charge. */
export const resultDays = 90;

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()], { description }));

export const LeadToEnrich = Type.Object(
  {
    leadId: text(100, "ID of one of your leads. Replaces the other identifiers."),
    email: text(254, "Email address."),
    networkUrl: text(500, "Profile URL on the professional network."),
    firstName: text(200, "Given name."),
    lastName: text(200, "Family name."),
    company: text(300, "Company the person works for."),
    domain: text(253, "Domain of the company. More reliable than its name."),
    title: text(300, "Job title."),
    location: text(300, "Location of the person."),
    phone: text(50, "Phone number."),
  },
  {
    // Additional properties are returned in `input`.
    additionalProperties: true,
    description:
      "Requires an identifier: `leadId`, `email`, `networkUrl`, or `firstName`, `lastName`, and `company` together. All other fields improve the result. Unknown fields are returned unchanged in `input`.",
  },
);
export type LeadToEnrich = Static<typeof LeadToEnrich>;

const flag = (description: string) => Type.Optional(Type.Boolean({ default: true, description }));

export const EnrichmentOptions = Type.Object(
  {
    includePersonalInfo: flag(
      "Include `firstName`, `lastName`, `title`, `location`, `experience`, `skills`, and `bio`.",
    ),
    includeCompanyInfo: flag("Include `company` and `companyInfo`."),
    includeSocialProfiles: flag("Include `networkUrl` and `socialProfiles`."),
    includeContactInfo: flag("Include `email`, `alternativeEmails`, and `phone`."),
  },
  {
    // As in EnrichInput.
    additionalProperties: false,
    description:
      "Groups of fields to enrich. Providers are not queried for groups that are false. Unknown names are rejected.",
  },
);
export type EnrichmentOptions = Static<typeof EnrichmentOptions>;

export const groupOptions: Record<FieldGroup, keyof EnrichmentOptions> = {
  personal: "includePersonalInfo",
  company: "includeCompanyInfo",
  social: "includeSocialProfiles",
  contact: "includeContactInfo",
};

const ProviderOrder = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
  minItems: 1,
  maxItems: 30,
  description: "Provider names, in the order to query them. Other providers are not queried.",
});

export const EnrichInput = Type.Object(
  {
    leads: Type.Array(LeadToEnrich, { minItems: 1, maxItems: maxLeads }),
    enrichmentOptions: Type.Optional(EnrichmentOptions),
    providers: Type.Optional(ProviderOrder),
    writeBack: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Fill empty fields of the leads referenced by `leadId`. Existing values are never replaced.",
      }),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Query providers again even if there is a result from the last 90 days. Verdicts on email addresses remain valid until a verifier returns a new one.",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Same as the query parameter." })),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  {
    // A misspelled option must not buy data that the client wanted to leave out.
    additionalProperties: false,
    examples: [
      {
        leads: [{ email: "ada@example.com" }, { firstName: "Grace", lastName: "Hopper", company: "Navy" }],
        enrichmentOptions: { includePersonalInfo: true, includeCompanyInfo: true },
      },
    ],
  },
);
export type EnrichInput = Static<typeof EnrichInput>;

const some = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }));

export const EnrichedData = Type.Object(
  {
    firstName: some(),
    lastName: some(),
    email: some(),
    alternativeEmails: Type.Optional(Type.Array(Type.String())),
    phone: some(),
    networkUrl: some(),
    company: some(),
    title: some(),
    location: some(),
    experience: some(),
    skills: Type.Optional(Type.Array(Type.String())),
    bio: some(),
    companyInfo: Type.Optional(
      Type.Object({
        name: some(),
        website: some(),
        industry: some(),
        size: some("Number of employees, often a range."),
        description: some(),
        founded: some(),
        headquarters: some(),
      }),
    ),
    socialProfiles: Type.Optional(Type.Object({ twitter: some(), github: some() })),
  },
  { $id: "EnrichedData", description: "Data that was found. Fields without data are absent." },
);
export type EnrichedData = Static<typeof EnrichedData>;

/** Possible verdicts on an email address. */
export const verdictWords = ["valid", "uncertain", "invalid"] as const;

export const EmailVerification = Type.Object(
  {
    email: Type.String(),
    verdict: Type.Union(
      verdictWords.map((word) => Type.Literal(word)),
      { description: "`uncertain`: the mail server accepts mail for any address or did not give an answer." },
    ),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Confidence that mail to this address is delivered.",
    }),
    provider: Type.String(),
    at: Type.String({ format: "date-time" }),
  },
  {
    $id: "EmailVerification",
    description:
      "Verdict on the email address that you sent or, if you sent none, on the one that was found. If several providers verified it, the most decisive verdict is returned. Retained for 90 days and free of credits. Invalid addresses are never included in `enrichedData`.",
  },
);
export type EmailVerification = Static<typeof EmailVerification>;

const Input = Type.Record(Type.String(), Type.Unknown(), { description: "The lead as sent in the request." });
const byField = "Keyed by field. A dot denotes a nested field, as in `companyInfo.name`.";

export const EnrichmentResult = Type.Object(
  {
    index: Type.Integer({ description: "Index in `leads`, starting at 0." }),
    input: Input,
    enrichedData: EnrichedData,
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    sources: Type.Array(Type.String(), { description: "Providers that contributed data." }),
    fieldConfidence: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), { description: byField }),
    provenance: Type.Record(
      Type.String(),
      Type.Object({ provider: Type.String(), at: Type.String({ format: "date-time" }) }),
      { description: `Source and time of each field. ${byField}` },
    ),
    emailVerification: Type.Optional(EmailVerification),
    creditsUsed: Type.Integer(),
    fromCache: Type.Boolean({
      description: "true if no provider was queried because all data was stored within the last 90 days.",
    }),
    unavailable: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Providers that may have more data but could not be queried. Send the lead again in a few minutes, or next month if a monthly cap is reached (see GET /api/v2/enrich/settings). Only these providers are then queried, at no additional charge for a lead that is already paid for.",
      }),
    ),
    leadId: Type.Optional(Type.String()),
    writtenBack: Type.Optional(Type.Array(Type.String(), { description: "Lead fields that were filled." })),
  },
  { $id: "EnrichmentResult" },
);
export type EnrichmentResult = Static<typeof EnrichmentResult>;

export const failureCodes = [
  "NO_MATCH",
  "NOT_FOUND",
  "PROVIDERS_UNAVAILABLE",
  "DO_NOT_CONTACT",
  "ENRICHMENT_CREDITS_EXHAUSTED",
  "NOT_PROCESSED",
] as const;
export const EnrichmentFailure = Type.Object(
  {
    index: Type.Integer({ description: "Index in `leads`, starting at 0." }),
    input: Input,
    code: Type.Union(failureCodes.map((code) => Type.Literal(code))),
    message: Type.String(),
    retryable: Type.Boolean({ description: "Whether trying again later can succeed." }),
  },
  { $id: "EnrichmentFailure", description: "A lead that could not be enriched. No credits are charged." },
);
export type EnrichmentFailure = Static<typeof EnrichmentFailure>;

export const Estimate = Type.Object(
  {
    leads: Type.Integer(),
    free: Type.Integer({
      description:
        "Number of leads that cost nothing: duplicates within the request, people paid for within the last 90 days, and leads that do not exist.",
    }),
    maxCredits: Type.Integer({ description: "Maximum cost of the request. Leads without new data are free." }),
    isAffordable: Type.Boolean({
      description: "Whether the balance and the budget of this key cover the maximum cost.",
    }),
    mode: Type.Union([Type.Literal("direct"), Type.Literal("job")], {
      description: "`direct`: results are returned in the response. `job`: results are produced by a job.",
    }),
    providers: Type.Array(Type.String(), { description: "Providers that would be queried, in order." }),
  },
  { $id: "EnrichmentEstimate" },
);
export type Estimate = Static<typeof Estimate>;

export const EnrichAnswer = Type.Object({
  enriched: Type.Array(EnrichmentResult),
  failed: Type.Array(EnrichmentFailure),
  creditsUsed: Type.Integer(),
  remainingCredits: Type.Integer(),
  jobId: Type.Optional(
    Type.String({
      description:
        "Job of this enrichment. Its results are available at GET /api/v2/enrich/jobs/{jobId}/results for 90 days.",
    }),
  ),
  estimate: Type.Optional(Estimate),
});
export type EnrichAnswer = Static<typeof EnrichAnswer>;

export const ProviderView = Type.Object(
  {
    name: Type.String(),
    fields: Type.Array(Type.String(), { description: "Fields the provider can return." }),
    state: Type.Union(
      ["ready", "paused", "exhausted"].map((state) => Type.Literal(state as "ready" | "paused" | "exhausted")),
      {
        description:
          "`paused`: the provider failed or is rate limited, until `pausedUntil`. `exhausted`: its monthly spend cap is reached.",
      },
    ),
    pausedUntil: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    creditsUsed: Type.Number({ description: "Credits used this month, in the provider's own credits." }),
    spendCap: Type.Union([Type.Number(), Type.Null()], {
      description: "Monthly spend cap. null if none is configured.",
    }),
  },
  { $id: "EnrichmentProvider" },
);
export type ProviderView = Static<typeof ProviderView>;

/** The person to query a provider about in a test. */
export const ProviderTestInput = Type.Object(
  {
    ...Type.Pick(LeadToEnrich, ["email", "networkUrl", "firstName", "lastName", "company", "domain"]).properties,
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  { description: "A person the provider is expected to know.", examples: [{ email: "ada@example.com" }] },
);
export type ProviderTestInput = Static<typeof ProviderTestInput>;

export const testOutcomes = ["found", "none", "insufficientInput", "paused", "exhausted", "failed", "skipped"] as const;

export const ProviderTest = Type.Object(
  {
    provider: Type.String(),
    outcome: Type.Union(
      testOutcomes.map((outcome) => Type.Literal(outcome)),
      {
        description:
          "`found`, `none`: the provider works. `insufficientInput`: the input is not enough for a lookup. `paused`: the provider is rate limiting requests. `exhausted`: the account has no credits or is not accepted. `failed`: no usable response. `skipped`: not queried because it is paused or its monthly cap is reached.",
      },
    ),
    reason: Type.Union([Type.String(), Type.Null()], {
      description: "Reason for the outcome, in the provider's words if available.",
    }),
    fields: Type.Array(Type.String(), { description: "Fields that were found. Values are not returned." }),
    milliseconds: Type.Integer(),
  },
  { $id: "EnrichmentProviderTest" },
);
export type ProviderTest = Static<typeof ProviderTest>;

export const SettingsView = Type.Object(
  {
    providers: Type.Array(Type.String(), { description: "Order in which your enrichments query providers." }),
    isDefault: Type.Boolean({ description: "true until you set your own order." }),
    available: Type.Array(ProviderView),
  },
  { $id: "EnrichmentSettings" },
);
export type SettingsView = Static<typeof SettingsView>;

export const SettingsInput = Type.Object(
  {
    providers: Type.Union([ProviderOrder, Type.Null()], {
      description: "Provider order. null restores the default of the server.",
    }),
  },
  { examples: [{ providers: ["local", "hunter"] }] },
);

/** What is known about a person during a lookup. Text is cleaned; email and domain are lowercase. */
export type Subject = {
  email: string | null;
  /** `email` identifies the person, but a verifier refuted it, so another address is searched for. */
  emailIsRefuted?: boolean;
  /** `email` identifies the person, who has left that company, so its domain is meaningless. */
  emailIsFormer?: boolean;
  /** An address that was found or guessed but is still uncertain; null if there is none or `email` is known. */
  candidateEmail: string | null;
  /** Canonical (`canonicalProfileUrl`). */
  networkUrl: string | null;
  firstName: string | null;
  lastName: string | null;
  company: string | null;
  domain: string | null;
};

export type FieldValue = string | readonly string[];

/**
 * A provider's value for a field. `verifies`: the provider was asked to verify this exact value, so its answer is
 * decisive.
 */
export type Finding = { field: EnrichField; value: FieldValue; confidence: number; verifies?: true };

/** A provider's verdict on an address. `confidence`: that mail to it is delivered. */
export type Verdict = { email: string; provider: string; confidence: number; at: number };

/** The merged value of a field: the first provider that returned it and when, then those that agreed. */
export type MergedField = { value: FieldValue; confidence: number; providers: readonly string[]; at: number };
export type Merged = Partial<Record<EnrichField, MergedField>>;
