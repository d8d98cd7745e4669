import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { ofHandle, parents } from "../inbox-handles.ts";
import type { Engine } from "./engine.ts";

/** The numbers of conversations with people whose handle begins so. */
export async function withHandle(
  { reader }: Pick<Engine, "reader">,
  workspaceId: WorkspaceId,
  handle: string,
): Promise<number[]> {
  const found: number[] = [];
  for (const { parent } of await reader.all<{ parent: string }>(dialect.sqlToQuery(parents)))
    for (const { seq } of await reader.all<{ seq: number }>(dialect.sqlToQuery(ofHandle(workspaceId, parent, handle))))
      found.push(seq);
  return found;
}

const dialect = new SQLiteSyncDialect();
