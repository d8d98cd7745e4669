import { Type, type Static } from "@sinclair/typebox";
import { suppressionScopes } from "../suppression/model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** All identifiers of a person, used to find everything that is stored about them. */
export type PersonIdentity = {
  /** Lowercase. */
  emails: string[];
  /** In the form returned by `canonicalProfileUrl`. */
  profiles: string[];
  /** As originally written. */
  phones: string[];
  leadIds: string[];
  /** Internal row numbers of directory entries. */
  prospects: number[];
};

/** Identifiers given in a request. Addresses are in the same form as in `PersonIdentity`. */
export type PersonQuery = { email: string | null; profile: string | null; leadId: string | null };

/** Whose data is searched: that of one user or, if null, of the whole installation. */
export type PersonScope = { workspaceId: WorkspaceId | null };

/** A row that is about a person or mentions them: its place (table) in the register, and its fields. */
export type PersonRecord = {
  place: string;
  /** Primary key of the row. */
  key: readonly (string | number)[];
  /** Owner of the row; null if it has none. */
  workspaceId: WorkspaceId | null;
  /** Whether the row is about the person; otherwise it only mentions one of their addresses. */
  isOwn: boolean;
  fields: Record<string, unknown>;
};

/** Number of rows, by place. */
export type PersonCounts = Record<string, number>;

const forUser = Type.Optional(Type.String({ description: "User to act as. Required with a global key." }));
const personFields = {
  email: Type.Optional(Type.String({ maxLength: 254, description: "Email address of the person." })),
  networkUrl: Type.Optional(Type.String({ maxLength: 500, description: "Profile URL of the person." })),
  leadId: Type.Optional(Type.String({ maxLength: 100, description: "ID of a lead that represents the person." })),
  scope: Type.Optional(
    Type.Union(
      suppressionScopes.map((scope) => Type.Literal(scope)),
      {
        default: "user",
        description:
          "`user`: search the data of your workspace. `team`: search all workspaces of the installation; admins only.",
      },
    ),
  ),
  follow: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        "Include identifiers that are found along with the given ones, such as another address or a profile. Disable this for an address that several people share, such as office@example.com.",
    }),
  ),
  userId: forUser,
};
const oneOfThem =
  "Identify the person by `email`, `networkUrl`, or `leadId`. Multiple identifiers must belong to the same person.";

export const ExportInput = Type.Object(personFields, {
  description: oneOfThem,
  examples: [{ email: "ada@example.com", scope: "team" }],
});
export type ExportInput = Static<typeof ExportInput>;

export const EraseInput = Type.Object(
  {
    ...personFields,
    dryRun: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Return what would be erased without erasing it. Erasure cannot be undone.",
      }),
    ),
    suppress: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Add hashes of the person's addresses to the do-not-contact list, so that no import can add them again.",
      }),
    ),
  },
  { description: oneOfThem, examples: [{ email: "ada@example.com", dryRun: true }] },
);
export type EraseInput = Static<typeof EraseInput>;

export const PersonIdentifiers = Type.Object(
  {
    emails: Type.Array(Type.String()),
    profileUrls: Type.Array(Type.String()),
    phones: Type.Array(Type.String()),
    leadIds: Type.Array(Type.String()),
  },
  { $id: "PersonIdentifiers", description: "Identifiers of the person: those given and those found along with them." },
);
export type PersonIdentifiers = Static<typeof PersonIdentifiers>;

export const PersonRecordView = Type.Object(
  {
    collection: Type.String({ description: "Type of record, such as leads, prospects, actions, or contacts." }),
    userId: Type.Union([Type.String(), Type.Null()], { description: "User who owns the record." }),
    kind: Type.Union([Type.Literal("person"), Type.Literal("mention")], {
      description: "`mention`: the record is about something else, but its text contains an address of the person.",
    }),
    fields: Type.Record(Type.String(), Type.Unknown(), {
      description: "Fields as stored. Timestamps are in ISO 8601 format.",
    }),
  },
  { $id: "PersonRecord" },
);
export type PersonRecordView = Static<typeof PersonRecordView>;

export const PersonDocument = Type.Object(
  {
    exportedAt: Type.String({ format: "date-time" }),
    scope: Type.String(),
    identifiers: PersonIdentifiers,
    records: Type.Array(PersonRecordView),
    notes: Type.Array(Type.String(), { description: "What the document does not contain, and where else to look." }),
  },
  { $id: "PersonDocument", description: "Everything that is stored about one person." },
);

export const ErasureView = Type.Object(
  {
    dryRun: Type.Boolean(),
    jobId: Type.Union([Type.String(), Type.Null()], {
      description: "ID of the erasure job. null for a dry run, or if there is nothing to erase.",
    }),
    identifiers: PersonIdentifiers,
    records: Type.Record(Type.String(), Type.Integer(), {
      description: "Number of records about the person, by collection.",
    }),
    mentions: Type.Record(Type.String(), Type.Integer(), {
      description: "Number of records in which an address of the person is redacted, by collection.",
    }),
  },
  { $id: "Erasure" },
);
export type ErasureView = Static<typeof ErasureView>;
