import { asc, inArray } from "drizzle-orm";
import type { Target } from "../../../../features/network/decisions/facts.ts";
import type { PersonRecord } from "../../../../features/privacy/model.ts";
import { lockOfWriter } from "../../../../features/suppression/locks.ts";
import type { Connection } from "../engine.ts";
import { takeLocks } from "../locks.ts";
import { lockAccounts } from "../network-accounts.ts";
import { loadTargets } from "../network-facts.ts";
import { networkActions } from "../network-tables.ts";
import { webhookEndpoints } from "../webhook-tables.ts";

/** Actions that are erased, with their accounts and jobs locked. */
export type LockedParents = { targets: readonly Target[] };

/**
 * Locks what the writers of these rows lock before they read them. So nobody who read a row before its erasure writes it
 * again afterwards.
 */
export async function lockParents(
  connection: Connection,
  byPlace: ReadonlyMap<string, readonly PersonRecord[]>,
): Promise<LockedParents> {
  const recordsOf = (place: string) => byPlace.get(place) ?? [];
  // Whoever decides about people, such as whom to enroll, holds the do-not-contact list of their workspace.
  const workspaceIds = new Set([...byPlace.values()].flat().flatMap(({ workspaceId }) => workspaceId ?? []));
  await takeLocks(connection, [...workspaceIds].map(lockOfWriter));
  const jobIds = recordsOf("actions").map(({ key: [id] }) => String(id));
  const ofActions = await accountsOf(connection, jobIds);
  const ofPeople = ["contacts", "conversations"].flatMap(recordsOf).map(({ key: [account] }) => Number(account));
  const accounts = await lockAccounts(connection, [...new Set([...ofActions, ...ofPeople])]);
  const targets = await loadTargets(connection, jobIds, accounts);
  const endpoints = recordsOf("deliveries").map(({ key: [endpoint] }) => Number(endpoint));
  await lockEndpoints(connection, [...new Set(endpoints)]);
  return { targets };
}

async function accountsOf(connection: Connection, jobIds: readonly string[]): Promise<number[]> {
  if (jobIds.length === 0) return [];
  const { account, jobId } = networkActions;
  const rows = await connection
    .selectDistinct({ account })
    .from(networkActions)
    .where(inArray(jobId, [...jobIds]));
  return rows.map((row) => row.account);
}

/** In the order in which deliveries are settled. */
async function lockEndpoints(connection: Connection, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  const { seq, id } = webhookEndpoints;
  await connection
    .select({ seq })
    .from(webhookEndpoints)
    .where(inArray(seq, [...seqs]))
    .orderBy(asc(id))
    .for("update");
}
