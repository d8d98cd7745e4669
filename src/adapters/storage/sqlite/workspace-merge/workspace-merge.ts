import type { Database } from "bun:sqlite";
import { and, count, inArray, ne } from "drizzle-orm";
import type { ProspectStore } from "../../../../features/prospecting/store.ts";
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
import type { Engine } from "../engine.ts";
import type { CommonRows } from "../common-rows.ts";
import { jobs, workspaces } from "../tables.ts";
import { mergeAccounts, mergeCredits, mergeInvitations, mergeJobs, mergeMembers } from "./decided-rows.ts";
import { moveLeads, moveResults } from "./leads.ts";
import { copyProspects, countProspects, removeDirectory } from "./prospects.ts";
import { countAnew, countOf, mergeRows, requireNothingLeft, type Sides } from "./tables.ts";

export function createWorkspaceMerge(engine: Engine, common: CommonRows, prospects: ProspectStore): MergeStore {
  const { database, writer } = engine;
  const { audits, leadParts } = common;

  /** Everything but prospects, in one transaction; a dry run takes it back. */
  function mergeRest(sides: Sides, { at, audit }: MergeRequest): MergeReport {
    const { from, into } = sides;
    const { counts, credits } = reportBefore(database, sides);
    let leads: Merged = none;
    let pausedAccounts: string[] = [];
    const decided: Partial<Record<MergedTable, () => void>> = {
      leads: () => (leads = moveLeads(engine, leadParts, sides, at)),
      enrichment_results: () => moveResults(engine, sides),
      // With its reservations.
      credit_ledger: () => mergeCredits(engine, sides),
      jobs: () => mergeJobs(engine, sides),
      members: () => mergeMembers(engine, sides, at),
      invitations: () => mergeInvitations(engine, sides),
      network_accounts: () => (pausedAccounts = mergeAccounts(engine, sides)),
    };
    for (const table of Object.keys(mergePlan) as MergedTable[]) {
      decided[table]?.();
      mergeRows(database, table, sides);
    }
    removeDirectory(database, from);
    countAnew(database, sides);
    requireNothingLeft(database, from);
    database.run("DELETE FROM workspaces WHERE id = ?", [from.id]);
    audits.append(audit);
    const counted = Object.entries(countedTables).map(([kind, table]) => [
      kind,
      mergedCounts(counts[kind as CountedKind], countOf(database, table, into)),
    ]);
    const merged = Object.fromEntries(counted) as Record<CountedKind, Merged>;
    return { merged: { ...merged, leads, prospects: none }, credits, pausedAccounts };
  }

  /** Undoes it in the end. */
  async function mergeForReport(sides: Sides, request: MergeRequest): Promise<MergeReport> {
    const reported: { report?: MergeReport } = {};
    await writer
      .write(() => {
        reported.report = mergeRest(sides, request);
        throw takenBack;
      })
      .catch((error: unknown) => {
        if (error !== takenBack) throw error;
      });
    return reported.report!;
  }

  return {
    async merge(request): Promise<MergeOutcome> {
      const sides = sidesOf(engine, request);
      if ("kind" in sides) return sides;
      const open = openJobs(engine, sides);
      if (open > 0) return { kind: "busy", jobs: open };
      const before = { from: countProspects(database, sides.from), into: countProspects(database, sides.into) };
      if (request.dryRun) {
        const report = await mergeForReport(sides, request);
        report.merged.prospects = { moved: before.from, united: 0 };
        return { kind: "merged", report };
      }
      await copyProspects(engine, prospects, sides);
      const report = await writer.write(() => mergeRest(sides, request));
      report.merged.prospects = mergedCounts(before, countProspects(database, sides.into));
      return { kind: "merged", report };
    },
  };
}

const takenBack = new Error("dry run");

function sidesOf({ orm }: Engine, { from, into }: MergeRequest): Sides | MergeOutcome {
  const { id, seq } = workspaces;
  const found = orm
    .select({ id, owner: seq })
    .from(workspaces)
    .where(inArray(id, [from, into]))
    .all();
  const [gone, kept] = [from, into].map((wanted) => found.find((side) => side.id === wanted));
  if (gone === undefined || kept === undefined) return { kind: "absent", id: gone === undefined ? from : into };
  return { from: gone, into: kept };
}

function openJobs({ orm }: Engine, { from, into }: Sides): number {
  const { workspaceId, status, type } = jobs;
  const row = orm
    .select({ n: count() })
    .from(jobs)
    .where(
      and(inArray(workspaceId, [from.id, into.id]), inArray(status, [...blockingStatuses]), ne(type, typeOfMovedJobs)),
    )
    .get();
  return row?.n ?? 0;
}

function reportBefore(database: Database, { from, into }: Sides) {
  const counts = Object.fromEntries(
    Object.entries(countedTables).map(([kind, table]) => [
      kind,
      { from: countOf(database, table, from), into: countOf(database, table, into) },
    ]),
  ) as Record<CountedKind, { from: number; into: number }>;
  const balance = (id: WorkspaceId) =>
    database.query<{ balance: number }, [string]>("SELECT balance FROM credit_balances WHERE workspace_id = ?").get(id)
      ?.balance ?? 0;
  return { counts, credits: { from: balance(from.id), into: balance(into.id) } };
}

const none: Merged = { moved: 0, united: 0 };
