import { eq, getTableColumns } from "drizzle-orm";
import { termRules } from "../../../../features/prospecting/facets/terms.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import type { Connection } from "../engine.ts";
import { ownersOf } from "../owners.ts";
import { workspaces } from "../tables.ts";
import { directories } from "./tables.ts";

export type DirectoryRow = typeof directories.$inferSelect;

/** The number of the workspace. */
export async function ownerOf(connection: Connection, workspaceId: WorkspaceId): Promise<number | null> {
  return (await ownersOf(connection, [workspaceId])).get(workspaceId) ?? null;
}

export async function directoryOf(connection: Connection, owner: number): Promise<DirectoryRow | null> {
  const [row] = await connection.select().from(directories).where(eq(directories.owner, owner));
  return row ?? null;
}

/** The same, without asking for the number of the workspace first. */
export async function directoryOfWorkspace(
  connection: Connection,
  workspaceId: WorkspaceId,
): Promise<DirectoryRow | null> {
  const [row] = await connection
    .select(getTableColumns(directories))
    .from(directories)
    .innerJoin(workspaces, eq(workspaces.seq, directories.owner))
    .where(eq(workspaces.id, workspaceId));
  return row ?? null;
}

/**
 * Locks the directory until the transaction ends, and creates it if there is none. Whoever stores, changes, or pays for
 * prospects holds this lock, which also keeps their numbers in order.
 */
export async function lockDirectory(connection: Connection, owner: number): Promise<DirectoryRow> {
  const locked = async () => {
    // Rows that refer to the directory may still be added meanwhile.
    const [row] = await connection.select().from(directories).where(eq(directories.owner, owner)).for("no key update");
    return row;
  };
  const known = await locked();
  if (known !== undefined) return known;
  await connection.insert(directories).values({ owner, rules: termRules }).onConflictDoNothing();
  return (await locked())!;
}
