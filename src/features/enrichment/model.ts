import { Type, type Static } from "@sinclair/typebox";
import type { EnrichField, FieldGroup } from "./fields.ts";

/** Specification: "at most 50 leads per request" is recommended; up to this many are answered directly all the same. */
export const maxDirectLeads = 1000;
/** A direct response is sent after this time: what is not done by then has failed as retryable. */
export const answerWithinMs = 60_000;
/** More in one request is refused: send several. */
export const maxLeads = 10_000;
/** A stored result serves repeats for so long, at no charge. */
export const resultDays = 90;

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()], { description }));

export const LeadToEnrich = Type.Object(
  {
    leadId: text(100, "One of your leads, in the place of identifiers."),
    email: text(254, "E-mail address."),
    networkUrl: text(500, "Profile URL on the professional network."),
    firstName: text(200, "Given name."),
    lastName: text(200, "Family name."),
    company: text(300, "Company the person works for."),
    domain: text(253, "Domain of the company, which says more than its name."),
    title: text(300, "Job title."),
    location: text(300, "Where the person is."),
    phone: text(50, "Phone number."),
  },
  {
    // They come back in `input`.
    additionalProperties: true,
    description:
      "An identifier is needed: leadId, or email, or networkUrl, or firstName, lastName and company together. Everything else improves the result. Other fields come back in `input` untouched.",
  },
);
export type LeadToEnrich = Static<typeof LeadToEnrich>;

const flag = (description: string) => Type.Optional(Type.Boolean({ default: true, description }));

export const EnrichmentOptions = Type.Object(
  {
    includePersonalInfo: flag("firstName, lastName, title, location, experience, skills, bio."),
    includeCompanyInfo: flag("company and companyInfo."),
    includeSocialProfiles: flag("networkUrl and socialProfiles."),
    includeContactInfo: flag("email, alternativeEmails, phone."),
  },
  {
    // As in EnrichInput.
    additionalProperties: false,
    description:
      "Parts of the answer: nobody is asked for the sake of one that is false. A misspelled name is refused.",
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
  description: "Names of providers, the first to be asked first; those that are not named are not asked.",
});

export const EnrichInput = Type.Object(
  {
    leads: Type.Array(LeadToEnrich, { minItems: 1, maxItems: maxLeads }),
    enrichmentOptions: Type.Optional(EnrichmentOptions),
    providers: Type.Optional(ProviderOrder),
    writeBack: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Fill empty fields of the leads that leadId names; what they have is never replaced.",
      }),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Ask the providers again, though there is a result of the last 90 days. What a verifier said of an address holds until one has been asked anew about it.",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "As in the query." })),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  {
    // A misspelled one must not buy what was meant to be left out.
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
  { $id: "EnrichedData", description: "What was found. A field that nobody knew is absent." },
);
export type EnrichedData = Static<typeof EnrichedData>;

/** What a verdict on an address comes to. */
export const verdictWords = ["valid", "uncertain", "invalid"] as const;

export const EmailVerification = Type.Object(
  {
    email: Type.String(),
    verdict: Type.Union(
      verdictWords.map((word) => Type.Literal(word)),
      { description: "uncertain: its server takes mail for everybody, or did not say." },
    ),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: "How sure it is that mail arrives there." }),
    provider: Type.String(),
    at: Type.String({ format: "date-time" }),
  },
  {
    $id: "EmailVerification",
    description:
      "What a provider says that was asked whether an address is right: of the one that you sent or, where there is none, of the one that was found. Where several were asked, the one that is surest. It is kept for 90 days and costs no credits. An invalid address is never in `enrichedData`.",
  },
);
export type EmailVerification = Static<typeof EmailVerification>;

const Input = Type.Record(Type.String(), Type.Unknown(), { description: "The lead as it was sent." });
const byField = "By field; a dot stands for a nested object, as in companyInfo.name.";

export const EnrichmentResult = Type.Object(
  {
    index: Type.Integer({ description: "Place in `leads`, from 0." }),
    input: Input,
    enrichedData: EnrichedData,
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    sources: Type.Array(Type.String(), { description: "Providers that the data comes from." }),
    fieldConfidence: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), { description: byField }),
    provenance: Type.Record(
      Type.String(),
      Type.Object({ provider: Type.String(), at: Type.String({ format: "date-time" }) }),
      { description: `Who said it, and when. ${byField}` },
    ),
    emailVerification: Type.Optional(EmailVerification),
    creditsUsed: Type.Integer(),
    fromCache: Type.Boolean({ description: "true: nobody had to be asked, all of it is known from the last 90 days." }),
    unavailable: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Providers that might add something, but could not be asked now. Send the lead again in a few minutes, or next month where a monthly cap is reached (GET /api/v2/enrich/settings tells): only they are asked then, at no charge for what is paid for.",
      }),
    ),
    leadId: Type.Optional(Type.String()),
    writtenBack: Type.Optional(Type.Array(Type.String(), { description: "Fields of the lead that were filled." })),
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
    index: Type.Integer({ description: "Place in `leads`, from 0." }),
    input: Input,
    code: Type.Union(failureCodes.map((code) => Type.Literal(code))),
    message: Type.String(),
    retryable: Type.Boolean({ description: "true: trying again later can help." }),
  },
  { $id: "EnrichmentFailure", description: "A lead for which nothing was found. It costs nothing." },
);
export type EnrichmentFailure = Static<typeof EnrichmentFailure>;

export const Estimate = Type.Object(
  {
    leads: Type.Integer(),
    free: Type.Integer({
      description: "Repeats within the request, people who were paid for within 90 days, and leads that do not exist.",
    }),
    maxCredits: Type.Integer({ description: "What the request costs at most; misses are free." }),
    isAffordable: Type.Boolean({ description: "Whether the balance, and the budget of this key, allow it." }),
    mode: Type.Union([Type.Literal("direct"), Type.Literal("job")], {
      description: "direct: the response holds the results. job: a job finds them.",
    }),
    providers: Type.Array(Type.String(), { description: "Who would be asked, in this order." }),
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
      description: "The enrichment as a job. Its results stay at GET /api/v2/enrich/jobs/{jobId}/results for 90 days.",
    }),
  ),
  estimate: Type.Optional(Estimate),
});
export type EnrichAnswer = Static<typeof EnrichAnswer>;

export const ProviderView = Type.Object(
  {
    name: Type.String(),
    fields: Type.Array(Type.String(), { description: "Fields that it can find." }),
    state: Type.Union(
      ["ready", "paused", "exhausted"].map((state) => Type.Literal(state as "ready" | "paused" | "exhausted")),
      {
        description: "paused: it failed or asked for a pause, see pausedUntil; exhausted: its monthly cap is reached.",
      },
    ),
    pausedUntil: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    creditsUsed: Type.Number({ description: "The provider's own credits used this month." }),
    spendCap: Type.Union([Type.Number(), Type.Null()], { description: "As configured; null = none." }),
  },
  { $id: "EnrichmentProvider" },
);
export type ProviderView = Static<typeof ProviderView>;

/** Whom to ask a provider about, to see whether it works. */
export const ProviderTestInput = Type.Object(
  {
    ...Type.Pick(LeadToEnrich, ["email", "networkUrl", "firstName", "lastName", "company", "domain"]).properties,
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  { description: "Somebody whom the provider should know.", examples: [{ email: "ada@example.com" }] },
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
          "found, none: it works. insufficientInput: it can't look anybody up by what was sent. paused: it asked for a pause. exhausted: its account is used up or not accepted. failed: no usable answer. skipped: it pauses already, or its monthly cap is reached.",
      },
    ),
    reason: Type.Union([Type.String(), Type.Null()], { description: "In the provider's words, where there are any." }),
    fields: Type.Array(Type.String(), { description: "What it knew; the values are not told." }),
    milliseconds: Type.Integer(),
  },
  { $id: "EnrichmentProviderTest" },
);
export type ProviderTest = Static<typeof ProviderTest>;

export const SettingsView = Type.Object(
  {
    providers: Type.Array(Type.String(), { description: "The order in which your enrichments ask." }),
    isDefault: Type.Boolean({ description: "true until you set an order of your own." }),
    available: Type.Array(ProviderView),
  },
  { $id: "EnrichmentSettings" },
);
export type SettingsView = Static<typeof SettingsView>;

export const SettingsInput = Type.Object(
  { providers: Type.Union([ProviderOrder, Type.Null()], { description: "null: as the server is configured." }) },
  { examples: [{ providers: ["local", "hunter"] }] },
);

/** What is known of a person while providers are asked; texts are clean, the address and the domain in lower case. */
export type Subject = {
  email: string | null;
  /** `email` names the person, but a verifier says that no mail arrives there: another one is looked for. */
  emailIsRefuted?: boolean;
  /** `email` names the person, who has left the company that it is at: its domain tells nothing. */
  emailIsFormer?: boolean;
  /** An address that was found or guessed, but that nobody is sure of yet; null when there is none or `email` is known. */
  candidateEmail: string | null;
  /** Canonical (`canonicalProfileUrl`). */
  networkUrl: string | null;
  firstName: string | null;
  lastName: string | null;
  company: string | null;
  domain: string | null;
};

export type FieldValue = string | readonly string[];

/** A provider's word on a field. `verifies`: it was asked whether this very value is right, so its word decides. */
export type Finding = { field: EnrichField; value: FieldValue; confidence: number; verifies?: true };

/** What a provider says that was asked whether an address is right; `confidence` is how sure mail arrives there. */
export type Verdict = { email: string; provider: string; confidence: number; at: number };

/** What the providers together say of a field: who said it first and when, then those who agreed. */
export type MergedField = { value: FieldValue; confidence: number; providers: readonly string[]; at: number };
export type Merged = Partial<Record<EnrichField, MergedField>>;
