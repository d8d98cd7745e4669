import { and, eq, sql } from "drizzle-orm";
import { leadIdentity } from "../../leads/identity.ts";
import { mergedContent, namesakeIsSame } from "../../leads/merge.ts";
import type { Lead, LeadContent, LeadIdentity } from "../../leads/model.ts";
import type { ChangeLeadOutcome, InsertLead, InsertLeadOutcome, LeadStore, UpdateLead } from "../../leads/store.ts";
import type { Engine } from "./engine.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createLeadQueries } from "./lead-queries.ts";
import { placeholdersOf } from "./placeholders.ts";
import { leadOf } from "./lead-row.ts";
import { leads, leadTags } from "./tables.ts";

export function createLeadStore(engine: Engine): LeadStore {
  const rows = createLeadRows(engine);
  const queries = createLeadQueries(engine);
  const imports = createLeadImports(engine, rows);
  const { writer } = engine;
  return {
    insert: (request) => writer.write(() => insertOrMerge(rows, request)),
    get: async (userId, id) => rows.get(userId, id),
    page: queries.page,
    count: queries.count,
    update: (request) => writer.write(() => updateLead(rows, request)),
    remove: (userId, id, version) => writer.write(() => removeLead(rows, userId, id, version)),
    ...imports,
  };
}

function insertOrMerge(rows: LeadRows, { lead, identity, onDuplicate }: InsertLead): InsertLeadOutcome {
  const existing = onDuplicate === "create" ? null : rows.findSame(lead.userId, identity);
  if (existing === null) {
    rows.insert(lead, identity);
    return { kind: "created", lead };
  }
  if (onDuplicate === "error") return { kind: "duplicate", lead: existing };
  return { kind: "updated", lead: rows.merge(existing, lead, lead.updatedAt) };
}

function updateLead(rows: LeadRows, { userId, id, content, identity, version, at }: UpdateLead): ChangeLeadOutcome {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (existing.version !== version) return { kind: "stale" };
  return { kind: "changed", lead: rows.write(existing, content, identity, at) };
}

function removeLead(rows: LeadRows, userId: string, id: string, version: number | null): ChangeLeadOutcome {
  const existing = rows.get(userId, id);
  if (existing === null) return { kind: "absent" };
  if (version !== null && existing.version !== version) return { kind: "stale" };
  rows.remove(id);
  return { kind: "changed", lead: existing };
}

/** Single leads inside a write unit: prepared, and keeping the tables that follow the leads in step. */
export type LeadRows = ReturnType<typeof createLeadRows>;

function createLeadRows({ orm }: Engine) {
  const at = sql.placeholder;
  const ofUser = eq(leads.userId, at("userId"));
  const byId = orm.select().from(leads).where(and(eq(leads.id, at("id")), ofUser)).prepare();
  const byEmail = orm.select().from(leads).where(and(ofUser, eq(leads.emailKey, at("email")))).limit(1).prepare();
  const byNetwork = orm.select().from(leads).where(and(ofUser, eq(leads.networkKey, at("network")))).limit(1).prepare();
  // Namesakes at one company are few; ten is enough to find the one that is the same person.
  const byName = orm.select().from(leads).where(and(ofUser, eq(leads.nameKey, at("name")))).limit(10).prepare();
  const insertLead = orm.insert(leads).values(placeholdersOf(leads)).prepare();
  const insertTag = orm.insert(leadTags).values(placeholdersOf(leadTags)).onConflictDoNothing().prepare();
  const removeTags = orm.delete(leadTags).where(eq(leadTags.leadId, at("id"))).prepare();
  const removeLeadRow = orm.delete(leads).where(eq(leads.id, at("id"))).prepare();

  function findSame(userId: string, identity: LeadIdentity): Lead | null {
    const { email, network, name } = identity;
    const strong =
      (email !== null && byEmail.get({ userId, email })) || (network !== null && byNetwork.get({ userId, network }));
    if (strong) return leadOf(strong);
    const namesakes = name === null ? [] : byName.all({ userId, name }).map(leadOf);
    return namesakes.find((lead) => namesakeIsSame(leadIdentity(lead), identity)) ?? null;
  }

  function insert(lead: Lead, identity: LeadIdentity): void {
    insertLead.run({ ...lead, emailKey: identity.email, networkKey: identity.network, nameKey: identity.name });
    writeTags(lead);
  }

  function write(lead: Lead, content: LeadContent, identity: LeadIdentity, now: number): Lead {
    const changed = { ...lead, ...content, version: lead.version + 1, updatedAt: now };
    const keys = { emailKey: identity.email, networkKey: identity.network, nameKey: identity.name };
    orm.update(leads).set({ ...changed, ...keys }).where(eq(leads.id, lead.id)).run();
    if (lead.tags.join("\n") !== changed.tags.join("\n")) {
      removeTags.run({ id: lead.id });
      writeTags(changed);
    }
    return changed;
  }

  function merge(lead: Lead, incoming: LeadContent, now: number): Lead {
    const content = mergedContent(lead, incoming);
    return write(lead, content, leadIdentity(content), now);
  }

  function writeTags(lead: Lead): void {
    for (const tag of lead.tags) insertTag.run({ userId: lead.userId, tag, leadId: lead.id });
  }

  return {
    get: (userId: string, id: string): Lead | null => {
      const row = byId.get({ userId, id });
      return row === undefined ? null : leadOf(row);
    },
    findSame,
    insert,
    write,
    merge,
    remove: (id: string) => removeLeadRow.run({ id }),
  };
}
