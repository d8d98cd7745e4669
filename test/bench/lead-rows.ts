import type { Database } from "bun:sqlite";
import type { Person } from "./people.ts";

export type LeadRow = Record<string, string | number | null>;

const columns =
  `id user_id first_name last_name email company title phone network_url industry location source notes status
  tags custom_fields email_key network_key name_key version created_at updated_at`.split(/\s+/);

/** Prepared statements that store what the server stores for one lead: its row and one row for each tag. */
export function leadInserter(database: Database): (row: LeadRow) => void {
  const places = columns.map((column) => `$${column}`).join(", ");
  const lead = database.prepare(`INSERT INTO leads (${columns.join(", ")}) VALUES (${places})`);
  const tag = database.prepare("INSERT INTO lead_tags (user_id, tag, lead_id) VALUES ($user_id, $tag, $id)");
  return (row) => {
    lead.run(row);
    for (const name of JSON.parse(String(row.tags)) as string[])
      tag.run({ user_id: row.user_id ?? "", tag: name, id: row.id ?? "" });
  };
}

export function leadRow(userId: string, lead: Person, now: number): LeadRow {
  return {
    id: Bun.randomUUIDv7("hex", now),
    user_id: userId,
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
    email_key: lead.email.toLowerCase(),
    network_key: lead.networkUrl.toLowerCase(),
    name_key: `${lead.firstName}\n${lead.lastName}\n${lead.company}`.toLowerCase(),
    version: 1,
    created_at: now,
    updated_at: now,
  };
}

/** The admin that the first start made. */
export function ownerOf(database: Database): string {
  const user = database.query<{ id: string }, []>("SELECT id FROM users LIMIT 1").get();
  if (user === null) throw new Error("The database has no user");
  return user.id;
}
