import { Type, type Static } from "@sinclair/typebox";
import { leadStatuses, maxTagLength, maxTags } from "./model.ts";

/** A page of a list, or a manual selection; larger changes take several requests. */
export const maxBulkLeads = 500;

const ids = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: maxBulkLeads });
const tags = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), { maxItems: maxTags, description }));
const forUser = { userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })) };

export const BulkUpdateInput = Type.Object(
  {
    ids,
    status: Type.Optional(Type.Union(leadStatuses.map((status) => Type.Literal(status)))),
    addTags: tags("Tags to add where they are missing."),
    removeTags: tags("Tags to remove. Case does not matter."),
    assignedTo: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
        description:
          "Member to assign them to (user ID); `roundRobin`: all active owners, admins, and members in turn; null: unassigned.",
      }),
    ),
    ...forUser,
  },
  { examples: [{ ids: ["01a1…"], status: "contacted", addTags: ["spring"] }] },
);
export type BulkUpdateInput = Static<typeof BulkUpdateInput>;

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
