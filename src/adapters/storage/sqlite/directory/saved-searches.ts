import { and, count, desc, eq } from "drizzle-orm";
import type { SavedSearchStore } from "../../../../features/prospecting/store.ts";
import type { Engine } from "../engine.ts";
import { olderThan } from "../list-pages.ts";
import { savedSearches } from "./tables.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

export function createSavedSearchStore({ orm, writer }: Engine): SavedSearchStore {
  const one = (workspaceId: WorkspaceId, id: string) =>
    and(eq(savedSearches.id, id), eq(savedSearches.workspaceId, workspaceId));
  return {
    insert: (search) =>
      writer.write(() => {
        orm.insert(savedSearches).values(search).run();
      }),
    get: async (workspaceId, id) => orm.select().from(savedSearches).where(one(workspaceId, id)).get() ?? null,
    list: async (workspaceId, limit, offset, after = null) =>
      orm
        .select()
        .from(savedSearches)
        .where(and(eq(savedSearches.workspaceId, workspaceId), olderThan(savedSearches, after)))
        .orderBy(desc(savedSearches.createdAt), desc(savedSearches.id))
        .limit(limit)
        .offset(offset)
        .all(),
    count: async (workspaceId) =>
      orm.select({ n: count() }).from(savedSearches).where(eq(savedSearches.workspaceId, workspaceId)).get()?.n ?? 0,
    update: (workspaceId, id, change) =>
      writer.write(() => orm.update(savedSearches).set(change).where(one(workspaceId, id)).returning().get() ?? null),
    remove: (workspaceId, id) =>
      writer.write(
        () =>
          orm.delete(savedSearches).where(one(workspaceId, id)).returning({ id: savedSearches.id }).all().length > 0,
      ),
  };
}
