import type { InsertLead, InsertLeadOutcome, ChangeLeadOutcome, LeadStore, UpdateLead } from "../../leads/store.ts";
import type { Engine } from "./engine.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createDryRuns } from "./lead-dry-run.ts";
import { LeadKeys } from "./lead-keys.ts";
import { createLeadQueries } from "./lead-queries.ts";
import { createLeadRows, type LeadRows } from "./lead-rows.ts";
import { createOwners } from "./owners.ts";

export function createLeadStore(engine: Engine): LeadStore {
  const owners = createOwners(engine);
  const keys = new LeadKeys(engine);
  const rows = createLeadRows(engine, owners, keys);
  const write = <T>(run: () => T): Promise<T> => engine.writer.write(() => rows.unit(run));
  return {
    insert: (request) => write(() => insertOrMerge(rows, request)),
    get: async (userId, id) => rows.get(userId, id)?.lead ?? null,
    findSame: async (userId, identity, exceptId) => rows.findSame(userId, identity, exceptId)?.lead ?? null,
    ...createLeadQueries(engine, owners, rows),
    update: (request) => write(() => updateLead(rows, request)),
    remove: (userId, id, version) => write(() => removeLead(rows, userId, id, version)),
    ...createLeadImports(engine, rows, keys, createDryRuns(engine, owners, rows)),
  };
}

function insertOrMerge(rows: LeadRows, { lead, identity, onDuplicate }: InsertLead): InsertLeadOutcome {
  const existing = onDuplicate === "create" ? null : rows.findSame(lead.userId, identity);
  if (existing === null) {
    rows.insert(lead, identity);
    return { kind: "created", lead };
  }
  if (onDuplicate === "error") return { kind: "duplicate", lead: existing.lead };
  return { kind: "updated", lead: rows.merge(existing, lead, lead.updatedAt) };
}

function updateLead(rows: LeadRows, { userId, id, content, identity, version, at }: UpdateLead): ChangeLeadOutcome {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (existing.lead.version !== version) return { kind: "stale" };
  return { kind: "changed", lead: rows.write(existing, content, identity, at) };
}

function removeLead(rows: LeadRows, userId: string, id: string, version: number | null): ChangeLeadOutcome {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (version !== null && existing.lead.version !== version) return { kind: "stale" };
  rows.remove(existing);
  return { kind: "changed", lead: existing.lead };
}
