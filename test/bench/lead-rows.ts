import type { Database } from "bun:sqlite";
import { leadKeysOf } from "../../src/features/leads/identity.ts";
import type { Person } from "./people.ts";

export type LeadRow = Record<string, string | number | null>;

const columns =
  `id owner first_name last_name email company title phone network_url industry location source notes status
  tags custom_fields folded version created_at updated_at`.split(/\s+/);

/** Takes what leads are found by: of each key the number of the lead behind it. */
type KeepKeys = (entries: readonly number[]) => void;

/** Prepared statements that store what the server stores for one lead: its row, its tags, and what it is found by. */
export function leadInserter(database: Database, keepKeys = intoLog(database)): (row: LeadRow) => void {
  const places = columns.map((column) => `$${column}`).join(", ");
  const insertLead = database.prepare(`INSERT INTO leads (${columns.join(", ")}) VALUES (${places})`);
  const insertTag = database.prepare("INSERT INTO lead_tags (owner, tag, lead) VALUES (?, ?, ?)");
  const count = database.prepare(
    "INSERT INTO lead_counts VALUES (?, 'new', 1) ON CONFLICT DO UPDATE SET leads = leads + 1",
  );
  return (row) => {
    count.run(Number(row.owner));
    const lead = Number(insertLead.run(row).lastInsertRowid);
    const owner = Number(row.owner);
    for (const tag of JSON.parse(String(row.tags)) as string[]) insertTag.run(owner, tag, lead);
    keepKeys(keysOf(row).flatMap((key) => [key, lead]));
  };
}

function intoLog(database: Database): KeepKeys {
  const insert = database.prepare("INSERT INTO lead_keys_log (entries) VALUES (?)");
  return (entries) => void insert.run(new Uint8Array(Float64Array.from(entries).buffer));
}

/** For many leads: when all are there, `merge` puts their keys where a server has those that are not of today. */
export function keysToMerge(database: Database): { keep: KeepKeys; merge: () => void } {
  database.run("CREATE TEMP TABLE new_keys (key INTEGER, lead INTEGER)");
  const insert = database.prepare("INSERT INTO new_keys VALUES (?, ?)");
  return {
    keep(entries) {
      for (let at = 0; at < entries.length; at += 2) insert.run(entries[at]!, entries[at + 1]!);
    },
    merge: () =>
      database.run("INSERT OR IGNORE INTO lead_keys (key, lead) SELECT key, lead FROM new_keys ORDER BY key"),
  };
}

/** The hashes that duplicates are looked for by: of email, profile, and names with company. */
export function keysOf(row: LeadRow): number[] {
  const name = `${row.first_name}\n${row.last_name}\n${row.company}`.toLowerCase();
  const { strong, name: nameKey } = leadKeysOf(Number(row.owner), {
    email: String(row.email).toLowerCase(),
    network: String(row.network_url).toLowerCase(),
    name,
  });
  return nameKey === null ? strong : [...strong, nameKey];
}

export function leadRow(owner: number, lead: Person, now: number): LeadRow {
  return {
    id: Bun.randomUUIDv7("hex", now),
    owner,
    first_name: lead.firstName,
    last_name: lead.lastName,
    email: lead.email,
    company: lead.company,
    title: lead.title,
    phone: lead.phone,
    network_url: lead.networkUrl,
    industry: lead.industry,
    location: lead.location,
    source: lead.source,
    notes: null,
    status: "new",
    tags: JSON.stringify(lead.tags),
    custom_fields: "{}",
    folded:
      `${lead.firstName} ${lead.lastName} ${lead.email} ${lead.company} ${lead.title} ${lead.source}`.toLowerCase(),
    version: 1,
    created_at: now,
    updated_at: now,
  };
}

/** The admin that the first start made. */
export function ownerOf(database: Database): number {
  const user = database.query<{ seq: number }, []>("SELECT seq FROM workspaces LIMIT 1").get();
  if (user === null) throw new Error("The database has no user");
  return user.seq;
}
