import { and, eq, sql } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { storedLead, type StoredLead } from "./lead-row.ts";
import type { Owners } from "./owners.ts";
import { leads } from "./tables.ts";

/** Reads one lead of a user; null when the user has none of that id. Synchronous, also for other stores' write units. */
export type LeadReader = (userId: string, id: string) => StoredLead | null;

export function createLeadReader({ orm }: Engine, owners: Owners): LeadReader {
  const byId = orm
    .select()
    .from(leads)
    .where(and(eq(leads.id, sql.placeholder("id")), eq(leads.owner, sql.placeholder("owner"))))
    .prepare();
  return (userId, id) => {
    const [row] = byId.values({ owner: owners(userId), id });
    return row === undefined ? null : storedLead(row, userId);
  };
}
