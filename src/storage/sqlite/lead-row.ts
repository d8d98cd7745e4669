import type { Lead } from "../../leads/model.ts";
import type { leads } from "./tables.ts";

type LeadRow = typeof leads.$inferSelect;

/** The lead in a row of the table, without the columns that only the engine needs. */
export function leadOf(row: LeadRow): Lead {
  const { emailKey: _email, networkKey: _network, nameKey: _name, ...lead } = row;
  return lead;
}

/**
 * As `leadOf`, for a row as SQLite gives it: the values of all columns, in the order of the table. Lists are read this
 * way because drizzle's mapping column by column costs as much as finding and reading the rows.
 */
export function leadOfValues(row: unknown[]): Lead {
  const values = row as LeadValues;
  return {
    id: values[0],
    userId: values[1],
    firstName: values[2],
    lastName: values[3],
    email: values[4],
    company: values[5],
    title: values[6],
    phone: values[7],
    networkUrl: values[8],
    industry: values[9],
    location: values[10],
    source: values[11],
    notes: values[12],
    status: values[13],
    tags: values[14] === "[]" ? [] : (JSON.parse(values[14]) as string[]),
    customFields: values[15] === "{}" ? {} : (JSON.parse(values[15]) as Record<string, unknown>),
    // 16 to 18 are the keys that duplicates are found by.
    version: values[19],
    createdAt: values[20],
    updatedAt: values[21],
  };
}

type Text = string | null;
/** Columns of the table `leads`; a contract test holds both mappings against each other. */
type LeadValues = [
  ...[string, string],
  ...[Text, Text, Text, Text, Text, Text, Text, Text, Text, Text, Text],
  ...[LeadRow["status"], string, string],
  ...[Text, Text, Text],
  ...[number, number, number],
];
