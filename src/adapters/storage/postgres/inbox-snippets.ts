import { and, asc, count, eq, gt } from "drizzle-orm";
import type { InboxStore } from "../../../features/inbox/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { codeOf, sqlStates } from "./error-codes.ts";
import { snippets } from "./inbox-tables.ts";

type SnippetStore = Pick<
  InboxStore,
  "addSnippet" | "snippets" | "countSnippets" | "snippet" | "updateSnippet" | "removeSnippet"
>;

export function createSnippetStore({ orm, transact }: Engine): SnippetStore {
  const one = (workspaceId: WorkspaceId, id: string) => and(eq(snippets.workspaceId, workspaceId), eq(snippets.id, id));
  return {
    addSnippet: async (snippet) => {
      const added = await transact((connection) =>
        connection.insert(snippets).values(snippet).onConflictDoNothing().returning({ id: snippets.id }),
      );
      return added.length === 0 ? { kind: "nameTaken" } : { kind: "stored", snippet };
    },
    snippets: async (workspaceId, limit, after) =>
      orm
        .select()
        .from(snippets)
        .where(and(eq(snippets.workspaceId, workspaceId), after === null ? undefined : gt(snippets.name, after)))
        .orderBy(asc(snippets.name))
        .limit(limit),
    async countSnippets(workspaceId) {
      const [row] = await orm.select({ n: count() }).from(snippets).where(eq(snippets.workspaceId, workspaceId));
      return row?.n ?? 0;
    },
    async snippet(workspaceId, id) {
      const [snippet] = await orm.select().from(snippets).where(one(workspaceId, id));
      return snippet ?? null;
    },
    async updateSnippet(workspaceId, id, change) {
      try {
        const [snippet] = await transact((connection) =>
          connection.update(snippets).set(change).where(one(workspaceId, id)).returning(),
        );
        return snippet === undefined ? { kind: "absent" } : { kind: "stored", snippet };
      } catch (error) {
        if (codeOf(error) === sqlStates.uniqueViolation) return { kind: "nameTaken" };
        throw error;
      }
    },
    async removeSnippet(workspaceId, id) {
      const removed = await transact((connection) =>
        connection.delete(snippets).where(one(workspaceId, id)).returning({ id: snippets.id }),
      );
      return removed.length > 0;
    },
  };
}
