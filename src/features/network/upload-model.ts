import { Type, type Static } from "@sinclair/typebox";
import { importOnDuplicate, maxTagLength, maxTags } from "../leads/model.ts";

export const maxUpload = 10_000;

/** Specification, "Uploaded prospect". */
export const UploadedProspect = Type.Object(
  {
    name: Type.String({ description: "Full name. Split into first and last name." }),
    network_url: Type.String({ description: "URL of the profile on the network." }),
    email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    company: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    title: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    notes: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { $id: "UploadedProspect" },
);
export type UploadedProspect = Static<typeof UploadedProspect>;

/** Rows are checked one by one, so that one that is wrong does not refuse the others. */
const AnyRow = Type.Unknown({ description: "Any other row is reported as invalid." });

export const UploadInput = Type.Object(
  {
    prospects: Type.Array(Type.Union([UploadedProspect, AnyRow]), {
      minItems: 1,
      maxItems: maxUpload,
      description: "Each row is validated separately. Invalid rows do not affect the others.",
    }),
    campaign_id: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          "ID of a campaign on this server to enroll the leads in, including leads that already exist. Any other ID is stored as your own reference in the tag `campaign:ID` of the leads. Find them with GET /api/v2/leads?campaignId=ID.",
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
        maxItems: maxTags,
        description: "Tags for all uploaded prospects.",
      }),
    ),
    onDuplicate: Type.Optional(
      Type.Union(
        importOnDuplicate.map((choice) => Type.Literal(choice)),
        {
          default: "skip",
          description:
            "skip leaves an existing lead unchanged; update merges into it, which requires the permission leads:write; create stores a second lead.",
        },
      ),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Validate every row and return the results without storing anything." }),
    ),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  {
    examples: [
      {
        prospects: [{ name: "Ada Lovelace", network_url: "https://network.example/in/ada", company: "Analytical" }],
        tags: ["spring"],
      },
    ],
  },
);
export type UploadInput = Static<typeof UploadInput>;

export const rowOutcomes = ["uploaded", "updated", "duplicate", "invalid", "doNotContact"] as const;

export const UploadAnswer = Type.Object(
  {
    success: Type.Literal(true),
    uploaded_count: Type.Integer(),
    updated_count: Type.Integer({ description: "Number of rows that were merged into existing leads." }),
    skipped_count: Type.Integer({
      description: "Number of duplicates, invalid rows, and people on the do-not-contact list.",
    }),
    errors: Type.Array(Type.String(), { description: "One message per skipped row." }),
    prospect_ids: Type.Array(Type.String(), { description: "IDs of the leads that were created." }),
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: "Position of the row in the request, starting at 0." }),
        outcome: Type.Union(rowOutcomes.map((outcome) => Type.Literal(outcome))),
        prospect_id: Type.Union([Type.String(), Type.Null()], {
          description: "ID of the lead, whether new or existing.",
        }),
        message: Type.Union([Type.String(), Type.Null()]),
        enrollment: Type.Union([Type.String(), Type.Null()], {
          description: "`enrolled`, or the reason why not. Only for a campaign of this server.",
        }),
      }),
      { description: "One entry per row, in the order of the request." },
    ),
    dryRun: Type.Boolean(),
  },
  { $id: "UploadReport" },
);
export type UploadAnswer = Static<typeof UploadAnswer>;
