import { Type, type Static } from "@sinclair/typebox";
import { maxTagLength, maxTags } from "../leads/model.ts";

export const maxUpload = 10_000;

/** Specification, "Uploaded prospect". */
export const UploadedProspect = Type.Object(
  {
    name: Type.String({ description: "Full name; it is split into first and last name." }),
    network_url: Type.String({ description: "Profile on the network." }),
    email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    company: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    title: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    notes: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { $id: "UploadedProspect" },
);
export type UploadedProspect = Static<typeof UploadedProspect>;

export const UploadInput = Type.Object(
  {
    prospects: Type.Array(Type.Union([UploadedProspect, Type.Unknown()]), {
      minItems: 1,
      maxItems: maxUpload,
      description: "Each row is checked for itself: what is wrong with one does not stop the others.",
    }),
    campaign_id: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          "A campaign of this server, which they join, those who were leads before too. Any other id is kept as your own reference: as the tag `campaign:ID` of the leads, which GET /api/v2/leads?campaignId=ID finds.",
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
        maxItems: maxTags,
        description: "For all uploaded prospects.",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Check every row and report, but store nothing." })),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
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

export const rowOutcomes = ["uploaded", "duplicate", "invalid", "doNotContact"] as const;

export const UploadAnswer = Type.Object(
  {
    success: Type.Literal(true),
    uploaded_count: Type.Integer(),
    skipped_count: Type.Integer({ description: "Duplicates, invalid rows, and people who must not be contacted." }),
    errors: Type.Array(Type.String(), { description: "A sentence for each row that was skipped." }),
    prospect_ids: Type.Array(Type.String(), { description: "Ids of the uploaded prospects, which are leads now." }),
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: "Place in the request, from 0." }),
        outcome: Type.Union(rowOutcomes.map((outcome) => Type.Literal(outcome))),
        prospect_id: Type.Union([Type.String(), Type.Null()], {
          description: "The lead: a new one, or the one that was there before.",
        }),
        message: Type.Union([Type.String(), Type.Null()]),
        enrollment: Type.Union([Type.String(), Type.Null()], {
          description: "With a campaign: enrolled, or why not.",
        }),
      }),
      { description: "One entry a row, in the order of the request." },
    ),
    dryRun: Type.Boolean(),
  },
  { $id: "UploadReport" },
);
export type UploadAnswer = Static<typeof UploadAnswer>;
