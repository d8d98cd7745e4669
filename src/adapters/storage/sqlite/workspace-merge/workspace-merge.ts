import type { Database } from "bun:sqlite";
import type { ProspectStore } from "../../../../features/prospecting/store.ts";
import type {
  Merged,
  MergedKind,
  MergeOutcome,
  MergeReport,
  MergeRequest,
  MergeStore,
} from "../../../../features/workspaces/merge/model.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import type { Engine } from "../engine.ts";
import type { CommonRows } from "../common-rows.ts";
import { moveLeads, moveResults, type Side } from "./leads.ts";
import { copyProspects, countProspects, removeDirectory } from "./prospects.ts";
import { keptTables, mergedTables } from "./tables.ts";

type Sides = { from: Side; into: Side };

export function createWorkspaceMerge(engine: Engine, common: CommonRows, prospects: ProspectStore): MergeStore {
  const { database, writer } = engine;
  const { owners, audits, leadParts } = common;

  /** Everything but prospects, in one transaction; a dry run takes it back. */
  function mergeRest(sides: Sides, { at, audit }: MergeRequest): MergeReport {
    const { from, into } = sides;
    const report: MergeReport = { ...reportBefore(database, sides), pausedAccounts: [] };
    report.merged.leads = moveLeads(engine, leadParts, sides, at);
    moveResults(engine, sides);
    removeDirectory(database, from);
    const values = { from: from.id, into: into.id, fromOwner: from.owner, intoOwner: into.owner, at };
    for (const statements of Object.values(mergedTables))
      for (const statement of statements) database.prepare(statement).run(used(statement, values));
    report.pausedAccounts = pausedBy(database, into.id);
    requireNothingLeft(database, from);
    database.run("DELETE FROM workspaces WHERE id = ?", [from.id]);
    audits.append(audit);
    for (const [kind, table] of Object.entries(countedTables) as [MergedKind, string][])
      report.merged[kind] = splitOf(report.merged[kind], countOf(database, table, into));
    return report;
  }

  return {
    async merge(request): Promise<MergeOutcome> {
      const sides = sidesOf(request, owners);
      if ("kind" in sides) return sides;
      const jobs = openJobs(database, sides);
      if (jobs > 0) return { kind: "busy", jobs };
      if (request.dryRun) {
        const reported: { report?: MergeReport } = {};
        await writer
          .write(() => {
            reported.report = mergeRest(sides, request);
            throw takenBack;
          })
          .catch((error: unknown) => {
            if (error !== takenBack) throw error;
          });
        return { kind: "merged", report: reported.report! };
      }
      const counted = { moved: countProspects(database, sides.from), united: countProspects(database, sides.into) };
      await copyProspects(engine, prospects, sides);
      const report = await writer.write(() => mergeRest(sides, request));
      report.merged.prospects = splitOf(counted, countProspects(database, sides.into));
      return { kind: "merged", report };
    },
  };
}

const takenBack = new Error("dry run");

/** Kinds whose rows were merged by statements; what arrived is counted afterwards. */
const countedTables: Partial<Record<MergedKind, string>> = {
  doNotContact: "suppressions",
  networkAccounts: "network_accounts",
  campaigns: "campaigns",
  voices: "voice_clones",
  savedSearches: "saved_searches",
  webhooks: "webhook_endpoints",
  members: "members",
  invitations: "invitations",
  keys: "api_keys",
  jobs: "jobs",
  events: "events",
};

function sidesOf({ from, into }: MergeRequest, owners: CommonRows["owners"]): Sides | MergeOutcome {
  const [fromOwner, intoOwner] = [owners(from), owners(into)];
  if (fromOwner === null) return { kind: "absent", id: from };
  if (intoOwner === null) return { kind: "absent", id: into };
  return { from: { id: from, owner: fromOwner }, into: { id: into, owner: intoOwner } };
}

/** Jobs that hold on to what a merge moves; actions wait in their account's queue, which moves as a whole. */
function openJobs(database: Database, { from, into }: Sides): number {
  const row = database
    .query<{ n: number }, [string, string]>(
      `SELECT count(*) AS n FROM jobs WHERE workspace_id IN (?, ?) AND status IN ('pending', 'running')
       AND type <> 'linkedin_action'`,
    )
    .get(from.id, into.id);
  return row?.n ?? 0;
}

/** Counts of both sides: `moved` is what one has, `united` what the other has. */
function reportBefore(database: Database, { from, into }: Sides): Pick<MergeReport, "merged" | "credits"> {
  const merged = Object.fromEntries(
    Object.entries(countedTables).map(([kind, table]) => [
      kind,
      { moved: countOf(database, table, from), united: countOf(database, table, into) },
    ]),
  ) as MergeReport["merged"];
  const balance = (id: WorkspaceId) =>
    database.query<{ balance: number }, [string]>("SELECT balance FROM credit_balances WHERE workspace_id = ?").get(id)
      ?.balance ?? 0;
  return {
    merged: { ...merged, leads: none, prospects: { moved: countProspects(database, from), united: 0 } },
    credits: { from: balance(from.id), into: balance(into.id) },
  };
}

const none: Merged = { moved: 0, united: 0 };

function splitOf({ moved: arriving, united: before }: Merged, after: number): Merged {
  const moved = after - before;
  return { moved, united: arriving - moved };
}

function countOf(database: Database, table: string, { id, owner }: Side): number {
  const [column, value] = ownerColumn(database, table) === "owner" ? ["owner", owner] : ["workspace_id", id];
  const row = database.query<{ n: number }, [string | number]>(
    `SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`,
  );
  return row.get(value)?.n ?? 0;
}

function ownerColumn(database: Database, table: string): "owner" | "workspace_id" {
  const found = database
    .query<{ name: "owner" | "workspace_id" }, [string]>(
      "SELECT name FROM pragma_table_info(?) WHERE name IN ('owner', 'workspace_id')",
    )
    .get(table);
  if (found === null) throw new Error(`The table ${table} has no owner`);
  return found.name;
}

function pausedBy(database: Database, id: WorkspaceId): string[] {
  const paused = database.query<{ name: string }, [string]>(
    "SELECT name FROM network_accounts WHERE workspace_id = ? AND state_reason LIKE '%twice since a merge.'",
  );
  return paused.all(id).map(({ name }) => name);
}

/** The rows would be deleted together with the workspace. */
function requireNothingLeft(database: Database, from: Side): void {
  for (const table of Object.keys(mergedTables))
    if (!keptTables.includes(table) && countOf(database, table, from) > 0)
      throw new Error(`The merge has left rows in ${table}`);
}

/** SQLite refuses values for parameters that a statement does not have. */
function used(statement: string, values: Record<string, string | number>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      new RegExp(`\\$${name}\\b`).test(statement) ? [[name, value]] : [],
    ),
  );
}
