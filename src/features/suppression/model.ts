import { Type, type Static } from "@sinclair/typebox";
import { suggestions } from "../../platform/base/spelling.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export const suppressionKinds = ["email", "domain", "profile", "phone"] as const;
export type SuppressionKind = (typeof suppressionKinds)[number];

/** Scope of an entry: `user` is the workspace, `team` the whole installation. The words are older than workspaces. */
export const suppressionScopes = ["user", "team"] as const;
export type SuppressionScope = (typeof suppressionScopes)[number];

/** Origin of an entry. */
export const suppressionSources = ["api", "import", "erasure", "reply"] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

/** An entry of the do-not-contact list, in effect until it is removed. */
export type Suppression = {
  id: string;
  /** Null if the entry applies to the whole installation. */
  workspaceId: WorkspaceId | null;
  kind: SuppressionKind;
  /** Lookup key: the 16 bytes of `suppressionKey`. */
  key: Uint8Array;
  /** The normal form; null if only the hash is stored. */
  value: string | null;
  reason: string | null;
  source: SuppressionSource;
  createdAt: number;
};

/** Ways to reach a person. An entry for any of them, or for another identifier of the same person, blocks contact. */
export type SuppressionTarget = {
  email?: string | null;
  /** In the form returned by `canonicalProfileUrl`. */
  profileKey?: string | null;
  /** As entered. */
  phone?: string | null;
  /** A lead that represents this person. */
  leadId?: string | null;
};

/** Contact details of a stored person, as entered. */
export type Reachable = {
  email: string | null;
  networkUrl: string | null;
  phone: string | null;
  /** Addresses from former jobs. Entries for these addresses apply; entries for their domains do not. */
  formerEmails?: readonly string[];
};

/** An entry that blocks contact with a person. */
export type SuppressionMatch = {
  entryId: string;
  kind: SuppressionKind;
  scope: SuppressionScope;
  reason: string | null;
  /** The entry is for an address from a former job. */
  isOfFormerJob?: true;
  /** The entry is for another identifier that stored records link to the given one. */
  isLinked?: true;
};

/** Filter for entries. Without a scope, includes those of the workspace and of the installation. */
export type SuppressionFilter = {
  scope?: SuppressionScope;
  kind?: SuppressionKind;
  /** Key of an exact value. Also matches entries stored as a hash. */
  key?: Uint8Array;
  /** Text contained in the value, ignoring case. */
  text?: string;
};

/** More would make a request take seconds. Imports have no limit. */
export const maxValues = 10_000;
export const maxValueLength = 500;
export const maxReasonLength = 500;

const Kind = Type.Union(suppressionKinds.map((kind) => Type.Literal(kind)));
const Scope = Type.Union(
  suppressionScopes.map((scope) => Type.Literal(scope)),
  {
    description:
      "`user`: applies to your workspace. `team`: applies to all workspaces of the installation; only admins add and remove these.",
  },
);
const Reason = Type.Union([Type.String({ maxLength: maxReasonLength }), Type.Null()]);

export const SuppressionInput = Type.Object(
  {
    values: Type.Array(Type.String({ maxLength: maxValueLength }), {
      minItems: 1,
      maxItems: maxValues,
      description:
        "Email addresses, domains (@example.com, which includes subdomains), profile URLs, phone numbers with + and the country code, or hashes in the format of the export (sha256:email:…).",
    }),
    reason: Type.Optional(Reason),
    scope: Type.Optional(Scope),
    hashOnly: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Store only the hash of each value. The entry is in effect, but the value cannot be read.",
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
    value: Type.Union([Type.String(), Type.Null()], {
      description: "Value of the entry. null if only its hash is stored.",
    }),
    hash: Type.String({
      description: "`sha256:`, the kind, and the first half of the SHA-256 of kind, colon, and value, in hex.",
    }),
    reason: nullableText,
    source: Type.Union(suppressionSources.map((source) => Type.Literal(source))),
    createdAt: Type.String({ format: "date-time" }),
  },
  { $id: "Suppression", description: "An entry of the do-not-contact list, in effect until it is removed." },
);
export type SuppressionView = Static<typeof SuppressionView>;

/** Outcome for a single value. */
export const SuppressionResult = Type.Object(
  {
    value: Type.String({ description: "Value as sent." }),
    outcome: Type.Union([Type.Literal("added"), Type.Literal("existing"), Type.Literal("invalid")]),
    id: Type.Union([Type.String(), Type.Null()], { description: "ID of the entry. null for an invalid value." }),
    kind: Type.Union([Kind, Type.Null()]),
    message: Type.Optional(Type.String({ description: "Reason why the value is invalid, or a warning." })),
  },
  { $id: "SuppressionResult" },
);
export type SuppressionResult = Static<typeof SuppressionResult>;

const counts = {
  added: Type.Integer(),
  existing: Type.Integer({ description: "Values that were already on the list." }),
  invalid: Type.Integer(),
};

export const SuppressionResults = Type.Object({
  ...counts,
  results: Type.Array(SuppressionResult, { description: "Outcomes in the order of the values." }),
});
export type SuppressionResults = Static<typeof SuppressionResults>;

export const SuppressionImport = Type.Object({
  rows: Type.Integer({ description: "Number of lines that were not empty." }),
  ...counts,
  problems: Type.Array(
    Type.Object({
      row: Type.Integer({ description: "Line number, as in a spreadsheet." }),
      value: Type.String(),
      message: Type.String(),
    }),
    { description: "The first 100 invalid values." },
  ),
});
export type SuppressionImport = Static<typeof SuppressionImport>;

export const SuppressionCheck = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: maxValueLength })),
    networkUrl: Type.Optional(Type.String({ maxLength: maxValueLength })),
    phone: Type.Optional(Type.String({ maxLength: maxValueLength })),
  },
  { description: "Identifiers of the person. At least one is required.", examples: [{ email: "ada@example.com" }] },
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
          description:
            "Present if the entry is for another identifier of the same person, according to stored records.",
        }),
      ),
    }),
    { description: "All entries that block contact with this person." },
  ),
});
export type SuppressionAnswer = Static<typeof SuppressionAnswer>;
