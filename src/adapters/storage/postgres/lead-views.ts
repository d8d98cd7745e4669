import { and, asc, count, eq, sql } from "drizzle-orm";
import type { LeadViewStore } from "../../../features/leads/views/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection, Engine } from "./engine.ts";
import { leadViews } from "./lead-view-tables.ts";
import { takeLocks } from "./locks.ts";

export function createLeadViewStore({ orm, transact }: Engine): LeadViewStore {
  const one = (workspaceId: WorkspaceId, id: string) =>
    and(eq(leadViews.id, id), eq(leadViews.workspaceId, workspaceId));
  async function countOf(connection: Connection, workspaceId: WorkspaceId): Promise<number> {
    const [row] = await connection.select({ n: count() }).from(leadViews).where(eq(leadViews.workspaceId, workspaceId));
    return row?.n ?? 0;
  }
  return {
    insert: (view, most) =>
      transact(async (connection) => {
        // Two views that are saved at once could otherwise exceed the limit.
        await takeLocks(connection, [{ key: `lead views ${view.workspaceId}`, isShared: false }]);
        if ((await countOf(connection, view.workspaceId)) >= most) return false;
        await connection.insert(leadViews).values(view);
        return true;
      }),
    async get(workspaceId, id) {
      const [view] = await orm.select().from(leadViews).where(one(workspaceId, id));
      return view ?? null;
    },
    async list(workspaceId, limit, after) {
      const { createdAt, id } = leadViews;
      const isAfter =
        after === null ? undefined : sql`(${createdAt}, ${id}) > (${after.createdAt}::bigint, ${after.id}::text)`;
      return await orm
        .select()
        .from(leadViews)
        .where(and(eq(leadViews.workspaceId, workspaceId), isAfter))
        .orderBy(asc(createdAt), asc(id))
        .limit(limit);
    },
    count: (workspaceId) => countOf(orm, workspaceId),
    async update(workspaceId, id, change) {
      const [view] = await orm.update(leadViews).set(change).where(one(workspaceId, id)).returning();
      return view ?? null;
    },
    async remove(workspaceId, id) {
      const removed = await orm.delete(leadViews).where(one(workspaceId, id)).returning({ id: leadViews.id });
      return removed.length > 0;
    },
  };
}
