import { and, asc, count, eq, sql } from "drizzle-orm";
import type { LeadViewStore } from "../../../features/leads/views/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { leadViews } from "./lead-view-tables.ts";

export function createLeadViewStore({ orm, writer }: Engine): LeadViewStore {
  const one = (workspaceId: WorkspaceId, id: string) =>
    and(eq(leadViews.id, id), eq(leadViews.workspaceId, workspaceId));
  const countOf = (workspaceId: WorkspaceId) =>
    orm.select({ n: count() }).from(leadViews).where(eq(leadViews.workspaceId, workspaceId)).get()?.n ?? 0;
  return {
    insert: (view, most) =>
      writer.write(() => {
        if (countOf(view.workspaceId) >= most) return false;
        orm.insert(leadViews).values(view).run();
        return true;
      }),
    get: async (workspaceId, id) => orm.select().from(leadViews).where(one(workspaceId, id)).get() ?? null,
    list: async (workspaceId, limit, after) => {
      const { createdAt, id } = leadViews;
      const isAfter = after === null ? undefined : sql`(${createdAt}, ${id}) > (${after.createdAt}, ${after.id})`;
      return orm
        .select()
        .from(leadViews)
        .where(and(eq(leadViews.workspaceId, workspaceId), isAfter))
        .orderBy(asc(createdAt), asc(id))
        .limit(limit)
        .all();
    },
    count: async (workspaceId) => countOf(workspaceId),
    update: (workspaceId, id, change) =>
      writer.write(() => orm.update(leadViews).set(change).where(one(workspaceId, id)).returning().get() ?? null),
    remove: (workspaceId, id) =>
      writer.write(
        () => orm.delete(leadViews).where(one(workspaceId, id)).returning({ id: leadViews.id }).all().length > 0,
      ),
  };
}
