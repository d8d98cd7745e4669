import { Type, type Static } from "@sinclair/typebox";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { leadFilterFields } from "../filter-query.ts";
import { leadSortFields } from "../model.ts";

/** More than a team can keep track of, and still fast to list. */
export const maxLeadViews = 200;

/** Columns of the list besides custom fields, which are `customFields.NAME`. */
export const leadViewColumns = [
  ...["name", "title", "company", "status", "owner", "email", "phone", "networkUrl", "industry", "location", "source"],
  ...["tags", "notes", "createdAt", "updatedAt"],
] as const;
const customColumn = "customFields.";

const name = Type.String({ minLength: 1, maxLength: 100 });
const filters = Type.Object(leadFilterFields, { description: "The filters of GET /leads." });
const columns = Type.Array(
  Type.Union([
    ...leadViewColumns.map((column) => Type.Literal(column)),
    Type.String({ pattern: `^${customColumn.replace(".", "\\.")}.`, maxLength: customColumn.length + 100 }),
  ]),
  { maxItems: 40, description: "Columns in order; custom fields as `customFields.NAME`. Empty: the default ones." },
);
const sort = Type.Union(
  leadSortFields.flatMap((field) => [field, `-${field}`]).map((each) => Type.Literal(each)),
  { default: "-createdAt", description: "Field to sort by; prefix with - for descending order." },
);

export const LeadViewInput = Type.Object(
  {
    name,
    filters,
    columns: Type.Optional(columns),
    sort: Type.Optional(sort),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  { examples: [{ name: "Hot in Berlin", filters: { tags: ["hot"], locationContains: ["berlin"] } }] },
);
export type LeadViewInput = Static<typeof LeadViewInput>;

export const LeadViewUpdate = Type.Object(
  { ...Type.Partial(Type.Omit(LeadViewInput, ["userId"])).properties, userId: LeadViewInput.properties.userId },
  { description: "Updates only the fields that are sent. `filters` and `columns` are replaced as a whole." },
);
export type LeadViewUpdate = Static<typeof LeadViewUpdate>;

export type SavedLeadView = {
  id: string;
  workspaceId: WorkspaceId;
  /** Who saved it; null for a global key. */
  ownerId: UserId | null;
  name: string;
  filters: LeadViewInput["filters"];
  columns: string[];
  sort: string;
  createdAt: number;
  updatedAt: number;
};

export const SavedLeadViewView = Type.Object(
  {
    id: Type.String(),
    ownerId: Type.Union([Type.String(), Type.Null()], {
      description: "Member who saved it. Only they, owners, and admins change or delete it.",
    }),
    name: Type.String(),
    filters: Type.Record(Type.String(), Type.Unknown(), { description: "The filters of GET /leads." }),
    columns: Type.Array(Type.String(), { description: "Empty: the default ones." }),
    sort: Type.String(),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "SavedLeadView", description: "A saved view of the list of leads." },
);
export type SavedLeadViewView = Static<typeof SavedLeadViewView>;
