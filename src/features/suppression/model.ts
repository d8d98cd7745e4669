import { Type, type Static } from "@sinclair/typebox";
import { suggestions } from "../../platform/base/spelling.ts";

export const suppressionKinds = ["email", "domain", "profile", "phone"] as const;
export type SuppressionKind = (typeof suppressionKinds)[number];

/** Whom an entry holds for: one user, or everybody of the installation. */
export const suppressionScopes = ["user", "team"] as const;
export type SuppressionScope = (typeof suppressionScopes)[number];

/** How an entry came to be. */
export const suppressionSources = ["api", "import", "erasure", "reply"] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

/** An entry of the do-not-contact list. It holds until somebody removes it. */
export type Suppression = {
  id: string;
  /** Null: it holds for everybody of the installation. */
  userId: string | null;
  kind: SuppressionKind;
  /** 16 bytes, of `suppressionKey`: what it is found by. */
  key: Uint8Array;
  /** The normal form; null when only the hash may be kept. */
  value: string | null;
  reason: string | null;
  source: SuppressionSource;
  createdAt: number;
};

/** Ways to reach a person. An entry for any of them, or for another identifier of the same person, blocks contact. */
export type SuppressionTarget = {
  email?: string | null;
  /** As `canonicalProfileUrl` gives it. */
  profileKey?: string | null;
  /** As a person wrote it. */
  phone?: string | null;
  /** A lead that is this person. */
  leadId?: string | null;
};

/** The same of a stored person, all as a person wrote it. */
export type Reachable = {
  email: string | null;
  networkUrl: string | null;
  phone: string | null;
  /** Addresses of jobs that the person has left: an entry for one of them counts, one for its domain does not. */
  formerEmails?: readonly string[];
};

/** The entry that stands in the way of contacting somebody. */
export type SuppressionMatch = {
  entryId: string;
  kind: SuppressionKind;
  scope: SuppressionScope;
  reason: string | null;
  /** The entry is for an address of a job that the person has left. */
  isOfFormerJob?: true;
  /** The entry is for another identifier that stored records tie to the one that was named. */
  isLinked?: true;
};

/** What a list is narrowed to: the user's own entries and the team's, unless it names one scope. */
export type SuppressionFilter = {
  scope?: SuppressionScope;
  kind?: SuppressionKind;
  /** Exactly this value, also where only its hash is kept. */
  key?: Uint8Array;
  /** Found anywhere in the value, without regard to case. */
  text?: string;
};

/** More in one call would hold a request for seconds; an import takes any number. */
export const maxValues = 10_000;
export const maxValueLength = 500;
export const maxReasonLength = 500;

const Kind = Type.Union(suppressionKinds.map((kind) => Type.Literal(kind)));
const Scope = Type.Union(
  suppressionScopes.map((scope) => Type.Literal(scope)),
  { description: "user: holds for you. team: holds for everybody; only an admin adds and removes those." },
);
const Reason = Type.Union([Type.String({ maxLength: maxReasonLength }), Type.Null()]);

export const SuppressionInput = Type.Object(
  {
    values: Type.Array(Type.String({ maxLength: maxValueLength }), {
      minItems: 1,
      maxItems: maxValues,
      description:
        "E-mail addresses, domains (@example.com, which stops its subdomains too), URLs of profiles, phone numbers with + and the country code, or hashes as the export writes them (sha256:email:…).",
    }),
    reason: Type.Optional(Reason),
    scope: Type.Optional(Scope),
    hashOnly: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Keep only the hash of each value: it holds, but nobody can read it.",
      }),
    ),
  },
  {
    // The command line calls it --team.
    [suggestions]: { team: 'scope: "team"' },
    examples: [{ values: ["ada@example.com", "@example.org", "+442079460018"], reason: "asked us to stop" }],
  },
);
export type SuppressionInput = Static<typeof SuppressionInput>;

const nullableText = Type.Union([Type.String(), Type.Null()]);

export const SuppressionView = Type.Object(
  {
    id: Type.String(),
    kind: Kind,
    scope: Scope,
    value: Type.Union([Type.String(), Type.Null()], { description: "null where only the hash is kept." }),
    hash: Type.String({ description: "sha256:, the kind, and half of the SHA-256 of kind, colon and value, in hex." }),
    reason: nullableText,
    source: Type.Union(suppressionSources.map((source) => Type.Literal(source))),
    createdAt: Type.String({ format: "date-time" }),
  },
  { $id: "Suppression", description: "An entry of the do-not-contact list. It holds until somebody removes it." },
);
export type SuppressionView = Static<typeof SuppressionView>;

/** What became of one value of a call. */
export const SuppressionResult = Type.Object(
  {
    value: Type.String({ description: "As it was sent." }),
    outcome: Type.Union([Type.Literal("added"), Type.Literal("existing"), Type.Literal("invalid")]),
    id: Type.Union([Type.String(), Type.Null()], { description: "The entry; null for an invalid value." }),
    kind: Type.Union([Kind, Type.Null()]),
    message: Type.Optional(Type.String({ description: "What is wrong with the value, or what to think of." })),
  },
  { $id: "SuppressionResult" },
);
export type SuppressionResult = Static<typeof SuppressionResult>;

const counts = {
  added: Type.Integer(),
  existing: Type.Integer({ description: "Were on the list before." }),
  invalid: Type.Integer(),
};

export const SuppressionResults = Type.Object({
  ...counts,
  results: Type.Array(SuppressionResult, { description: "In the order of the values." }),
});
export type SuppressionResults = Static<typeof SuppressionResults>;

export const SuppressionImport = Type.Object({
  rows: Type.Integer({ description: "Lines that were not empty." }),
  ...counts,
  problems: Type.Array(
    Type.Object({
      row: Type.Integer({ description: "Line as a spreadsheet numbers it." }),
      value: Type.String(),
      message: Type.String(),
    }),
    { description: "The first 100 values that are not valid." },
  ),
});
export type SuppressionImport = Static<typeof SuppressionImport>;

export const SuppressionCheck = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: maxValueLength })),
    networkUrl: Type.Optional(Type.String({ maxLength: maxValueLength })),
    phone: Type.Optional(Type.String({ maxLength: maxValueLength })),
  },
  { description: "At least one of them.", examples: [{ email: "ada@example.com" }] },
);
export type SuppressionCheck = Static<typeof SuppressionCheck>;

export const SuppressionAnswer = Type.Object({
  doNotContact: Type.Boolean(),
  matches: Type.Array(
    Type.Object({
      entryId: Type.String(),
      kind: Kind,
      scope: Scope,
      reason: nullableText,
      isLinked: Type.Optional(
        Type.Literal(true, {
          description: "The entry is for another identifier that stored records tie to the same person.",
        }),
      ),
    }),
    { description: "Every entry that blocks contact with this person." },
  ),
});
export type SuppressionAnswer = Static<typeof SuppressionAnswer>;
