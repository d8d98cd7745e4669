import { leadIdentity } from "../../../features/leads/identity.ts";
import type { Lead, LeadIdentity } from "../../../features/leads/model.ts";
import type {
  ChangeLeadOutcome,
  DoNotContact,
  InsertLead,
  InsertLeadOutcome,
  LeadStore,
  RemoveLead,
  UpdateLead,
} from "../../../features/leads/store.ts";
import { changedFields } from "../../../features/leads/changed-fields.ts";
import { canBeOne } from "../../../features/prospecting/same-person.ts";
import type { SuppressionMatch } from "../../../features/suppression/model.ts";
import { createAuditRows, type AuditRows } from "./audit.ts";
import type { Engine } from "./engine.ts";
import { createEventRows, type EventRows } from "./event-rows.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createDryRuns } from "./lead-dry-run.ts";
import { createLeadParts } from "./lead-parts.ts";
import { createLeadQueries } from "./lead-queries.ts";
import type { LeadRows } from "./lead-rows.ts";
import { createSuppressionRows, type Person, type SuppressionRows } from "./suppressions.ts";

export function createLeadStore(engine: Engine): LeadStore {
  const { owners, keys, phoneKeys, rows } = createLeadParts(engine);
  const suppressions = createSuppressionRows(engine);
  const audits = createAuditRows(engine);
  const events = createEventRows(engine);
  const { writer } = engine;
  return {
    insert: (request) =>
      suppressions.knowing(
        () => [personOf(request)],
        () => writer.writeForAnswer(() => insertOrMerge(rows, suppressions, events, request)),
      ),
    insertAll: (requests) =>
      suppressions.knowing(
        () => requests.map(personOf),
        () =>
          writer.writeForAnswer(() => requests.map((request) => insertOrMerge(rows, suppressions, events, request))),
      ),
    together: (work) => writer.together(work),
    foretell: (request) =>
      suppressions.knowing(
        () => [personOf(request)],
        async () => outcomeFor(rows, suppressions, request).outcome,
      ),
    get: async (userId, id) => rows.get(userId, id)?.lead ?? null,
    findSame: async (userId, identity, exceptId) => rows.findSame(userId, identity, exceptId)?.lead ?? null,
    ...createLeadQueries(engine, owners, keys),
    update: (request) =>
      suppressions.knowing(
        () => [personOf({ lead: { ...request.content, userId: request.userId }, identity: request.identity })],
        () => writer.writeForAnswer(() => updateLead(rows, suppressions, events, request)),
      ),
    remove: (request) => writer.writeForAnswer(() => removeLead({ rows, suppressions, audits, events }, request)),
    ...createLeadImports(engine, rows, keys, phoneKeys, suppressions, createDryRuns(engine, owners, rows)),
  };
}

function insertOrMerge(
  rows: LeadRows,
  suppressions: SuppressionRows,
  events: EventRows,
  request: InsertLead,
): InsertLeadOutcome {
  const { outcome, existing } = outcomeFor(rows, suppressions, request);
  const { lead, identity } = request;
  if (outcome.kind === "created") {
    rows.insert(lead, identity);
    events.append({ type: "lead.created", userId: lead.userId, at: lead.createdAt, leadId: lead.id });
  }
  if (outcome.kind !== "updated" || existing === null) return outcome;
  const merged = rows.merge(existing, lead, lead.updatedAt);
  tellChange(events, existing.lead, merged, "lead.updated");
  return { kind: "updated", lead: merged };
}

/** Nothing, when it says what it said before. */
function tellChange(events: EventRows, before: Lead, after: Lead, type: "lead.updated" | "lead.enriched"): void {
  const fields = changedFields(before, after);
  if (fields.length === 0) return;
  const data = { fields, ...(before.status !== after.status && { status: after.status }) };
  events.append({ type, userId: after.userId, at: after.updatedAt, leadId: after.id, data });
}

function personOf({
  lead: { userId, phone },
  identity: { email, network },
}: {
  lead: Pick<Lead, "userId" | "phone">;
  identity: LeadIdentity;
}): Person {
  return { userId, target: { email, profileKey: network, phone } };
}

/** What is to be done with a new lead, and with whom it would be merged. */
function outcomeFor(
  rows: LeadRows,
  suppressions: SuppressionRows,
  { lead, identity, onDuplicate, formerEmails = [] }: InsertLead,
): { outcome: InsertLeadOutcome; existing: ReturnType<LeadRows["findSame"]> } {
  const { userId, target } = personOf({ lead, identity });
  const match = suppressions.find(userId, target) ?? formerMatch(suppressions, lead.userId, formerEmails);
  if (match !== null) return { outcome: { kind: "doNotContact", match }, existing: null };
  const existing =
    onDuplicate === "create" ? null : (rows.findSame(lead.userId, identity) ?? formerSelf(rows, lead, formerEmails));
  if (existing === null) return { outcome: { kind: "created", lead }, existing };
  return { outcome: { kind: onDuplicate === "error" ? "duplicate" : "updated", lead: existing.lead }, existing };
}

/** Who objected by an address of a former job did so as a person; an entry for its domain is about the company there. */
function formerMatch(
  suppressions: SuppressionRows,
  userId: string,
  emails: readonly string[],
): SuppressionMatch | null {
  for (const email of emails)
    for (const match of suppressions.findExact(userId, email))
      if (match.kind === "email") return { ...match, isOfFormerJob: true };
  return null;
}

/** Companies give the addresses of those who have left to others, so nothing may speak against it. */
function formerSelf(rows: LeadRows, lead: Lead, emails: readonly string[]): ReturnType<LeadRows["findSame"]> {
  for (const email of emails) {
    const found = rows.findSame(lead.userId, { email, network: null, name: null });
    if (found !== null && canBeOne(withoutEmail(found.lead), withoutEmail(lead))) return found;
  }
  return null;
}

function withoutEmail({ firstName, lastName, networkUrl }: Lead) {
  return {
    ...(firstName !== null && { firstName }),
    ...(lastName !== null && { lastName }),
    ...(networkUrl !== null && { networkUrl }),
  };
}

function updateLead(
  rows: LeadRows,
  suppressions: SuppressionRows,
  events: EventRows,
  { userId, id, content, identity, version, at, cause }: UpdateLead,
): ChangeLeadOutcome | DoNotContact {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (existing.lead.version !== version) return { kind: "stale" };
  // Only what the change brings: a lead that was there before its entry can still be worked on.
  const before = leadIdentity(existing.lead);
  const match = suppressions.find(userId, {
    email: identity.email === before.email ? null : identity.email,
    profileKey: identity.network === before.network ? null : identity.network,
    phone: content.phone === existing.lead.phone ? null : content.phone,
  });
  if (match !== null) return { kind: "doNotContact", match };
  const lead = rows.write(existing, content, identity, at);
  tellChange(events, existing.lead, lead, cause === "enrichment" ? "lead.enriched" : "lead.updated");
  return { kind: "changed", lead };
}

function removeLead(
  {
    rows,
    suppressions,
    audits,
    events,
  }: { rows: LeadRows; suppressions: SuppressionRows; audits: AuditRows; events: EventRows },
  { userId, id, version, suppress = [], at, audit }: RemoveLead,
): ChangeLeadOutcome {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (version !== null && existing.lead.version !== version) return { kind: "stale" };
  rows.remove(existing);
  for (const entry of suppress) suppressions.add(entry);
  audits.append(audit);
  events.append({ type: "lead.deleted", userId, at, leadId: id });
  return { kind: "changed", lead: existing.lead };
}
