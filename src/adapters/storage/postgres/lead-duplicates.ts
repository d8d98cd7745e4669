import { and, asc, count, eq, gt, isNotNull, sql, type SQL } from "drizzle-orm";
import {
  duplicateReasons,
  mostInGroup,
  type DuplicateGroup,
  type DuplicateReason,
} from "../../../features/leads/duplicate-model.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import type { Engine } from "./engine.ts";
import { storedLead } from "./lead-facts.ts";
import { leads } from "./tables.ts";

/** Groups of leads with something in common. */
export function createLeadDuplicates({ orm, ownerOf }: Engine): Pick<LeadStore, "duplicates" | "countDuplicates"> {
  const groupsOf = (owner: number, reason: DuplicateReason, after: string | null) => {
    const value = values[reason];
    return orm
      .select({ value: sql<string>`${value}`.as("value") })
      .from(leads)
      .where(and(eq(leads.owner, owner), isNotNull(value), after === null ? undefined : gt(value, after)))
      .groupBy(value)
      .having(sql`count(*) > 1`);
  };

  return {
    async duplicates({ workspaceId, limit, after }) {
      const owner = await ownerOf(workspaceId);
      if (owner === null) return [];
      const groups: DuplicateGroup[] = [];
      const from = after === null ? 0 : duplicateReasons.indexOf(after.reason);
      for (const reason of duplicateReasons.slice(from)) {
        const behind = after?.reason === reason ? after.value : null;
        const found = await groupsOf(owner, reason, behind)
          .orderBy(asc(values[reason]))
          .limit(limit - groups.length);
        for (const { value } of found) {
          const rows = await orm
            .select()
            .from(leads)
            .where(and(eq(leads.owner, owner), eq(values[reason], value)))
            .orderBy(asc(leads.seq))
            .limit(mostInGroup);
          groups.push({ reason, value, leads: rows.map((row) => storedLead(row, workspaceId).lead) });
        }
        if (groups.length >= limit) break;
      }
      return groups;
    },
    async countDuplicates(workspaceId) {
      const owner = await ownerOf(workspaceId);
      if (owner === null) return 0;
      let total = 0;
      for (const reason of duplicateReasons) {
        const [row] = await orm.select({ n: count() }).from(groupsOf(owner, reason, null).as("groups"));
        total += row?.n ?? 0;
      }
      return total;
    },
  };
}

const values: Record<DuplicateReason, SQL> = {
  email: sql`lower(${leads.email} COLLATE "C")`,
  name: sql`lower((${leads.firstName} || ' ' || ${leads.lastName} || ' · ' || ${leads.company}) COLLATE "C")`,
  profile: sql`rtrim(replace(replace(lower(${leads.networkUrl} COLLATE "C"), 'https://', ''), 'www.', ''), '/')`,
};
