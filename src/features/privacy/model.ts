import { Type, type Static } from "@sinclair/typebox";
import { suppressionScopes } from "../suppression/model.ts";

/** Everything that one person is known by. What is stored about them is found by it. */
export type PersonIdentity = {
  /** In lower case. */
  emails: string[];
  /** As `canonicalProfileUrl` gives them. */
  profiles: string[];
  /** As somebody wrote them. */
  phones: string[];
  leadIds: string[];
  /** Numbers of the store for entries of the directory. */
  prospects: number[];
};

/** Whose data are looked through: those of one user, or (null) of the whole installation. */
export type PersonScope = { userId: string | null };

/** A row about a person, or one that mentions them: its place in the register, and what stands in it. */
export type PersonRecord = {
  place: string;
  /** What names the row in its place. */
  key: readonly (string | number)[];
  /** The user whose row it is; null where nobody owns it. */
  userId: string | null;
  /** The row is about the person; else it only mentions an address of theirs. */
  isOwn: boolean;
  fields: Record<string, unknown>;
};

/** How many rows, by place. */
export type PersonCounts = Record<string, number>;

const forUser = Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." }));
const personFields = {
  email: Type.Optional(Type.String({ maxLength: 254, description: "An e-mail address of the person." })),
  networkUrl: Type.Optional(Type.String({ maxLength: 500, description: "The URL of a profile." })),
  leadId: Type.Optional(Type.String({ maxLength: 100, description: "A lead that is the person." })),
  scope: Type.Optional(
    Type.Union(
      suppressionScopes.map((scope) => Type.Literal(scope)),
      { default: "user", description: "user: in your own data. team: in everybody's; for admins." },
    ),
  ),
  follow: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        "Take what is found with the person (another address, a profile) as theirs too. Turn it off for an address that several people share, such as office@.",
    }),
  ),
  userId: forUser,
};
const oneOfThem = "Name the person by email, networkUrl or leadId; several must be of the same person.";

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
        description: "Only tell what would be erased. Nothing brings it back afterwards.",
      }),
    ),
    suppress: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Keep the hashes of their addresses on the do-not-contact list, so that no import brings them back.",
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
  { $id: "PersonIdentifiers", description: "What the person is known by, the given and what was found with it." },
);
export type PersonIdentifiers = Static<typeof PersonIdentifiers>;

export const PersonRecordView = Type.Object(
  {
    collection: Type.String({ description: "leads, prospects, actions, contacts and so on." }),
    userId: Type.Union([Type.String(), Type.Null()], { description: "The user whose entry it is." }),
    kind: Type.Union([Type.Literal("person"), Type.Literal("mention")], {
      description: "mention: the entry is about something else and has an address of the person in its text.",
    }),
    fields: Type.Record(Type.String(), Type.Unknown(), { description: "As they are stored; instants are ISO 8601." }),
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
    notes: Type.Array(Type.String(), { description: "What this document can't hold, and where else to look." }),
  },
  { $id: "PersonDocument", description: "All that is stored about one person." },
);

export const ErasureView = Type.Object(
  {
    dryRun: Type.Boolean(),
    jobId: Type.Union([Type.String(), Type.Null()], {
      description: "Of the job that erases; null for a dry run, and when there is nothing to do.",
    }),
    identifiers: PersonIdentifiers,
    records: Type.Record(Type.String(), Type.Integer(), { description: "Entries about the person, by place." }),
    mentions: Type.Record(Type.String(), Type.Integer(), {
      description: "Entries in whose texts an address of the person is blotted out, by place.",
    }),
  },
  { $id: "Erasure" },
);
export type ErasureView = Static<typeof ErasureView>;
