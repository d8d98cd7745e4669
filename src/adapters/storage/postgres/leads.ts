import type { Decision } from "../../../platform/base/decision.ts";
import {
  allLeads,
  decideInsert,
  decideRemove,
  decideUpdate,
  findSame,
  keysOf,
  leadLocks,
  type LeadChange,
} from "../../../features/leads/decisions.ts";
import type { InsertLead, InsertLeadOutcome } from "../../../features/leads/change-model.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import { locksOfReader, lockOfWriter } from "../../../features/suppression/locks.ts";
import type { Lock } from "../../../platform/base/lock.ts";
import type { Connection, Engine } from "./engine.ts";
import { transactAnew, writeLeadChanges } from "./lead-changes.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createLeadQueries } from "./lead-queries.ts";
import { decideLoaded } from "./loaded.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Decisions over facts that were loaded, under locks, in the transaction that writes their changes. */
export function createLeadStore(engine: Engine): LeadStore {
  const { orm, phoneRegion } = engine;

  /** `keys`: those of the leads that the decision will compare. */
  async function decide<Outcome>(
    connection: Connection,
    {
      workspaceId,
      locks,
      keys,
    }: { workspaceId: WorkspaceId; locks: (owner: number) => readonly Lock[]; keys: (owner: number) => number[] },
    decision: (loader: LeadFactLoader) => Decision<Outcome, LeadChange>,
  ): Promise<{ owner: number } & Decision<Outcome, LeadChange>> {
    const loader = await LeadFactLoader.open(connection, workspaceId, phoneRegion, locks);
    loader.expectCandidates(keys(loader.owner));
    const decided = await decideLoaded(() => decision(loader), loader);
    return { owner: loader.owner, ...decided };
  }

  function change<Outcome>(
    asked: Parameters<typeof decide>[1],
    decision: (loader: LeadFactLoader) => Decision<Outcome, LeadChange>,
  ): Promise<Outcome> {
    return transactAnew(engine, async (connection) => {
      const { owner, outcome, changes } = await decide(connection, asked, decision);
      await writeLeadChanges(connection, owner, changes);
      return outcome;
    });
  }

  /** Nothing is compared with a lead that is created in any case. */
  const keysFor = (owner: number, { identity, onDuplicate }: InsertLead) =>
    onDuplicate === "create" ? [] : keysOf(owner, identity);

  const insertion = (request: InsertLead) => ({
    workspaceId: request.lead.workspaceId,
    locks: (owner: number) => leadLocks(owner, request),
    keys: (owner: number) => keysFor(owner, request),
  });

  async function insertAll(connection: Connection, requests: readonly InsertLead[]): Promise<InsertLeadOutcome[]> {
    const outcomes: InsertLeadOutcome[] = [];
    for (const request of requests) {
      const { keys, workspaceId } = insertion(request);
      // One exclusive lock for all: separate locks, in the order of the requests, could deadlock.
      const locks = (owner: number) => [...locksOfReader(workspaceId), allLeads(owner, false)];
      const decided = await decide(connection, { workspaceId, keys, locks }, ({ facts }) =>
        decideInsert(request, facts),
      );
      await writeLeadChanges(connection, decided.owner, decided.changes);
      outcomes.push(decided.outcome);
    }
    return outcomes;
  }

  const ofUser = (workspaceId: WorkspaceId, keys: (owner: number) => number[] = () => []) => ({
    workspaceId,
    keys,
    locks: () => [],
  });

  return {
    insert: (request) => change(insertion(request), ({ facts }) => decideInsert(request, facts)),
    insertAll: (requests) => transactAnew(engine, (connection) => insertAll(connection, requests)),
    // Each change has its own transaction: this engine has no shared commits.
    together: (work) => work(),
    previewInsert: async (request) => {
      const { keys, workspaceId } = insertion(request);
      const decided = await decide(orm, ofUser(workspaceId, keys), ({ facts }) => decideInsert(request, facts));
      return decided.outcome;
    },
    get: async (workspaceId, id) => {
      const loader = await LeadFactLoader.open(orm, workspaceId, phoneRegion, () => []);
      const found = await decideLoaded(() => loader.facts.lead(id), loader);
      return found?.lead ?? null;
    },
    findSame: async (workspaceId, identity, exceptId) => {
      const loader = await LeadFactLoader.open(orm, workspaceId, phoneRegion, () => []);
      const found = await decideLoaded(() => findSame(loader.facts, identity, exceptId), loader);
      return found?.lead ?? null;
    },
    ...createLeadQueries(engine),
    update: (request) =>
      change({ ...ofUser(request.workspaceId), locks: () => locksOfReader(request.workspaceId) }, ({ facts }) =>
        decideUpdate(request, facts),
      ),
    remove: (request) =>
      change(
        {
          ...ofUser(request.workspaceId),
          locks: () => (request.suppress ?? []).map(({ workspaceId }) => lockOfWriter(workspaceId)),
        },
        ({ facts }) => decideRemove(request, facts),
      ),
    ...createLeadImports(engine),
  };
}
