import { Type, type Static } from "@sinclair/typebox";
import { leadFilterFields } from "./filter-query.ts";
import { leadStatuses, maxListName, maxTagLength, maxTags } from "./model.ts";

/** A page of a list, or a manual selection; larger changes take several requests. */
export const maxBulkLeads = 500;

const ids = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: maxBulkLeads });
const tags = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), { maxItems: maxTags, description }));
const forUser = { userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })) };

const patchFields = {
  status: Type.Optional(Type.Union(leadStatuses.map((status) => Type.Literal(status)))),
  addTags: tags("Tags to add where they are missing."),
  removeTags: tags("Tags to remove. Case does not matter."),
  assignedTo: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      description:
        "Member to assign them to (user ID); `roundRobin`: all active owners, admins, and members in turn; null: unassigned.",
    }),
  ),
};

export const BulkUpdateInput = Type.Object(
  {
    ids,
    ...patchFields,
    ...forUser,
  },
  { examples: [{ ids: ["01a1…"], status: "contacted", addTags: ["spring"] }] },
);
export type BulkUpdateInput = Static<typeof BulkUpdateInput>;

const listName = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: maxListName, description }));

export const BulkByFilterInput = Type.Object(
  {
    filter: Type.Object(leadFilterFields, {
      description: "The filters of GET /leads. An empty object matches all leads.",
    }),
    ...patchFields,
    addToList: listName("List to add them to. A list NAME is the tag `list:NAME`."),
    removeFromList: listName("List to remove them from."),
    campaignId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Campaign to enroll them in; excludes all other changes.",
      }),
    ),
    delete: Type.Optional(
      Type.Boolean({ description: "true deletes the leads permanently; excludes all other changes." }),
    ),
    expectedCount: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "Number of leads that you expect to match. CONFLICT if more do. Required to delete more than 100 leads, and no more than these are deleted.",
      }),
    ),
    ...forUser,
  },
  { examples: [{ filter: { status: "new", tag: "spring" }, status: "contacted", addTags: ["called"] }] },
);
export type BulkByFilterInput = Static<typeof BulkByFilterInput>;

export const BulkRemoveInput = Type.Object({ ids, ...forUser });

export const BulkReport = Type.Object(
  {
    changed: Type.Integer(),
    failed: Type.Array(Type.Object({ id: Type.String(), code: Type.String(), message: Type.String() }), {
      description: "Leads are processed independently: one failure does not affect the others.",
    }),
  },
  { $id: "LeadBulkReport" },
);
export type BulkReport = Static<typeof BulkReport>;
