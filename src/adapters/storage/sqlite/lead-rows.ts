import { and, eq, sql } from "drizzle-orm";
import { leadIdentity } from "../../../features/leads/identity.ts";
import { mergedContent } from "../../../features/leads/merge.ts";
import type { Lead, LeadContent, LeadIdentity, LeadStatus } from "../../../features/leads/model.ts";
import type { Engine } from "./engine.ts";
import { foldedLead } from "../../../features/leads/fold.ts";
import { leadKeysOf, phoneKey } from "../../../features/leads/keys.ts";
import type { HashIndex } from "./hash-index.ts";
import type { PhoneKeys } from "./phone-keys.ts";
import { samePerson } from "./lead-match.ts";
import { insertLeadSql, leadParams, storedLead, type StoredLead } from "./lead-row.ts";
import { createLeadReader } from "./lead-reader.ts";
import type { Owners } from "./owners.ts";
import { placeholdersOf } from "./placeholders.ts";
import { leads, leadTags } from "./tables.ts";

/** Single leads, prepared. What writes belongs inside `unit`, and keeps the tables that follow leads in step. */
export type LeadRows = ReturnType<typeof createLeadRows>;

export function createLeadRows(engine: Engine, owners: Owners, keys: HashIndex, phoneKeys: PhoneKeys) {
  const { orm, database, writer } = engine;
  const at = sql.placeholder;
  const ofOwner = eq(leads.owner, at("owner"));
  const get = createLeadReader(engine, owners);
  const bySeq = orm
    .select()
    .from(leads)
    .where(and(eq(leads.seq, at("seq")), ofOwner))
    .prepare();
  const insertLead = database.prepare(insertLeadSql);
  const insertTag = orm.insert(leadTags).values(placeholdersOf(leadTags)).onConflictDoNothing().prepare();
  const removeTag = orm
    .delete(leadTags)
    .where(and(eq(leadTags.owner, at("owner")), eq(leadTags.tag, at("tag")), eq(leadTags.lead, at("lead"))))
    .prepare();
  const addToCount = database.prepare(
    "INSERT INTO lead_counts (owner, status, leads) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET leads = leads + excluded.leads",
  );
  /** What the units of a batch have changed in the number of leads, by owner and status. */
  const counted = new Map<string, { owner: number; status: LeadStatus; change: number }>();
  const removeRow = orm
    .delete(leads)
    .where(eq(leads.seq, at("seq")))
    .prepare();

  // What follows from the units of a batch is written together: one entry in the log of keys and one change of each
  // count, however many leads they store.
  writer.beforeCommit(() => {
    keys.write();
    for (const { owner, status, change } of counted.values()) addToCount.run(owner, status, change);
    counted.clear();
  });
  writer.onRollBack(() => {
    keys.takeBack();
    counted.clear();
  });

  /** Keeps the number of leads in step with what is written elsewhere. */
  function count(owner: number, status: LeadStatus, change: number): void {
    const name = `${owner} ${status}`;
    const sum = counted.get(name);
    if (sum === undefined) counted.set(name, { owner, status, change });
    else sum.change += change;
  }

  /** The lead that is the same person; not the one with the id `exceptId`. */
  function findSame(userId: string, identity: LeadIdentity, exceptId: string | null = null): StoredLead | null {
    const owner = owners(userId);
    if (owner === null) return null;
    return samePerson(owner, identity, function* (key) {
      for (const stored of candidates(userId, owner, key)) if (stored.lead.id !== exceptId) yield identified(stored);
    });
  }

  /** The owner's leads that a key hints at, read one by one: one person may be stored many thousand times. */
  function* candidates(userId: string, owner: number, key: number): Generator<StoredLead, void, void> {
    for (const seq of keys.each(key)) for (const row of bySeq.values({ owner, seq })) yield storedLead(row, userId);
  }

  function insert(lead: Lead, identity: LeadIdentity): void {
    const owner = owners(lead.userId);
    if (owner === null) throw new Error(`User ${lead.userId} is gone`);
    const seq = Number(insertLead.run(...leadParams(owner, lead)).lastInsertRowid);
    count(owner, lead.status, 1);
    const hasPhone = lead.phone !== null;
    const takesPhone = hasPhone && phoneKeys.isWanted;
    if (hasPhone && !takesPhone) phoneKeys.leaveOut(seq);
    addKeys(owner, seq, identity, takesPhone ? lead.phone : null);
    for (const tag of foldedTags(lead)) insertTag.run({ owner, tag, lead: seq });
  }

  function write({ seq, lead }: StoredLead, content: LeadContent, identity: LeadIdentity, now: number): Lead {
    const { userId, ...stored } = { ...lead, ...content, version: lead.version + 1, updatedAt: now };
    const owner = owners(userId)!;
    const changed = { ...stored, userId };
    orm
      .update(leads)
      .set({ ...stored, folded: foldedLead(changed) })
      .where(eq(leads.seq, seq))
      .run();
    if (changed.status !== lead.status) {
      count(owner, lead.status, -1);
      count(owner, changed.status, 1);
    }
    const before = leadIdentity(lead);
    // Entries of what it was stay as stale hints.
    const { email, network, name } = identity;
    const changedIdentity = {
      email: email === before.email ? null : email,
      network: network === before.network ? null : network,
      name: name === before.name ? null : name,
    };
    addKeys(owner, seq, changedIdentity, changed.phone === lead.phone ? null : changed.phone);
    const [tagsBefore, tagsNow] = [foldedTags(lead), foldedTags(changed)];
    for (const tag of tagsBefore.difference(tagsNow)) removeTag.run({ owner, tag, lead: seq });
    for (const tag of tagsNow.difference(tagsBefore)) insertTag.run({ owner, tag, lead: seq });
    return changed;
  }

  function merge(existing: StoredLead, incoming: LeadContent, now: number): Lead {
    const content = mergedContent(existing.lead, incoming);
    return write(existing, content, leadIdentity(content), now);
  }

  function remove({ seq, lead }: StoredLead): void {
    const owner = owners(lead.userId)!;
    removeRow.run({ seq });
    count(owner, lead.status, -1);
    for (const tag of foldedTags(lead)) removeTag.run({ owner, tag, lead: seq });
    for (const key of keysOf(owner, leadIdentity(lead), lead.phone)) keys.remove(key, seq);
  }

  function addKeys(owner: number, seq: number, identity: LeadIdentity, phone: string | null): void {
    for (const key of keysOf(owner, identity, phone)) keys.add(key, seq);
  }

  function keysOf(owner: number, identity: LeadIdentity, phone: string | null): number[] {
    const { strong, name } = leadKeysOf(owner, identity);
    const ofPhone = phone === null ? null : phoneKey(owner, phone);
    return [...strong, ...(name === null ? [] : [name]), ...(ofPhone === null ? [] : [ofPhone])];
  }

  return { get, candidates, findSame, insert, count, write, merge, remove };
}

const noTags: ReadonlySet<string> = new Set();

/** Tags are found without regard to case. */
function foldedTags({ tags }: Lead): ReadonlySet<string> {
  return tags.length === 0 ? noTags : new Set(tags.map((tag) => tag.toLowerCase()));
}

function identified(stored: StoredLead): StoredLead & { identity: LeadIdentity } {
  return { ...stored, identity: leadIdentity(stored.lead) };
}
