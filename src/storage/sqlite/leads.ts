import { leadIdentity } from "../../leads/identity.ts";
import type {
  ChangeLeadOutcome,
  DoNotContact,
  InsertLead,
  InsertLeadOutcome,
  LeadStore,
  UpdateLead,
} from "../../leads/store.ts";
import type { Suppression } from "../../suppression/model.ts";
import type { Engine } from "./engine.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createDryRuns } from "./lead-dry-run.ts";
import { LeadKeys } from "./lead-keys.ts";
import { createLeadQueries } from "./lead-queries.ts";
import { createLeadRows, type LeadRows } from "./lead-rows.ts";
import { createOwners } from "./owners.ts";
import { createSuppressionRows, type SuppressionRows } from "./suppressions.ts";

export function createLeadStore(engine: Engine): LeadStore {
  const owners = createOwners(engine);
  const keys = new LeadKeys(engine);
  const rows = createLeadRows(engine, owners, keys);
  const suppressions = createSuppressionRows(engine);
  const write = <T>(run: () => T): Promise<T> => engine.writer.write(() => rows.unit(run));
  return {
    insert: (request) =>
      engine.writer.writeForAnswer(() => rows.unit(() => insertOrMerge(rows, suppressions, request))),
    foretell: async (request) => outcomeFor(rows, suppressions, request).outcome,
    get: async (userId, id) => rows.get(userId, id)?.lead ?? null,
    findSame: async (userId, identity, exceptId) => rows.findSame(userId, identity, exceptId)?.lead ?? null,
    ...createLeadQueries(engine, owners, rows),
    update: (request) => write(() => updateLead(rows, suppressions, request)),
    remove: (userId, id, version, suppress = []) =>
      write(() => removeLead(rows, suppressions, userId, id, version, suppress)),
    ...createLeadImports(engine, rows, keys, suppressions, createDryRuns(engine, owners, rows)),
  };
}

function insertOrMerge(rows: LeadRows, suppressions: SuppressionRows, request: InsertLead): InsertLeadOutcome {
  const { outcome, existing } = outcomeFor(rows, suppressions, request);
  const { lead, identity } = request;
  if (outcome.kind === "created") rows.insert(lead, identity);
  if (outcome.kind !== "updated" || existing === null) return outcome;
  return { kind: "updated", lead: rows.merge(existing, lead, lead.updatedAt) };
}

/** What is to be done with a new lead, and with whom it would be merged. */
function outcomeFor(
  rows: LeadRows,
  suppressions: SuppressionRows,
  { lead, identity, onDuplicate }: InsertLead,
): { outcome: InsertLeadOutcome; existing: ReturnType<LeadRows["findSame"]> } {
  const target = { email: identity.email, profileKey: identity.network, phone: lead.phone };
  const match = suppressions.find(lead.userId, target);
  if (match !== null) return { outcome: { kind: "doNotContact", match }, existing: null };
  const existing = onDuplicate === "create" ? null : rows.findSame(lead.userId, identity);
  if (existing === null) return { outcome: { kind: "created", lead }, existing };
  return { outcome: { kind: onDuplicate === "error" ? "duplicate" : "updated", lead: existing.lead }, existing };
}

function updateLead(
  rows: LeadRows,
  suppressions: SuppressionRows,
  { userId, id, content, identity, version, at }: UpdateLead,
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
  return { kind: "changed", lead: rows.write(existing, content, identity, at) };
}

function removeLead(
  rows: LeadRows,
  suppressions: SuppressionRows,
  userId: string,
  id: string,
  version: number | null,
  suppress: readonly Suppression[],
): ChangeLeadOutcome {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (version !== null && existing.lead.version !== version) return { kind: "stale" };
  rows.remove(existing);
  for (const entry of suppress) suppressions.add(entry);
  return { kind: "changed", lead: existing.lead };
}
