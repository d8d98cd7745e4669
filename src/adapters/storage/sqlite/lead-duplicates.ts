import { and, asc, count, eq, gt, isNotNull, sql, type SQL } from "drizzle-orm";
import {
  duplicateReasons,
  mostInGroup,
  type DuplicateGroup,
  type DuplicateReason,
} from "../../../features/leads/duplicate-model.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import type { Engine } from "./engine.ts";
import { storedLead } from "./lead-rows.ts";
import type { Owners } from "./owners.ts";
import { leads } from "./tables.ts";

/** Groups of leads with something in common, found in the reader thread. */
export function createLeadDuplicates(
  { orm, reader }: Engine,
  owners: Owners,
): Pick<LeadStore, "duplicates" | "countDuplicates"> {
  const groupsOf = (owner: number, reason: DuplicateReason, after: string | null) => {
    const value = values[reason];
    return orm
      .select({ reason: sql<DuplicateReason>`${reason}`.as("reason"), value: sql<string>`${value}`.as("value") })
      .from(leads)
      .where(and(eq(leads.owner, owner), isNotNull(value), after === null ? undefined : gt(value, after)))
      .groupBy(value)
      .having(sql`count(*) > 1`);
  };

  return {
    async duplicates({ workspaceId, limit, after }) {
      const owner = owners(workspaceId);
      if (owner === null) return [];
      const groups: DuplicateGroup[] = [];
      const from = after === null ? 0 : duplicateReasons.indexOf(after.reason);
      for (const reason of duplicateReasons.slice(from)) {
        const behind = after?.reason === reason ? after.value : null;
        const query = groupsOf(owner, reason, behind)
          .orderBy(asc(values[reason]))
          .limit(limit - groups.length);
        for (const { value } of await reader.all<{ value: string }>(query.toSQL())) {
          const rows = orm
            .select()
            .from(leads)
            .where(and(eq(leads.owner, owner), isAmongThose(await seqsOf(owner, reason, value))))
            .orderBy(asc(leads.seq))
            .values();
          groups.push({ reason, value, leads: rows.map((row) => storedLead(row, workspaceId).lead) });
        }
        if (groups.length >= limit) break;
      }
      return groups;
    },
    async countDuplicates(workspaceId) {
      const owner = owners(workspaceId);
      if (owner === null) return 0;
      let total = 0;
      for (const reason of duplicateReasons) {
        const groups = groupsOf(owner, reason, null).as("groups");
        const [row] = await reader.all<{ n: number }>(
          orm
            .select({ n: count().as("n") })
            .from(groups)
            .toSQL(),
        );
        total += row?.n ?? 0;
      }
      return total;
    },
  };

  async function seqsOf(owner: number, reason: DuplicateReason, value: string): Promise<number[]> {
    const query = orm
      .select({ seq: leads.seq })
      .from(leads)
      .where(and(eq(leads.owner, owner), eq(values[reason], value)))
      .orderBy(asc(leads.seq))
      .limit(mostInGroup);
    return (await reader.all<{ seq: number }>(query.toSQL())).map(({ seq }) => seq);
  }
}

const values: Record<DuplicateReason, SQL> = {
  email: sql`lower(${leads.email})`,
  name: sql`lower(${leads.firstName} || ' ' || ${leads.lastName} || ' · ' || ${leads.company})`,
  profile: sql`rtrim(replace(replace(lower(${leads.networkUrl}), 'https://', ''), 'www.', ''), '/')`,
};

function isAmongThose(seqs: readonly number[]): SQL {
  return sql`${leads.seq} IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;
}
