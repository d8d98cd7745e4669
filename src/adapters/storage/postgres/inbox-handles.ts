import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { ofHandle, parents } from "../inbox-handles.ts";
import type { Connection } from "./engine.ts";

/** The numbers of conversations with people whose handle begins so. */
export async function withHandle(orm: Connection, workspaceId: WorkspaceId, handle: string): Promise<number[]> {
  const found: number[] = [];
  for (const { parent } of await orm.execute<{ parent: string }>(parents))
    for (const { seq } of await orm.execute<{ seq: number }>(ofHandle(workspaceId, parent, handle))) found.push(seq);
  return found;
}
