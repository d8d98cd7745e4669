import { and, count, desc, eq } from "drizzle-orm";
import type { SavedSearchStore } from "../../../../features/prospecting/store.ts";
import type { Engine } from "../engine.ts";
import { olderThan } from "../list-pages.ts";
import { savedSearches } from "./tables.ts";

export function createSavedSearchStore({ orm, writer }: Engine): SavedSearchStore {
  const one = (userId: string, id: string) => and(eq(savedSearches.id, id), eq(savedSearches.userId, userId));
  return {
    insert: (search) =>
      writer.write(() => {
        orm.insert(savedSearches).values(search).run();
      }),
    get: async (userId, id) => orm.select().from(savedSearches).where(one(userId, id)).get() ?? null,
    list: async (userId, limit, offset, after = null) =>
      orm
        .select()
        .from(savedSearches)
        .where(and(eq(savedSearches.userId, userId), olderThan(savedSearches, after)))
        .orderBy(desc(savedSearches.createdAt), desc(savedSearches.id))
        .limit(limit)
        .offset(offset)
        .all(),
    count: async (userId) =>
      orm.select({ n: count() }).from(savedSearches).where(eq(savedSearches.userId, userId)).get()?.n ?? 0,
    update: (userId, id, change) =>
      writer.write(() => orm.update(savedSearches).set(change).where(one(userId, id)).returning().get() ?? null),
    remove: (userId, id) =>
      writer.write(
        () => orm.delete(savedSearches).where(one(userId, id)).returning({ id: savedSearches.id }).all().length > 0,
      ),
  };
}
