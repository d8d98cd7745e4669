import { Type, type Static } from "@sinclair/typebox";
import { personTextFields, personTextLimits, type PersonTextField } from "../../platform/identity/person-fields.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export const leadStatuses = ["new", "contacted", "qualified", "converted", "unqualified"] as const;
export type LeadStatus = (typeof leadStatuses)[number];

/** What the status of leads follows. `contacts`: new leads become contacted. `replies`: also, leads who reply become qualified. */
export const followedEvents = ["nothing", "contacts", "replies"] as const;
export type FollowedEvents = (typeof followedEvents)[number];

export const leadTextLimits = personTextLimits;
export type LeadTextField = PersonTextField;
export const leadTextFields = personTextFields;

export const maxTags = 100;
export const maxTagLength = 100;
export const maxCustomFields = 100;
/** Serialized size of all custom fields of one lead. */
export const maxCustomFieldsBytes = 16_384;

const text = (field: LeadTextField, description: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: leadTextLimits[field] }), Type.Null()], {
      description,
    }),
  );

const leadTexts = {
  firstName: text("firstName", "Given name."),
  lastName: text("lastName", "Family name."),
  email: text("email", "Primary email address."),
  company: text("company", "Company the person works for."),
  title: text("title", "Job title."),
  phone: text("phone", "Phone number, as a person would write it."),
  networkUrl: text("networkUrl", "Profile URL on the professional network."),
  industry: text("industry", "Industry of the company."),
  location: text("location", "Where the person is."),
  source: text("source", "Where the lead came from, for example website, referral or network."),
  notes: text("notes", "Free text."),
};

const Tags = Type.Array(Type.String({ minLength: 1, maxLength: maxTagLength }), {
  maxItems: maxTags,
  description: "Labels, in the order given, without duplicates.",
});

const CustomFields = Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.Unknown(), {
  description: "Your own key-value pairs.",
  maxProperties: maxCustomFields,
});

const assignedTo = Type.Optional(
  Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
    description: "User ID of the member who works on the lead; null if unassigned.",
  }),
);

export const LeadInput = Type.Object(
  { ...leadTexts, tags: Type.Optional(Tags), customFields: Type.Optional(CustomFields), assignedTo },
  {
    description: "At least one identifier: email, networkUrl, or firstName, lastName, and company together.",
    examples: [
      {
        firstName: "Ada",
        lastName: "Lovelace",
        company: "Analytical Engines",
        email: "ada@example.com",
        tags: ["math"],
      },
    ],
  },
);
export type LeadInput = Static<typeof LeadInput>;

export const LeadUpdate = Type.Object(
  {
    ...leadTexts,
    status: Type.Optional(Type.Union(leadStatuses.map((s) => Type.Literal(s)))),
    tags: Type.Optional(Tags),
    customFields: Type.Optional(CustomFields),
    assignedTo,
  },
  {
    description:
      "Only the fields that are sent change. null empties a text field; tags and customFields are replaced whole.",
    examples: [{ status: "contacted" }],
  },
);
export type LeadUpdate = Static<typeof LeadUpdate>;

/** A lead as stored: times in milliseconds, null for an absent text. */
export type Lead = { [F in LeadTextField]: string | null } & {
  id: string;
  workspaceId: WorkspaceId;
  status: LeadStatus;
  tags: string[];
  customFields: Record<string, unknown>;
  /** The member who works on the lead; null if unassigned. */
  assignedTo: UserId | null;
  /** Starts at 1 and grows with each change; the ETag on the wire. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

/** The texts, tags, and custom fields of a lead, cleaned and complete. */
export type LeadContent = Pick<Lead, LeadTextField | "status" | "tags" | "customFields" | "assignedTo">;

/**
 * The identifiers by which duplicates are found; null for absent ones. `email` is a canonical address,
 * `network` a canonical profile URL, `name` the key of first name, last name, and company.
 */
export type LeadIdentity = { email: string | null; network: string | null; name: string | null };

const nullable = Type.Union([Type.String(), Type.Null()]);

export const LeadView = Type.Object(
  {
    id: Type.String(),
    firstName: nullable,
    lastName: nullable,
    email: nullable,
    company: nullable,
    title: nullable,
    phone: nullable,
    networkUrl: nullable,
    industry: nullable,
    location: nullable,
    source: nullable,
    notes: nullable,
    status: Type.Union(leadStatuses.map((s) => Type.Literal(s))),
    tags: Type.Array(Type.String()),
    customFields: Type.Record(Type.String(), Type.Unknown()),
    assignedTo: nullable,
    doNotContact: Type.Optional(
      Type.Literal(true, {
        description: "Present if an entry of the do-not-contact list, added after the lead, blocks contact.",
      }),
    ),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "Lead", description: "A person to reach." },
);
export type LeadView = Static<typeof LeadView>;

/** The tag for a client's own ID of a campaign, given when a list was uploaded. */
export function campaignTag(reference: string): string {
  return `campaign:${reference}`;
}
export const maxCampaignReference = maxTagLength - campaignTag("").length;

/** The tag for a list of leads: lists are tags with a name of their own. */
export function listTag(name: string): string {
  return `list:${name}`;
}
export const maxListName = maxTagLength - listTag("").length;

/** Fields that are searched for a part of their text, and whose values are suggested. */
export const leadSearchFields = ["company", "title", "industry", "location", "source"] as const;
export type LeadSearchField = (typeof leadSearchFields)[number];

/** Fields of which a filter asks whether the lead has them. */
export const leadPresenceFields = ["email", "networkUrl", "phone"] as const;
export type LeadPresenceField = (typeof leadPresenceFields)[number];

/** With any account of the workspace. `none`: neither connected with one nor invited. */
export const leadRelations = ["none", "pending", "connected", "messaged", "replied"] as const;
export type LeadRelation = (typeof leadRelations)[number];

/** `text`: part of its value; null: the lead has the field. */
export type CustomFieldFilter = { name: string; text: string | null };

/** Selects leads for lists, counts, exports, and bulk changes. Comparisons of texts ignore case. */
export type LeadFilter = {
  statuses?: LeadStatus[];
  tag?: string;
  tags?: { names: string[]; match: "all" | "any" };
  /** Any of the texts is part of the field. */
  contains?: Partial<Record<LeadSearchField, string[]>>;
  /** The text is the field. */
  equals?: Partial<Record<Exclude<LeadSearchField, "company" | "source">, string>>;
  /** All of them. */
  customFields?: CustomFieldFilter[];
  has?: Partial<Record<LeadPresenceField, boolean>>;
  /** Any of them. */
  relations?: LeadRelation[];
  /** Whether the lead is or was enrolled in any campaign. */
  inCampaign?: boolean;
  /** Is enrolled in this campaign, or was uploaded with this ID as the client's own reference. */
  campaignId?: string;
  email?: string;
  company?: string;
  source?: string;
  /** Any part of the names, email address, company, title, or source. */
  text?: string;
  /** A member; null: unassigned leads. */
  assignedTo?: UserId | null;
  createdAfter?: number;
  createdBefore?: number;
  updatedAfter?: number;
  updatedBefore?: number;
};

export const leadSortFields = [
  "createdAt",
  "updatedAt",
  "email",
  "firstName",
  "lastName",
  "company",
  "status",
] as const;
export type LeadSortField = (typeof leadSortFields)[number];
export type LeadSort = { field: LeadSortField; descending: boolean };

/** Start of a page: sort value and number of the last lead of the previous page. */
export type LeadPlace = { value: string | number; tie: number };

/** What an import does with a row whose person is already a lead. */
export const importOnDuplicate = ["skip", "update", "create"] as const;
export type ImportOnDuplicate = (typeof importOnDuplicate)[number];

/** Outcome of a row that did not become a new lead. */
export const importOutcomes = ["skipped", "updated", "failed"] as const;
export type ImportOutcome = (typeof importOutcomes)[number];
/** Filters of a report. Created rows, usually nearly all, are listed only on request. */
export const importReportOutcomes = [...importOutcomes, "created"] as const;
export type ImportReportOutcome = (typeof importReportOutcomes)[number];
