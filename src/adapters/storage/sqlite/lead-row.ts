import type { Lead } from "../../../features/leads/model.ts";
import { foldedLead } from "../../../features/leads/fold.ts";
import type { leads } from "./tables.ts";

/** A lead with the number that the engine's own tables know it by. */
export type StoredLead = { seq: number; lead: Lead };

/**
 * The lead in a row as SQLite gives it: the values of all columns of `leads`, in order. Read this way because drizzle's
 * mapping column by column costs as much as finding and reading the rows.
 */
export function storedLead(row: unknown[], userId: string): StoredLead {
  const values = row as LeadValues;
  return {
    seq: values[0],
    lead: {
      id: values[1],
      userId,
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
      // 17 is what searches look into.
      version: values[18],
      createdAt: values[19],
      updatedAt: values[20],
    },
  };
}

/** Stores `leadParams`; for the same reason no drizzle query. */
export const insertLeadSql = `INSERT INTO leads (id, owner, first_name, last_name, email, company, title, phone,
  network_url, industry, location, source, notes, status, tags, custom_fields, folded, version, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Stores a list of `PackedLead` in the bytes ?1 for the owner ?2 at the instant ?3. */
export const insertPackedSql = `WITH packed (v) AS MATERIALIZED (SELECT value FROM json_each(CAST(?1 AS TEXT)))
  INSERT INTO leads (id, first_name, last_name, email, company, title, phone, network_url, industry, location, source,
    notes, status, tags, custom_fields, folded, owner, version, created_at, updated_at)
  SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8, v ->> 9, v ->> 10,
    v ->> 11, v ->> 12, v ->> 13, v ->> 14, v ->> 15, ?2, 1, ?3, ?3 FROM packed`;

/** The parameters of `insertLeadSql`. */
export function leadParams(owner: number, lead: Lead): (string | number | null)[] {
  return [
    lead.id,
    owner,
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
    lead.createdAt,
    lead.updatedAt,
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
];
