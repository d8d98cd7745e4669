import { and, eq, sql } from "drizzle-orm";
import type { StoredLead } from "../../../features/leads/decisions.ts";
import { allKeysOf, foldedLead, foldedTags, leadIdentity } from "../../../features/leads/identity.ts";
import type { Lead, LeadIdentity, LeadStatus } from "../../../features/leads/model.ts";
import type { Engine } from "./engine.ts";
import type { KeyIndex } from "../../../lib/key-index/key-index.ts";
import type { Owners } from "./owners.ts";
import type { PhoneKeys } from "./phone-keys.ts";
import { lazy, prepared } from "./prepared.ts";
import { leads, leadTags } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Single leads, prepared. Writes belong in a write unit and keep the tables that follow leads in step. */
export type LeadRows = ReturnType<typeof createLeadRows>;

export function createLeadRows(engine: Engine, owners: Owners, keys: KeyIndex, phoneKeys: PhoneKeys) {
  const { orm, database, writer } = engine;
  const at = sql.placeholder;
  const ofOwner = eq(leads.owner, at("owner"));
  const get = createLeadReader(engine, owners);
  // Drizzle only writes the statement: it is run for each row of an import that updates leads.
  const bySeq = lazy(() =>
    prepared<unknown, [seq: number, owner: number]>(
      database,
      orm
        .select()
        .from(leads)
        .where(and(eq(leads.seq, at("seq")), ofOwner))
        .toSQL().sql,
    ),
  );
  const insertLead = prepared(database, insertLeadSql);
  // Not drizzle's: filling its placeholders takes a tenth of the time for storing a lead.
  const insertTag = prepared(database, "INSERT OR IGNORE INTO lead_tags (owner, tag, lead) VALUES (?, ?, ?)");
  const removeTag = lazy(() =>
    orm
      .delete(leadTags)
      .where(and(eq(leadTags.owner, at("owner")), eq(leadTags.tag, at("tag")), eq(leadTags.lead, at("lead"))))
      .prepare(),
  );
  const addToCount = prepared(
    database,
    "INSERT INTO lead_counts (owner, status, leads) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET leads = leads + excluded.leads",
  );
  // Not drizzle's, as a bulk change runs it for each lead.
  const patchRow = prepared(
    database,
    "UPDATE leads SET status = ?, tags = coalesce(?, tags), assigned_to = ?, version = ?, updated_at = ? WHERE seq = ?",
  );
  // Not drizzle's: building it for each row of an import took longer than everything else that such a row needs.
  const replaceRow = prepared(database, replaceLeadSql);
  const removeRow = lazy(() =>
    orm
      .delete(leads)
      .where(eq(leads.seq, at("seq")))
      .prepare(),
  );
  /** Changes in the number of leads that the units of a batch have made, by owner and status. */
  const counted = new Map<string, { owner: number; status: LeadStatus; change: number }>();

  // Each count is changed once per transaction, no matter how many leads its units store.
  const participant = {
    beforeCommit() {
      for (const { owner, status, change } of counted.values()) addToCount.run(owner, status, change);
      counted.clear();
    },
    rolledBack: () => counted.clear(),
  };

  /** Also for leads that are stored elsewhere. */
  function count(owner: number, status: LeadStatus, change: number): void {
    const name = `${owner} ${status}`;
    if (counted.size === 0) writer.join(participant);
    const sum = counted.get(name);
    if (sum === undefined) counted.set(name, { owner, status, change });
    else sum.change += change;
  }

  /** Leads of the owner that a key points to, read one by one: one person may be stored thousands of times. */
  function* candidates(workspaceId: WorkspaceId, owner: number, key: number): Generator<StoredLead, void, void> {
    for (const seq of keys.each(key)) for (const row of bySeq().values(seq, owner)) yield storedLead(row, workspaceId);
  }

  function insert(lead: Lead, identity: LeadIdentity): void {
    const owner = owners(lead.workspaceId);
    if (owner === null) throw new Error(`User ${lead.workspaceId} no longer exists`);
    const seq = Number(insertLead.run(...leadParams(owner, lead)).lastInsertRowid);
    count(owner, lead.status, 1);
    const hasPhone = lead.phone !== null;
    const needsPhoneKey = hasPhone && phoneKeys.isWanted;
    if (hasPhone && !needsPhoneKey) phoneKeys.leaveOut(seq);
    addKeys(owner, seq, identity, needsPhoneKey ? lead.phone : null);
    for (const tag of foldedTags(lead)) insertTag.run(owner, tag, seq);
  }

  function replace({ seq, lead: before }: StoredLead, lead: Lead, identity: LeadIdentity): void {
    const owner = owners(lead.workspaceId)!;
    replaceRow.run(...replacedParams(lead), seq);
    if (lead.status !== before.status) {
      count(owner, before.status, -1);
      count(owner, lead.status, 1);
    }
    // The keys of what it was stay: they are only hints.
    addKeys(owner, seq, changedIn(identity, leadIdentity(before)), lead.phone === before.phone ? null : lead.phone);
    replaceTags(owner, seq, before, lead);
  }

  /** A change after which the lead is found by the same keys and texts. */
  function patch({ seq, lead: before }: StoredLead, lead: Lead): void {
    const owner = owners(lead.workspaceId)!;
    const { status, tags, assignedTo, version, updatedAt } = lead;
    patchRow.run(status, tags === before.tags ? null : JSON.stringify(tags), assignedTo, version, updatedAt, seq);
    if (status !== before.status) {
      count(owner, before.status, -1);
      count(owner, status, 1);
    }
    if (tags !== before.tags) replaceTags(owner, seq, before, lead);
  }

  function replaceTags(owner: number, lead: number, before: Lead, after: Lead): void {
    const [tagsBefore, tagsNow] = [foldedTags(before), foldedTags(after)];
    for (const tag of tagsBefore.difference(tagsNow)) removeTag().run({ owner, tag, lead });
    for (const tag of tagsNow.difference(tagsBefore)) insertTag.run(owner, tag, lead);
  }

  function remove({ seq, lead }: StoredLead): void {
    const owner = owners(lead.workspaceId)!;
    removeRow().run({ seq });
    count(owner, lead.status, -1);
    for (const tag of foldedTags(lead)) removeTag().run({ owner, tag, lead: seq });
    for (const key of allKeysOf(owner, leadIdentity(lead), lead.phone)) keys.remove(key, seq);
  }

  function addKeys(owner: number, seq: number, identity: LeadIdentity, phone: string | null): void {
    for (const key of allKeysOf(owner, identity, phone)) keys.add(key, seq);
  }

  return { get, candidates, insert, count, replace, patch, remove };
}

/** Reads one lead of a user; null when the user has none of that id. Synchronous, also for other stores' write units. */
export type LeadReader = (workspaceId: WorkspaceId, id: string) => StoredLead | null;

export function createLeadReader({ orm }: Engine, owners: Owners): LeadReader {
  const byId = lazy(() =>
    orm
      .select()
      .from(leads)
      .where(and(eq(leads.id, sql.placeholder("id")), eq(leads.owner, sql.placeholder("owner"))))
      .prepare(),
  );
  return (workspaceId, id) => {
    const [row] = byId().values({ owner: owners(workspaceId), id });
    return row === undefined ? null : storedLead(row, workspaceId);
  };
}

function changedIn(identity: LeadIdentity, before: LeadIdentity): LeadIdentity {
  const changed = (part: keyof LeadIdentity) => (identity[part] === before[part] ? null : identity[part]);
  return { email: changed("email"), network: changed("network"), name: changed("name") };
}

/**
 * Maps a row of `leads` as SQLite returns it: the values of all columns, in order. Drizzle's mapping, column by column,
 * takes as long as finding and reading the rows.
 */
export function storedLead(row: unknown[], workspaceId: WorkspaceId): StoredLead {
  const values = row as LeadValues;
  return {
    seq: values[0],
    lead: {
      id: values[1],
      workspaceId,
      firstName: values[3],
      lastName: values[4],
      email: values[5],
      company: values[6],
      title: values[7],
      phone: values[8],
      networkUrl: values[9],
      industry: values[10],
      location: values[11],
      source: values[12],
      notes: values[13],
      status: values[14],
      tags: values[15] === "[]" ? [] : (JSON.parse(values[15]) as string[]),
      customFields: values[16] === "{}" ? {} : (JSON.parse(values[16]) as Record<string, unknown>),
      // 17 is the text that searches read.
      version: values[18],
      createdAt: values[19],
      updatedAt: values[20],
      assignedTo: values[21],
    },
  };
}

/** Stores `leadParams`; not a drizzle query for the same reason. */
const insertLeadSql = `INSERT INTO leads (id, owner, first_name, last_name, email, company, title, phone,
  network_url, industry, location, source, notes, status, tags, custom_fields, folded, version, created_at, updated_at,
  assigned_to)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** What can change of a lead. Columns that cannot are left out: SQLite would rewrite their indexes, too. */
const replaceLeadSql = `UPDATE leads SET first_name = ?, last_name = ?, email = ?, company = ?, title = ?, phone = ?,
  network_url = ?, industry = ?, location = ?, source = ?, notes = ?, status = ?, tags = ?, custom_fields = ?,
  folded = ?, version = ?, updated_at = ?, assigned_to = ? WHERE seq = ?`;

/** Stores a list of `PackedLead` in the bytes ?1 for the owner ?2 at the instant ?3. */
export const insertPackedSql = `WITH packed (v) AS MATERIALIZED (SELECT value FROM json_each(CAST(?1 AS TEXT)))
  INSERT INTO leads (id, first_name, last_name, email, company, title, phone, network_url, industry, location, source,
    notes, status, tags, custom_fields, folded, assigned_to, owner, version, created_at, updated_at)
  SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8, v ->> 9, v ->> 10,
    v ->> 11, v ->> 12, v ->> 13, v ->> 14, v ->> 15, v ->> 16, ?2, 1, ?3, ?3 FROM packed`;

/** The parameters of `insertLeadSql`. */
function leadParams(owner: number, lead: Lead): (string | number | null)[] {
  const changing = replacedParams(lead);
  // The instant of creation comes before that of the last change, and whom the lead is assigned to.
  return [lead.id, owner, ...changing.slice(0, -2), lead.createdAt, ...changing.slice(-2)];
}

/** The parameters of `replaceLeadSql`, without the number of the lead. */
function replacedParams(lead: Lead): (string | number | null)[] {
  return [
    lead.firstName,
    lead.lastName,
    lead.email,
    lead.company,
    lead.title,
    lead.phone,
    lead.networkUrl,
    lead.industry,
    lead.location,
    lead.source,
    lead.notes,
    lead.status,
    lead.tags.length === 0 ? "[]" : JSON.stringify(lead.tags),
    JSON.stringify(lead.customFields),
    foldedLead(lead),
    lead.version,
    lead.updatedAt,
    lead.assignedTo,
  ];
}

type Text = string | null;
/** The columns of `leads`, in the order of the table. */
type LeadValues = [
  ...[seq: number, id: string, owner: number],
  ...[Text, Text, Text, Text, Text, Text, Text, Text, Text, Text, Text],
  ...[status: (typeof leads.$inferSelect)["status"], tags: string, customFields: string],
  ...[folded: string],
  ...[version: number, createdAt: number, updatedAt: number],
  ...[assignedTo: Text],
];
