import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { Decision } from "../../platform/base/decision.ts";
import type { Lock } from "../../platform/base/lock.ts";
import type { NewEvent } from "../../platform/events/model.ts";
import { locksOfReader } from "../suppression/locks.ts";
import type { Suppression, SuppressionMatch, SuppressionTarget } from "../suppression/model.ts";
import type {
  ChangeLeadOutcome,
  DoNotContact,
  InsertLead,
  InsertLeadOutcome,
  NoMember,
  RemoveLead,
  UpdateLead,
} from "./change-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import { changedFields } from "./changed-fields.ts";
import { leadIdentity, leadKeysOf } from "./identity.ts";
import { mergedContent } from "./merge.ts";
import type { Lead, LeadContent, LeadIdentity } from "./model.ts";
import { canBeOne, samePerson } from "./same-person.ts";

/** `seq`: number of the lead in the store; older leads have smaller ones. */
export type StoredLead = { seq: number; lead: Lead };

/**
 * What decisions may ask of the store about the leads of one user: synchronous and read-only. An engine answers from
 * statements, or from what it loaded before; both must answer the same.
 */
export type LeadFacts = {
  /** Number of the user, which is part of the keys. */
  owner: number;
  /** Null unless the user has this lead. */
  lead(id: string): StoredLead | null;
  /** Leads that may have this key, oldest first: the decision compares them. */
  candidates(key: number): Iterable<StoredLead>;
  /** The entry of the do-not-contact list that blocks this person; null if none does. */
  suppression(target: SuppressionTarget): SuppressionMatch | null;
  /** Entries for exactly this address, or for its domain. */
  addressSuppressions(email: string): readonly SuppressionMatch[];
  /** Whether this user is an active member of the workspace, and stays one until the changes are stored. */
  isActiveMember(userId: UserId): boolean;
};

export type LeadChange =
  | { kind: "insert"; lead: Lead; identity: LeadIdentity }
  | { kind: "replace"; before: StoredLead; lead: Lead; identity: LeadIdentity }
  /** Of a lead whose texts and custom fields, and so all that it is found by, stay as they are. */
  | { kind: "patch"; before: StoredLead; lead: Lead }
  | { kind: "remove"; stored: StoredLead }
  /** Everything that refers to a lead refers to another one. */
  | { kind: "relink"; workspaceId: WorkspaceId; from: string; to: string }
  | { kind: "suppress"; entry: Suppression }
  | { kind: "audit"; entry: AuditEntry }
  | { kind: "event"; event: NewEvent };

type Insertion = Decision<InsertLeadOutcome, LeadChange>;
type Change = Decision<ChangeLeadOutcome | NoMember | DoNotContact, LeadChange>;
/** Without its numbers and times. */
type Draft = { lead: Pick<LeadContent, "phone">; identity: LeadIdentity };

/** No lead that may be the same person is inserted at the same time, and no entry that blocks the person. */
export function leadLocks(owner: number, { lead, identity, onDuplicate, formerEmails = [] }: InsertLead): Lock[] {
  const locks = locksOfReader(lead.workspaceId);
  if (onDuplicate === "create") return locks;
  const identities = [identity, ...formerEmails.map((email) => ({ email, network: null, name: null }))];
  const keys = identities.flatMap((each) => keysOf(owner, each));
  return [...locks, allLeads(owner, true), ...keys.map((key) => ({ key: `lead ${key}`, isShared: false }))];
}

/** Every lead of a user: for imports, whose rows would need thousands of locks. */
export function allLeads(owner: number, isShared: boolean): Lock {
  return { key: `leads ${owner}`, isShared };
}

/** The keys of an identity: what a lead is found by. */
export function keysOf(owner: number, identity: LeadIdentity): number[] {
  const { strong, name } = leadKeysOf(owner, identity);
  return name === null ? strong : [...strong, name];
}

export function decideInsert(request: InsertLead, facts: LeadFacts): Insertion {
  const { lead, onDuplicate, formerEmails = [], assignee, actorId } = request;
  if (assignee !== undefined && !facts.isActiveMember(assignee))
    return { outcome: { kind: "noMember", userId: assignee }, changes: [] };
  const match = facts.suppression(targetOf(request)) ?? formerMatch(facts, formerEmails);
  if (match !== null) return { outcome: { kind: "doNotContact", match }, changes: [] };
  const existing =
    onDuplicate === "create" ? null : (findSame(facts, request.identity) ?? findFormerSelf(facts, lead, formerEmails));
  if (existing === null) return inserted(request);
  if (onDuplicate === "error") return { outcome: { kind: "duplicate", lead: existing.lead }, changes: [] };
  const { lead: merged, changes } = replaced(existing, mergedContent(existing.lead, lead), lead.updatedAt, actorId);
  return { outcome: { kind: "updated", lead: merged }, changes };
}

/** Only identifiers that the change adds are checked: a lead that was there before an entry can still be worked on. */
export function decideUpdate(request: UpdateLead, facts: LeadFacts): Change {
  const { id, content, identity, version, at, assignee, cause, actorId } = request;
  if (assignee !== undefined && !facts.isActiveMember(assignee))
    return { outcome: { kind: "noMember", userId: assignee }, changes: [] };
  const existing = facts.lead(id);
  if (existing === null) return { outcome: { kind: "absent" }, changes: [] };
  if (existing.lead.version !== version) return { outcome: { kind: "stale" }, changes: [] };
  const match = facts.suppression(addedBy(existing.lead, content, identity));
  if (match !== null) return { outcome: { kind: "doNotContact", match }, changes: [] };
  const type = cause === "enrichment" ? "lead.enriched" : "lead.updated";
  const { lead, changes } = replaced(existing, content, at, actorId, identity, type);
  return { outcome: { kind: "changed", lead }, changes };
}

export function decideRemove(
  request: RemoveLead,
  facts: Pick<LeadFacts, "lead">,
): Decision<ChangeLeadOutcome, LeadChange> {
  const { workspaceId, id, version, suppress = [], at, audit, actorId } = request;
  const stored = facts.lead(id);
  if (stored === null) return { outcome: { kind: "absent" }, changes: [] };
  if (version !== null && stored.lead.version !== version) return { outcome: { kind: "stale" }, changes: [] };
  const changes: LeadChange[] = [{ kind: "remove", stored }];
  for (const entry of suppress) changes.push({ kind: "suppress", entry });
  if (audit !== undefined) changes.push({ kind: "audit", entry: audit });
  changes.push({
    kind: "event",
    event: { type: "lead.deleted", workspaceId, at, leadId: id, actorId: actorId ?? null },
  });
  return { outcome: { kind: "changed", lead: stored.lead }, changes };
}

/** The user's lead that is the same person; never the one with the id `exceptId`. */
export function findSame(
  facts: Pick<LeadFacts, "owner" | "candidates">,
  identity: LeadIdentity,
  exceptId: string | null = null,
): StoredLead | null {
  return samePerson(facts.owner, identity, function* (key) {
    for (const stored of facts.candidates(key))
      if (stored.lead.id !== exceptId) yield { ...stored, identity: leadIdentity(stored.lead) };
  });
}

/** The lead with its next version. */
export function nextVersion(lead: Lead, content: LeadContent, at: number): Lead {
  return { ...lead, ...content, version: lead.version + 1, updatedAt: at };
}

/** How the person of a lead can be reached. */
export function targetOf({ lead, identity }: Draft): SuppressionTarget {
  return { email: identity.email, profileKey: identity.network, phone: lead.phone };
}

/** The identifiers that a change adds to a lead. */
export function addedBy(before: Lead, content: LeadContent, identity: LeadIdentity): SuppressionTarget {
  const { email, network } = leadIdentity(before);
  return {
    email: identity.email === email ? null : identity.email,
    profileKey: identity.network === network ? null : identity.network,
    phone: content.phone === before.phone ? null : content.phone,
  };
}

function inserted({ lead, identity, actorId = null }: InsertLead): Insertion {
  const { id, workspaceId, createdAt } = lead;
  const event: NewEvent = { type: "lead.created", workspaceId, at: createdAt, leadId: id, actorId };
  const changes: LeadChange[] = [
    { kind: "insert", lead, identity },
    { kind: "event", event },
  ];
  return { outcome: { kind: "created", lead }, changes };
}

/** With an event unless the content is what it was. */
function replaced(
  before: StoredLead,
  content: LeadContent,
  at: number,
  actorId: UserId | null = null,
  identity: LeadIdentity = leadIdentity(content),
  type: "lead.updated" | "lead.enriched" = "lead.updated",
): { lead: Lead; changes: LeadChange[] } {
  const lead = nextVersion(before.lead, content, at);
  const changes: LeadChange[] = [{ kind: "replace", before, lead, identity }];
  const event = changeEvent(before.lead, lead, actorId, type);
  if (event !== null) changes.push({ kind: "event", event });
  return { lead, changes };
}

/** Null if both are the same. */
export function changeEvent(
  before: Lead,
  lead: Lead,
  actorId: UserId | null,
  type: "lead.updated" | "lead.enriched" = "lead.updated",
): NewEvent | null {
  const fields = changedFields(before, lead);
  if (fields.length === 0) return null;
  const { id: leadId, workspaceId, status, updatedAt: at } = lead;
  const data = { fields, ...(before.status !== status && { status }) };
  return { type, workspaceId, at, leadId, data, actorId };
}

/** People who objected by an address of a former job did so for themselves; an entry for its domain is about the company. */
function formerMatch(facts: LeadFacts, emails: readonly string[]): SuppressionMatch | null {
  for (const email of emails)
    for (const match of facts.addressSuppressions(email))
      if (match.kind === "email") return { ...match, isOfFormerJob: true };
  return null;
}

/** Companies reassign the addresses of people who left, so nothing else may contradict it. */
function findFormerSelf(facts: LeadFacts, lead: Lead, emails: readonly string[]): StoredLead | null {
  for (const email of emails) {
    const found = findSame(facts, { email, network: null, name: null });
    if (found !== null && canBeOne({ ...found.lead, email: null }, { ...lead, email: null })) return found;
  }
  return null;
}
