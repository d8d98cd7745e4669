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
  type LeadFacts,
} from "../../../features/leads/decisions.ts";
import { allKeysOf, emailKey, leadIdentity } from "../../../features/leads/identity.ts";
import type { Lead } from "../../../features/leads/model.ts";
import { decideMerge } from "../../../features/leads/merge-decision.ts";
import type { InsertLead, InsertLeadOutcome, RemoveLead, UpdateLead } from "../../../features/leads/change-model.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import { locksOfReader, lockOfWriter } from "../../../features/suppression/locks.ts";
import type { Lock } from "../../../platform/base/lock.ts";
import type { Connection, Engine } from "./engine.ts";
import { writeLeadChanges } from "./lead-changes.ts";
import { transactAnew } from "./outdated.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { createLeadBulk } from "./lead-bulk.ts";
import { mergedInto } from "./merged-leads.ts";
import { createLeadDuplicates } from "./lead-duplicates.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createLeadValues } from "./lead-values.ts";
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

  /** Each request sees those before it: those that can be about one person are decided and written in turn. */
  async function insertAll(connection: Connection, requests: readonly InsertLead[]): Promise<InsertLeadOutcome[]> {
    const outcomes: InsertLeadOutcome[] = [];
    while (outcomes.length < requests.length) {
      const rest = requests.slice(outcomes.length);
      const { workspaceId } = rest[0]!.lead;
      // One exclusive lock for all: separate locks, in the order of the requests, could deadlock.
      const locks = (owner: number) => [...locksOfReader(workspaceId), allLeads(owner, false)];
      const keys = (owner: number) => rest.flatMap((request) => keysFor(owner, request));
      const decided = await decide(connection, { workspaceId, keys, locks }, ({ facts }) => decideInserts(rest, facts));
      await writeLeadChanges(connection, decided.owner, decided.changes);
      outcomes.push(...decided.outcome);
    }
    return outcomes;
  }

  /** Several changes of leads of one user, in the order of their IDs, so that no two transactions wait for each other. */
  async function changeAll<Request extends UpdateLead | RemoveLead, Outcome>(
    requests: readonly Request[],
    locks: (request: Request) => readonly Lock[],
    decision: (request: Request, facts: LeadFacts) => Decision<Outcome, LeadChange>,
  ): Promise<Outcome[]> {
    const [first] = requests;
    if (first === undefined) return [];
    const sorted = requests.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const outcomes = await change(
      { ...ofUser(first.workspaceId), locks: () => requests.flatMap(locks) },
      ({ facts }): Decision<Map<string, Outcome>, LeadChange> => {
        const decided = sorted.map((request) => [request.id, decision(request, facts)] as const);
        return {
          outcome: new Map(decided.map(([id, { outcome }]) => [id, outcome])),
          changes: decided.flatMap(([, { changes }]) => changes),
        };
      },
    );
    return requests.map(({ id }) => outcomes.get(id)!);
  }

  /** For reading leads alone, without locks and suppressions: one statement instead of three. */
  const reader = async (workspaceId: WorkspaceId) =>
    new LeadFactLoader(orm, workspaceId, (await engine.ownerOf(workspaceId)) ?? 0, phoneRegion, false);

  const ofUser = (workspaceId: WorkspaceId, keys: (owner: number) => number[] = () => []) => ({
    workspaceId,
    keys,
    locks: () => [],
  });

  return {
    insert: (request) => change(insertion(request), ({ facts }) => decideInsert(request, facts)),
    insertAll: (requests) => transactAnew(engine, (connection) => insertAll(connection, requests)),
    previewInsert: async (request) => {
      const { keys, workspaceId } = insertion(request);
      const decided = await decide(orm, ofUser(workspaceId, keys), ({ facts }) => decideInsert(request, facts));
      return decided.outcome;
    },
    get: async (workspaceId, id) => {
      const loader = await reader(workspaceId);
      const found = await decideLoaded(() => loader.facts.lead(id), loader);
      return found?.lead ?? null;
    },
    findSame: async (workspaceId, identity, exceptId) => {
      const loader = await reader(workspaceId);
      const found = await decideLoaded(() => findSame(loader.facts, identity, exceptId), loader);
      return found?.lead ?? null;
    },
    ...createLeadValues(engine),
    ...createLeadQueries(engine),
    getAll: async (workspaceId, ids) => {
      const loader = await reader(workspaceId);
      return await decideLoaded(() => ids.flatMap((id) => loader.facts.lead(id)?.lead ?? []), loader);
    },
    update: async (request) => (await changeAll([request], locksOfUpdate, decideUpdate))[0]!,
    updateAll: (requests) => changeAll(requests, locksOfUpdate, decideUpdate),
    remove: async (request) => (await changeAll([request], locksOfRemoval, decideRemove))[0]!,
    removeAll: (requests) => changeAll(requests, locksOfRemoval, decideRemove),
    merge: (request) =>
      change(
        {
          ...ofUser(request.workspaceId),
          locks: (owner) => [lockOfWriter(request.workspaceId), allLeads(owner, false)],
        },
        ({ facts }) => decideMerge(request, facts),
      ),
    mergedInto: (workspaceId, ids) => mergedInto(engine, workspaceId, ids),
    ...createLeadDuplicates(engine),
    ...createLeadBulk(engine),
    ...createLeadImports(engine),
  };
}

const locksOfUpdate = ({ workspaceId }: UpdateLead): Lock[] => locksOfReader(workspaceId);
const locksOfRemoval = ({ suppress = [] }: RemoveLead): Lock[] =>
  suppress.map(({ workspaceId }) => lockOfWriter(workspaceId));

/**
 * Decides about as many of the requests, from the first one on, as cannot be about the same person, so that no decision
 * depends on the changes of another one.
 */
function decideInserts(requests: readonly InsertLead[], facts: LeadFacts): Decision<InsertLeadOutcome[], LeadChange> {
  const touched = new Set<number>();
  const [outcome, changes]: [InsertLeadOutcome[], LeadChange[]] = [[], []];
  const keysOfContent = ({ lead }: { lead: Lead }) => allKeysOf(facts.owner, leadIdentity(lead), lead.phone);
  for (const request of requests) {
    const former = (request.formerEmails ?? []).map((email) => emailKey(facts.owner, email));
    const own = [...keysOfContent(request), ...former];
    if (own.some((key) => touched.has(key))) break;
    const decided = decideInsert(request, facts);
    outcome.push(decided.outcome);
    changes.push(...decided.changes);
    for (const key of own) touched.add(key);
    for (const written of decided.changes)
      if (written.kind === "replace")
        for (const key of [...keysOfContent(written.before), ...keysOfContent(written)]) touched.add(key);
  }
  return { outcome, changes };
}
