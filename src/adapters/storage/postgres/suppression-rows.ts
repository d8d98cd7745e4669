import { lockOfWriter, locksOfReader } from "../../../features/suppression/locks.ts";
import { isSuppressed } from "../../../features/suppression/matching.ts";
import type { Reachable, SuppressionMatch, SuppressionTarget } from "../../../features/suppression/model.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import type { Connection, Engine } from "./engine.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { decideLoaded } from "./loaded.ts";
import { takeLocks } from "./locks.ts";
import { hasEntries } from "./suppression-facts.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Shared: no entry is added for these users. Exclusive: no decision is made about people of theirs. Null: every user. */
export async function lockSuppressions(
  connection: Connection,
  userIds: readonly (string | null)[],
  mode: "shared" | "exclusive",
): Promise<void> {
  const locks = userIds.flatMap((workspaceId) =>
    mode === "shared" ? locksOfReader(workspaceId) : [lockOfWriter(workspaceId)],
  );
  await takeLocks(connection, locks);
}

/** The first entry of the user or of everyone that blocks contact with this person; null if none does. */
export async function findSuppression(
  connection: Connection,
  region: PhoneRegion | null,
  workspaceId: WorkspaceId,
  target: SuppressionTarget,
): Promise<SuppressionMatch | null> {
  const [match] = await firstSuppressions(connection, region, workspaceId, [target]);
  return match ?? null;
}

/** For each person, in order, what `findSuppression` returns. */
export async function firstSuppressions(
  connection: Connection,
  region: PhoneRegion | null,
  workspaceId: WorkspaceId,
  targets: readonly SuppressionTarget[],
): Promise<(SuppressionMatch | null)[]> {
  const loader = await LeadFactLoader.open(connection, workspaceId, region, () => []);
  if (!loader.hasSuppressions) return targets.map(() => null);
  return await decideLoaded(() => targets.map((target) => loader.suppressions(target).next().value ?? null), loader);
}

export async function findSuppressions(
  connection: Connection,
  region: PhoneRegion | null,
  workspaceId: WorkspaceId,
  target: SuppressionTarget,
): Promise<SuppressionMatch[]> {
  const loader = await LeadFactLoader.open(connection, workspaceId, region, () => []);
  if (!loader.hasSuppressions) return [];
  return await decideLoaded(() => [...loader.suppressions(target)], loader);
}

/** For each person, in order, whether an entry blocks contact with them. */
export async function areSuppressed(
  { orm, ownerOf, phoneRegion }: Engine,
  workspaceId: WorkspaceId,
  people: readonly Reachable[],
): Promise<boolean[]> {
  const owner = (await ownerOf(workspaceId)) ?? 0;
  if (!(await hasEntries(orm, owner))) return people.map(() => false);
  const loader = new LeadFactLoader(orm, workspaceId, owner, phoneRegion, true);
  return await decideLoaded(() => people.map((person) => isSuppressed(person, loader.facts)), loader);
}
