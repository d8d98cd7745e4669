import { and, count, desc, eq, sql } from "drizzle-orm";
import type { SavedSearchStore } from "../../../../features/prospecting/store.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import type { Engine } from "../engine.ts";
import { savedSearches } from "./tables.ts";

export function createSavedSearchStore({ orm, transact }: Engine): SavedSearchStore {
  const one = (workspaceId: WorkspaceId, id: string) =>
    and(eq(savedSearches.id, id), eq(savedSearches.workspaceId, workspaceId));
  return {
    async insert(search) {
      await transact((connection) => connection.insert(savedSearches).values(search));
    },
    async get(workspaceId, id) {
      const [search] = await orm.select().from(savedSearches).where(one(workspaceId, id));
      return search ?? null;
    },
    async list(workspaceId, limit, offset, after = null) {
      const { createdAt, id } = savedSearches;
      const isAfter = after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;
      return await orm
        .select()
        .from(savedSearches)
        .where(and(eq(savedSearches.workspaceId, workspaceId), isAfter))
        .orderBy(desc(createdAt), desc(id))
        .limit(limit)
        .offset(offset);
    },
    async count(workspaceId) {
      const [row] = await orm
        .select({ n: count() })
        .from(savedSearches)
        .where(eq(savedSearches.workspaceId, workspaceId));
      return row?.n ?? 0;
    },
    async update(workspaceId, id, change) {
      const [search] = await orm.update(savedSearches).set(change).where(one(workspaceId, id)).returning();
      return search ?? null;
    },
    async remove(workspaceId, id) {
      const removed = await orm.delete(savedSearches).where(one(workspaceId, id)).returning({ id: savedSearches.id });
      return removed.length > 0;
    },
  };
}
