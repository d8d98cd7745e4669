import { and, eq, inArray } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { leads, mergedLeads } from "./tables.ts";

/** The IDs of leads that were merged into others. */
export function createMergedLeads({ orm }: Pick<Engine, "orm">) {
  return {
    /** The leads of an owner that these were merged into, by the IDs given. */
    into(owner: number, ids: readonly string[]): Map<string, string> {
      const rows = orm
        .select({ id: mergedLeads.id, leadId: mergedLeads.leadId })
        .from(mergedLeads)
        .innerJoin(leads, eq(leads.id, mergedLeads.leadId))
        .where(and(inArray(mergedLeads.id, [...ids]), eq(leads.owner, owner)))
        .all();
      return new Map(rows.map(({ id, leadId }) => [id, leadId]));
    },

    /** Also for those that were merged into the one that is gone now. */
    remember(gone: string, kept: string): void {
      orm.update(mergedLeads).set({ leadId: kept }).where(eq(mergedLeads.leadId, gone)).run();
      orm.insert(mergedLeads).values({ id: gone, leadId: kept }).run();
    },
  };
}
