import { and, eq, gte, inArray, isNotNull, isNull, lt, not, or, sql, type SQL } from "drizzle-orm";
import { canonicalEmail, displayEmail } from "../../../platform/identity/email.ts";
import { emailKey, foldedCompany, foldedEmail, foldedSource, foldedText } from "../../../features/leads/identity.ts";
import {
  campaignTag,
  type CustomFieldFilter,
  type LeadFilter,
  type LeadPresenceField,
  type LeadRelation,
  type LeadSearchField,
} from "../../../features/leads/model.ts";
import { spellingsOf } from "../../../features/leads/spellings.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { campaignEnrollments } from "./campaign-tables.ts";
import { networkAccounts, networkContacts } from "./network-tables.ts";
import { leadKeys, leads, leadTags } from "./tables.ts";

/** Whose leads: the number and the ID of a workspace. */
export type LeadScope = { owner: number; workspaceId: WorkspaceId };

/** The condition of a filter. */
export function filtered({ owner, workspaceId }: LeadScope, filter: LeadFilter): SQL | undefined {
  const { statuses, tag, tags, campaignId, email, company, source, text, assignedTo, inCampaign } = filter;
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filter;
  return and(
    eq(leads.owner, owner),
    statuses && inArray(leads.status, statuses),
    tag === undefined ? undefined : hasTag(owner, tag),
    tags && (tags.match === "any" ? or : and)(...tags.names.map((name) => hasTag(owner, name))),
    campaignId === undefined ? undefined : isOfCampaign(owner, campaignId),
    inCampaign === undefined ? undefined : isInAnyCampaign(workspaceId, inCampaign),
    email === undefined ? undefined : hasEmail(owner, email),
    company === undefined ? undefined : contains(foldedCompany(company)),
    source === undefined ? undefined : contains(foldedSource(source)),
    text === undefined ? undefined : contains(foldedText(text)),
    ...entriesOf(filter.contains).map(([field, texts]) => or(...texts.map((each) => containsText(field, each)))),
    ...entriesOf(filter.equals).map(([field, value]) => or(...spellingsOf(value).map((each) => isText(field, each)))),
    ...(filter.customFields ?? []).map(hasCustomField),
    ...entriesOf(filter.has).map(([field, has]) => isPresent(field, has)),
    filter.relations && or(...filter.relations.map((relation) => hasRelation(workspaceId, relation))),
    assignedTo === undefined ? undefined : isAssignedTo(assignedTo),
    createdAfter === undefined ? undefined : gte(leads.createdAt, createdAfter),
    createdBefore === undefined ? undefined : lt(leads.createdAt, createdBefore),
    updatedAfter === undefined ? undefined : gte(leads.updatedAt, updatedAfter),
    updatedBefore === undefined ? undefined : lt(leads.updatedAt, updatedBefore),
  );
}

function entriesOf<Name extends string, Value>(record: Partial<Record<Name, Value>> = {}): [Name, Value][] {
  return Object.entries(record) as [Name, Value][];
}

/** Whether one of the spellings of a text is part of a field. */
export function containsText(field: LeadSearchField, text: string): SQL | undefined {
  return or(...spellingsOf(text).map((spelling) => sql`strpos(${foldedColumn(field)}, ${spelling}) > 0`));
}

function isText(field: LeadSearchField, spelling: string): SQL {
  return sql`${foldedColumn(field)} = ${spelling}`;
}

function isPresent(field: LeadPresenceField, has: boolean): SQL {
  return has ? isNotNull(leads[field]) : isNull(leads[field]);
}

/** With the case of ASCII letters folded, whatever the locale of the database. */
export function foldedColumn(field: LeadSearchField): SQL {
  return sql`lower(${leads[field]} COLLATE "C")`;
}

function hasCustomField({ name, text }: CustomFieldFilter): SQL | undefined {
  const value = sql`(${leads.customFields} ->> ${name}::text)`;
  if (text === null) return isNotNull(value);
  return or(...spellingsOf(text).map((spelling) => sql`strpos(lower(${value} COLLATE "C"), ${spelling}) > 0`));
}

function hasRelation(workspaceId: WorkspaceId, relation: LeadRelation): SQL {
  const { account, leadId, messagedAt, repliedAt } = networkContacts;
  const isRelated = {
    none: inArray(networkContacts.relation, ["pending", "connected"]),
    pending: eq(networkContacts.relation, "pending"),
    connected: eq(networkContacts.relation, "connected"),
    messaged: isNotNull(messagedAt),
    replied: isNotNull(repliedAt),
  }[relation];
  const related = sql`${leads.id} IN (SELECT ${leadId} FROM ${networkContacts} JOIN ${networkAccounts}
    ON ${networkAccounts.seq} = ${account} WHERE ${networkAccounts.workspaceId} = ${workspaceId}
    AND ${leadId} IS NOT NULL AND ${isRelated})`;
  return relation === "none" ? not(related) : related;
}

function isInAnyCampaign(workspaceId: WorkspaceId, inCampaign: boolean): SQL {
  const enrolled = sql`${leads.id} IN (SELECT ${campaignEnrollments.leadId} FROM ${campaignEnrollments} WHERE ${campaignEnrollments.workspaceId} = ${workspaceId})`;
  return inCampaign ? enrolled : not(enrolled);
}

function isOfCampaign(owner: number, campaignId: string): SQL {
  const enrolled = sql`${leads.id} IN (SELECT ${campaignEnrollments.leadId} FROM ${campaignEnrollments} WHERE ${campaignEnrollments.campaignId} = ${campaignId})`;
  return sql`(${enrolled} OR ${hasTag(owner, campaignTag(campaignId))})`;
}

function hasTag(owner: number, tag: string): SQL {
  return sql`${leads.seq} IN (SELECT ${leadTags.lead} FROM ${leadTags} WHERE ${leadTags.owner} = ${owner} AND ${leadTags.tag} = ${tag.toLowerCase()})`;
}

/** One person may be stored thousands of times: the key finds them, the text decides. */
function hasEmail(owner: number, email: string): SQL {
  const address = canonicalEmail(email);
  const key = emailKey(owner, address);
  // The domain may be stored in Punycode or in Unicode.
  const spellings = new Set([email, address, displayEmail(address)].map(foldedEmail));
  return sql`${leads.seq} IN (SELECT ${leadKeys.lead} FROM ${leadKeys} WHERE ${leadKeys.key} = ${key}) AND (${or(...[...spellings].map(contains))})`;
}

function isAssignedTo(userId: UserId | null): SQL {
  return userId === null ? isNull(leads.assignedTo) : eq(leads.assignedTo, userId);
}

function contains(folded: string): SQL {
  return sql`strpos(${leads.folded}, ${folded}) > 0`;
}
