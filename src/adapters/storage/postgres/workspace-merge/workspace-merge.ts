import { and, count, eq, inArray, ne, sql } from "drizzle-orm";
import { blockingStatuses, mergedCounts, typeOfMovedJobs } from "../../../../features/workspaces/merge/decisions.ts";
import type {
  Merged,
  MergeOutcome,
  MergeReport,
  MergeRequest,
  MergeStore,
} from "../../../../features/workspaces/merge/model.ts";
import {
  countedTables,
  mergePlan,
  type CountedKind,
  type MergedTable,
} from "../../../../features/workspaces/merge/plan.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import { appendAudit } from "../audit.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import { readBalance } from "../credit-rows.ts";
import type { DirectoryIndex } from "../directory/directory-index.ts";
import type { Connection, Engine } from "../engine.ts";
import { ownersOf } from "../owners.ts";
import { transactAnew } from "../outdated.ts";
import { jobs, workspaces } from "../tables.ts";
import { mergeAccounts, mergeCredits, mergeInvitations, mergeJobs, mergeMembers } from "./decided-rows.ts";
import { moveLeads, moveResults } from "./leads.ts";
import { lockBoth } from "./locks.ts";
import { copyDirectory, removeDirectory } from "./prospects.ts";
import { countLeads, countOf, countProspects, mergeRows, requireNothingLeft, type Sides } from "./tables.ts";

/**
 * Nodes may run meanwhile: their transactions about the two workspaces end before a merge or wait for it. A request for
 * the workspace that ends that has waited fails, and succeeds in the other one once its node knows the key anew.
 */
export function createWorkspaceMerge(engine: Engine, index: DirectoryIndex): MergeStore {
  /** In one transaction, which a dry run takes back. */
  async function mergeIn(connection: Connection, sides: Sides, request: MergeRequest): Promise<MergeOutcome & Folded> {
    const { from, into } = sides;
    await connection.execute(withoutTimeLimits);
    if (!(await lockBoth(connection, sides))) return { ...(await absentOf(connection, request)), unfolded: null };
    const open = await openJobs(connection, sides);
    if (open > 0) return { kind: "busy", jobs: open, unfolded: null };
    const before = await countsBefore(connection, sides);
    const { leads, pausedAccounts } = await mergeTables(connection, sides, request.at);
    // Prospects name the leads that they became.
    const unfolded = request.dryRun ? null : await copyDirectory(connection, sides);
    await removeDirectory(connection, sides);
    await countLeads(connection, sides);
    await requireNothingLeft(connection, from);
    await connection.delete(workspaces).where(eq(workspaces.id, from.id));
    const merged: Partial<MergeReport["merged"]> = { leads };
    for (const [kind, table] of Object.entries(countedTables) as [CountedKind, MergedTable][])
      merged[kind] = mergedCounts(before[kind], await countOf(connection, table, into));
    merged.prospects = request.dryRun
      ? { moved: before.prospects.from, united: 0 }
      : mergedCounts(before.prospects, await countProspects(connection, into));
    await appendAudit(connection, [request.audit]);
    const { credits } = before;
    return { kind: "merged", report: { merged: merged as MergeReport["merged"], credits, pausedAccounts }, unfolded };
  }

  async function mergeTables(connection: Connection, sides: Sides, at: number) {
    let leads: Merged = { moved: 0, united: 0 };
    let pausedAccounts: string[] = [];
    const decided: Partial<Record<MergedTable, () => Promise<unknown>>> = {
      leads: async () => (leads = await moveLeads(connection, engine, sides, at)),
      enrichment_results: () => moveResults(connection, sides),
      // With its reservations.
      credit_ledger: () => mergeCredits(connection, sides),
      jobs: () => mergeJobs(connection, sides),
      members: () => mergeMembers(connection, sides, at),
      invitations: () => mergeInvitations(connection, sides),
      network_accounts: async () => (pausedAccounts = await mergeAccounts(connection, sides)),
    };
    for (const table of Object.keys(mergePlan) as MergedTable[]) {
      if (table === "campaign_enrollments") await outdateMoves(connection, sides);
      await decided[table]?.();
      await mergeRows(connection, table, sides);
    }
    return { leads, pausedAccounts };
  }

  return {
    async merge(request): Promise<MergeOutcome> {
      const sides = await sidesOf(engine.orm, request);
      if (sides === null) return await absentOf(engine.orm, request);
      // Makes the index anew if its rules have changed, which takes transactions of its own.
      await index.prepare(sides.into.owner);
      const undone: { outcome?: MergeOutcome & Folded } = {};
      const merging = transactAnew(engine, async (connection) => {
        const outcome = await mergeIn(connection, sides, request);
        if (!request.dryRun || outcome.kind !== "merged") return outcome;
        undone.outcome = outcome;
        throw takenBack;
      });
      const { unfolded, ...outcome } = await merging.catch((error: unknown) => {
        if (error !== takenBack) throw error;
        return undone.outcome!;
      });
      if (unfolded !== null) index.written(sides.into.owner, unfolded);
      return outcome;
    },
  };
}

type Folded = { unfolded: number | null };

const takenBack = new Error("dry run");

/** Of the session: a merge of large workspaces takes minutes. */
const withoutTimeLimits = sql`
  SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`;

type Counts = Record<CountedKind | "prospects", { from: number; into: number }>;

async function sidesOf(connection: Connection, { from, into }: MergeRequest): Promise<Sides | null> {
  const owners = await ownersOf(connection, [from, into]);
  const [fromOwner, intoOwner] = [owners.get(from), owners.get(into)];
  if (fromOwner === undefined || intoOwner === undefined) return null;
  return { from: { id: from, owner: fromOwner }, into: { id: into, owner: intoOwner } };
}

async function absentOf(connection: Connection, { from, into }: MergeRequest): Promise<MergeOutcome> {
  const owners = await ownersOf(connection, [from, into]);
  return { kind: "absent", id: owners.has(from) ? into : from };
}

async function openJobs(connection: Connection, { from, into }: Sides): Promise<number> {
  const { workspaceId, status, type } = jobs;
  const [row] = await connection
    .select({ n: count() })
    .from(jobs)
    .where(
      and(inArray(workspaceId, [from.id, into.id]), inArray(status, [...blockingStatuses]), ne(type, typeOfMovedJobs)),
    );
  return row?.n ?? 0;
}

async function countsBefore(
  connection: Connection,
  { from, into }: Sides,
): Promise<Counts & { credits: MergeReport["credits"] }> {
  const counts: Partial<Counts> = {
    prospects: { from: await countProspects(connection, from), into: await countProspects(connection, into) },
  };
  for (const [kind, table] of Object.entries(countedTables) as [CountedKind, MergedTable][])
    counts[kind] = { from: await countOf(connection, table, from), into: await countOf(connection, table, into) };
  const balance = (id: WorkspaceId) => readBalance(connection, id);
  return { ...(counts as Counts), credits: { from: await balance(from.id), into: await balance(into.id) } };
}

/** Whoever has read an enrollment before the merge decides about it anew, as part of the other workspace. */
async function outdateMoves(connection: Connection, { from }: Sides): Promise<void> {
  await connection
    .update(campaignEnrollments)
    .set({ version: sql`${campaignEnrollments.version} + 1` })
    .where(eq(campaignEnrollments.workspaceId, from.id));
}
