import type { Decision } from "../../../platform/base/decision.ts";
import {
  decideInsert,
  decideRemove,
  decideUpdate,
  findSame,
  targetOf,
  type LeadChange,
  type LeadFacts,
} from "../../../features/leads/decisions.ts";
import type { InsertLead } from "../../../features/leads/change-model.ts";
import type { Lead, LeadIdentity } from "../../../features/leads/model.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import type { Engine } from "./engine.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createLeadQueries } from "./lead-queries.ts";
import type { LeadRows } from "./lead-rows.ts";
import type { Owners } from "./owners.ts";
import type { SharedRows } from "./shared-rows.ts";
import { type Person, type SuppressionRows } from "./suppressions.ts";

export function createLeadStore(engine: Engine, { audits, events, leadParts, suppressions }: SharedRows): LeadStore {
  const { owners, keys, rows } = leadParts;
  const { writer } = engine;

  let latest: { userId: string; facts: LeadFacts } | null = null;

  /** Most requests in a row are of one user. */
  function factsOf(userId: string): LeadFacts {
    if (latest?.userId !== userId) latest = { userId, facts: createLeadFacts(userId, owners, rows, suppressions) };
    return latest.facts;
  }

  function apply<Outcome>({ outcome, changes }: Decision<Outcome, LeadChange>): Outcome {
    for (const change of changes) write(change);
    return outcome;
  }

  function write(change: LeadChange): void {
    switch (change.kind) {
      case "insert":
        return rows.insert(change.lead, change.identity);
      case "replace":
        return rows.replace(change.before, change.lead, change.identity);
      case "remove":
        return rows.remove(change.stored);
      case "suppress":
        return void suppressions.add(change.entry);
      case "audit":
        return audits.append(change.entry);
      case "event":
        return events.append(change.event);
    }
  }

  const insert = (request: InsertLead) => apply(decideInsert(request, factsOf(request.lead.userId)));

  return {
    insert: (request) =>
      suppressions.knowing(
        () => [personOf(request)],
        () => writer.write(() => insert(request)),
      ),
    insertAll: (requests) =>
      suppressions.knowing(
        () => requests.map(personOf),
        () => writer.write(() => requests.map(insert)),
      ),
    together: (work) => writer.together(work),
    previewInsert: (request) =>
      suppressions.knowing(
        () => [personOf(request)],
        async () => decideInsert(request, factsOf(request.lead.userId)).outcome,
      ),
    get: async (userId, id) => rows.get(userId, id)?.lead ?? null,
    findSame: async (userId, identity, exceptId) =>
      owners(userId) === null ? null : (findSame(factsOf(userId), identity, exceptId)?.lead ?? null),
    ...createLeadQueries(engine, owners, keys),
    update: (request) =>
      suppressions.knowing(
        () => [personOf({ lead: { ...request.content, userId: request.userId }, identity: request.identity })],
        () => writer.write(() => apply(decideUpdate(request, factsOf(request.userId)))),
      ),
    remove: (request) => writer.write(() => apply(decideRemove(request, factsOf(request.userId)))),
    ...createLeadImports(engine, leadParts, suppressions, factsOf),
  };
}

function personOf({ lead, identity }: { lead: Pick<Lead, "userId" | "phone">; identity: LeadIdentity }): Person {
  return { userId: lead.userId, target: targetOf({ lead, identity }) };
}

/** No user has this number. */
const noOwner = 0;

/** Answers decisions from prepared statements, at the moment they ask. */
function createLeadFacts(userId: string, owners: Owners, rows: LeadRows, suppressions: SuppressionRows): LeadFacts {
  return {
    get owner() {
      return owners(userId) ?? noOwner;
    },
    lead: (id) => rows.get(userId, id),
    candidates: (key) => rows.candidates(userId, owners(userId) ?? noOwner, key),
    suppression: (target) => suppressions.find(userId, target),
    addressSuppressions: (email) => suppressions.findExact(userId, email),
  };
}
