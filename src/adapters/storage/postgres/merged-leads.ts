import { and, eq, inArray, sql } from "drizzle-orm";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection, Engine } from "./engine.ts";
import { leads, mergedLeads } from "./tables.ts";

/** See `LeadStore.mergedInto`. */
export async function mergedInto(
  { orm, ownerOf }: Engine,
  workspaceId: WorkspaceId,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const owner = ids.length === 0 ? null : await ownerOf(workspaceId);
  if (owner === null) return new Map();
  const rows = await orm
    .select({ id: mergedLeads.id, leadId: mergedLeads.leadId })
    .from(mergedLeads)
    .innerJoin(leads, eq(leads.id, mergedLeads.leadId))
    .where(
      and(
        sql`${mergedLeads.id} IN (SELECT json_array_elements_text(${JSON.stringify(ids)}::json))`,
        eq(leads.owner, owner),
      ),
    );
  return new Map(rows.map(({ id, leadId }) => [id, leadId]));
}

/** The IDs of leads that were merged into these. */
export async function idsMergedInto(connection: Connection, leadIds: readonly string[]): Promise<string[]> {
  if (leadIds.length === 0) return [];
  const rows = await connection
    .select({ id: mergedLeads.id })
    .from(mergedLeads)
    .where(inArray(mergedLeads.leadId, [...leadIds]));
  return rows.map(({ id }) => id);
}
