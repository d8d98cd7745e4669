import { and, asc, count, eq, gt, ne } from "drizzle-orm";
import type { InboxStore, SnippetOutcome } from "../../../features/inbox/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { snippets } from "./inbox-tables.ts";

type SnippetStore = Pick<
  InboxStore,
  "addSnippet" | "snippets" | "countSnippets" | "snippet" | "updateSnippet" | "removeSnippet"
>;

export function createSnippetStore({ orm, writer }: Engine): SnippetStore {
  const one = (workspaceId: WorkspaceId, id: string) => and(eq(snippets.workspaceId, workspaceId), eq(snippets.id, id));
  const isTaken = (workspaceId: WorkspaceId, name: string, id: string): boolean =>
    orm
      .select({ id: snippets.id })
      .from(snippets)
      .where(and(eq(snippets.workspaceId, workspaceId), eq(snippets.name, name), ne(snippets.id, id)))
      .get() !== undefined;

  return {
    addSnippet: (snippet) =>
      writer.write((): SnippetOutcome => {
        if (isTaken(snippet.workspaceId, snippet.name, snippet.id)) return { kind: "nameTaken" };
        orm.insert(snippets).values(snippet).run();
        return { kind: "stored", snippet };
      }),
    snippets: async (workspaceId, limit, after) =>
      orm
        .select()
        .from(snippets)
        .where(and(eq(snippets.workspaceId, workspaceId), after === null ? undefined : gt(snippets.name, after)))
        .orderBy(asc(snippets.name))
        .limit(limit)
        .all(),
    countSnippets: async (workspaceId) =>
      orm.select({ n: count() }).from(snippets).where(eq(snippets.workspaceId, workspaceId)).get()?.n ?? 0,
    snippet: async (workspaceId, id) => orm.select().from(snippets).where(one(workspaceId, id)).get() ?? null,
    updateSnippet: (workspaceId, id, change) =>
      writer.write((): SnippetOutcome => {
        if (change.name !== undefined && isTaken(workspaceId, change.name, id)) return { kind: "nameTaken" };
        const [snippet] = orm.update(snippets).set(change).where(one(workspaceId, id)).returning().all();
        return snippet === undefined ? { kind: "absent" } : { kind: "stored", snippet };
      }),
    removeSnippet: (workspaceId, id) =>
      writer.write(
        () => orm.delete(snippets).where(one(workspaceId, id)).returning({ id: snippets.id }).all().length > 0,
      ),
  };
}
