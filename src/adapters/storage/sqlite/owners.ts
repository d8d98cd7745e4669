import { eq, sql } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { lazy } from "./prepared.ts";
import { workspaces } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Looks up the number that identifies a user in large tables. Returns null for an unknown user. Numbers never change. */
export type Owners = (workspaceId: WorkspaceId) => number | null;

export function createOwners({ orm }: Pick<Engine, "orm">): Owners {
  const byId = lazy(() =>
    orm
      .select({ seq: workspaces.seq })
      .from(workspaces)
      .where(eq(workspaces.id, sql.placeholder("workspaceId")))
      .prepare(),
  );
  const known = new Map<string, number>();
  return (workspaceId) => {
    const seen = known.get(workspaceId);
    if (seen !== undefined) return seen;
    const owner = byId().get({ workspaceId })?.seq;
    if (owner === undefined) return null;
    known.set(workspaceId, owner);
    return owner;
  };
}
