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
import { decideBulk } from "../../../features/leads/bulk-decision.ts";
import type { BulkBatch, BulkOutcome } from "../../../features/leads/bulk-job-model.ts";
import { leadIdentity } from "../../../features/leads/identity.ts";
import { decideMerge } from "../../../features/leads/merge-decision.ts";
import type { MergeLeads, InsertLead, RemoveLead, UpdateLead } from "../../../features/leads/change-model.ts";
import type { Lead, LeadIdentity } from "../../../features/leads/model.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import type { Engine } from "./engine.ts";
import { createLeadDuplicates } from "./lead-duplicates.ts";
import { createLeadRelinks } from "./lead-relinks.ts";
import { createLeadImports } from "./lead-imports.ts";
import { createLeadValues } from "./lead-values.ts";
import { createLeadQueries } from "./lead-queries.ts";
import type { LeadRows } from "./lead-rows.ts";
import { createMergedLeads } from "./merged-leads.ts";
import type { Owners } from "./owners.ts";
import type { CommonRows } from "./common-rows.ts";
import { type Person, type SuppressionRows } from "./suppressions.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { activeMembers } from "./active-members.ts";

export function createLeadStore(
  engine: Engine,
  { audits, events, jobRows, leadParts, suppressions }: CommonRows,
): LeadStore {
  const { owners, keys, rows } = leadParts;
  const { writer } = engine;
  const isActiveMember = activeMembers(engine);
  const merged = createMergedLeads(engine);
  const relink = createLeadRelinks(engine, events);

  let latest: { workspaceId: WorkspaceId; facts: LeadFacts } | null = null;

  /** Most requests in a row are of one user. */
  function factsOf(workspaceId: WorkspaceId): LeadFacts {
    if (latest?.workspaceId !== workspaceId)
      latest = { workspaceId, facts: createLeadFacts(workspaceId, owners, rows, suppressions, isActiveMember) };
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
      case "patch":
        return rows.patch(change.before, change.lead);
      case "relink":
        return relink(change.workspaceId, change.from, change.to);
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

  const insert = (request: InsertLead) => apply(decideInsert(request, factsOf(request.lead.workspaceId)));

  function bulkBatch(batch: BulkBatch): BulkOutcome {
    const { lead, isActiveMember } = factsOf(batch.workspaceId);
    const { outcome, changes } = decideBulk(batch, { lead, isActiveMember, job: jobRows.get(batch.jobId) });
    for (const change of changes)
      if (change.kind === "job") jobRows.write(change.job, change.change);
      else write(change);
    return outcome;
  }

  const merge = (request: MergeLeads) => apply(decideMerge(request, factsOf(request.workspaceId)));

  const update = (request: UpdateLead) => apply(decideUpdate(request, factsOf(request.workspaceId)));
  const remove = (request: RemoveLead) => apply(decideRemove(request, factsOf(request.workspaceId)));

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
    previewInsert: (request) =>
      suppressions.knowing(
        () => [personOf(request)],
        async () => decideInsert(request, factsOf(request.lead.workspaceId)).outcome,
      ),
    get: async (workspaceId, id) => rows.get(workspaceId, id)?.lead ?? null,
    getAll: async (workspaceId, ids) => ids.flatMap((id) => rows.get(workspaceId, id)?.lead ?? []),
    findSame: async (workspaceId, identity, exceptId) =>
      owners(workspaceId) === null ? null : (findSame(factsOf(workspaceId), identity, exceptId)?.lead ?? null),
    ...createLeadValues(engine, owners),
    ...createLeadQueries(engine, owners, keys),
    update: (request) =>
      suppressions.knowing(
        () => [personOfUpdate(request)],
        () => writer.write(() => update(request)),
      ),
    updateAll: (requests) =>
      suppressions.knowing(
        () => requests.map(personOfUpdate),
        () => writer.write(() => requests.map(update)),
      ),
    remove: (request) => writer.write(() => remove(request)),
    removeAll: (requests) => writer.write(() => requests.map(remove)),
    merge: (request) =>
      suppressions.knowing(
        // Both are asked about, and the entries of one may be known only by the other's identifiers.
        () =>
          [request.keep.id, request.other.id].flatMap((id) => {
            const lead = rows.get(request.workspaceId, id)?.lead;
            return lead === undefined ? [] : [personOf({ lead, identity: leadIdentity(lead) })];
          }),
        () => writer.write(() => merge(request)),
      ),
    mergedInto: async (workspaceId, ids) => merged.into(owners(workspaceId) ?? noOwner, ids),
    ...createLeadDuplicates(engine, owners),
    bulkBatch: (batch) => writer.write(() => bulkBatch(batch)),
    bulkLeadsAtOnce,
    ...createLeadImports(engine, leadParts, suppressions, factsOf),
  };
}

function personOf({ lead, identity }: { lead: Pick<Lead, "workspaceId" | "phone">; identity: LeadIdentity }): Person {
  return { workspaceId: lead.workspaceId, target: targetOf({ lead, identity }) };
}

function personOfUpdate({ content, workspaceId, identity }: UpdateLead): Person {
  return personOf({ lead: { ...content, workspaceId }, identity });
}

/** They block the event loop for about 8 ms. */
const bulkLeadsAtOnce = 200;
/** No user has this number. */
const noOwner = 0;

/** Answers decisions from prepared statements, at the moment they ask. */
function createLeadFacts(
  workspaceId: WorkspaceId,
  owners: Owners,
  rows: LeadRows,
  suppressions: SuppressionRows,
  isActiveMember: (workspaceId: WorkspaceId, userId: UserId) => boolean,
): LeadFacts {
  return {
    get owner() {
      return owners(workspaceId) ?? noOwner;
    },
    lead: (id) => rows.get(workspaceId, id),
    candidates: (key) => rows.candidates(workspaceId, owners(workspaceId) ?? noOwner, key),
    suppression: (target) => suppressions.find(workspaceId, target),
    addressSuppressions: (email) => suppressions.findExact(workspaceId, email),
    isActiveMember: (userId) => isActiveMember(workspaceId, userId),
  };
}
