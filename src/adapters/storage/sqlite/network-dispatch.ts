import type { Job, JobClaim } from "../../../platform/jobs/model.ts";
import {
  decideDeferral,
  decideDelegation,
  decideEnd,
  decideRenewal,
} from "../../../features/network/decisions/attempts.ts";
import type { NetworkChange } from "../../../features/network/decisions/changes.ts";
import {
  decideDue,
  decideForWorker,
  decideSend,
  mostWorkerCandidates,
  type ClaimedTarget,
} from "../../../features/network/decisions/due.ts";
import type { NetworkFacts, Target } from "../../../features/network/decisions/facts.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { ActionEnd, DueAction } from "../../../features/network/queue-model.ts";
import type { Engine } from "./engine.ts";
import { gatherWrites } from "../../../lib/group-commit/gathered-writes.ts";
import { isHeld } from "../../../platform/jobs/transitions.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import { createDueQueries } from "./network-due.ts";
import type { NetworkParts } from "./network-facts.ts";
import type { ActionRow } from "./network-tables.ts";
import { storedActionJob } from "./stored-job.ts";
import { personOf } from "./suppressions.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type DispatchStore = Pick<
  NetworkStore,
  "claimDue" | "markSending" | "endAction" | "defer" | "delegate" | "claimForWorker" | "renewLease"
>;
type ClaimRequest = Parameters<NetworkStore["claimDue"]>[0];
type WorkerClaim = Parameters<NetworkStore["claimForWorker"]>[0];

/** Claims of due actions, and the outcomes of attempts. */
export function createDispatchStore(
  engine: Engine,
  { accounts, actions, suppressions }: NetworkParts,
  facts: NetworkFacts,
  write: ChangeWriter,
): DispatchStore {
  const { writer } = engine;
  const due = createDueQueries(engine);
  /**
   * Actions being sent, by job, as marked by their claim. Until an action ends, writes change only the metadata of its
   * job, so the rest does not need to be read again when it ends.
   */
  const sending = new Map<string, Pick<Target, "job" | "row">>();

  function claimDue({ now, limit, leaseUntil }: ClaimRequest, only: ReadonlySet<string> | null) {
    const found = due.at(now, limit).filter(({ job }) => only?.has(job.id) ?? true);
    const { outcome, changes } = decideDue(found.flatMap(targetOf), facts, now, leaseUntil);
    write(changes);
    return { ...outcome, more: found.length >= limit };
  }

  async function claimAndCache(request: ClaimRequest): ReturnType<NetworkStore["claimDue"]> {
    const { claimed, ...rest } = await claimWithSuppressions(
      () => due.at(request.now, request.limit),
      (only) => writer.write(() => claimDue(request, only)),
    );
    for (const { task, job, row } of claimed) if (task === "send") sending.set(job.id, { job, row });
    return { due: claimed.map(dueActionOf), ...rest };
  }

  /** Loads do-not-contact entries for the people of these jobs, then claims among them. `only` null: no restriction. */
  function claimWithSuppressions<T>(
    candidates: () => { job: Job; row: ActionRow }[],
    claim: (only: ReadonlySet<string> | null) => Promise<T>,
  ): Promise<T> {
    if (!suppressions.asksDirectories) return claim(null);
    const found = candidates();
    return suppressions.knowing(
      () => found.map(({ row }) => personOf(row)),
      () => claim(new Set(found.map(({ job }) => job.id))),
    );
  }

  function waitingFor({ workspaceId, accountId }: WorkerClaim): { job: Job; row: ActionRow }[] {
    const workers = accounts.workersOf(workspaceId, accountId);
    return workers.flatMap(({ seq }) =>
      due
        .forWorker()
        .values({ account: seq, limit: mostWorkerCandidates })
        .map((values) => storedActionJob(values)),
    );
  }

  function claimForWorker(
    request: WorkerClaim,
    only: ReadonlySet<string> | null,
  ): Awaited<ReturnType<NetworkStore["claimForWorker"]>> {
    const found = waitingFor(request).filter(({ job }) => only?.has(job.id) ?? true);
    const { now, leaseUntil } = request;
    const { outcome, changes } = decideForWorker(found.flatMap(targetOf), facts, now, leaseUntil);
    write(changes);
    return outcome.claimed === null ? outcome : { claimed: dueActionOf({ ...outcome.claimed, task: "send" }) };
  }

  function targetOf({ job, row }: { job: Job; row: ActionRow }): Target[] {
    const record = accounts.get(row.account);
    return record === null ? [] : [{ job, row, record }];
  }

  function dueActionOf({ task, job, row, record }: ClaimedTarget): DueAction {
    return { task, job, action: actions.actionOf(row), account: record.account };
  }

  /** The claimed actions of these jobs, by job. Compare the attempt to identify the claim. */
  function claimedTargets(ids: readonly string[]): Map<string, Target> {
    const rows = due
      .byJobs()
      .values({ ids: JSON.stringify(ids) })
      .map((values) => storedActionJob(values));
    const targets = rows.flatMap(targetOf).filter(({ job }) => isHeld(job, job));
    return new Map(targets.map((target) => [target.job.id, target]));
  }

  /** The target of a claim that is still valid. */
  function targetOfClaim({ id, attempt }: JobClaim): Target | null {
    const target = claimedTargets([id]).get(id);
    return target?.job.attempt === attempt ? target : null;
  }

  /** Like `claimedTargets`, for claims. For cached actions, reads only what may have changed. */
  function targetsOf(claims: readonly JobClaim[]): Map<string, Target> {
    const isCached = ({ id, attempt }: JobClaim): boolean => sending.get(id)?.job.attempt === attempt;
    const uncached = claims.filter((claim) => !isCached(claim)).map(({ id }) => id);
    const cached = claims.filter(isCached).map(({ id }) => id);
    const targets = uncached.length === 0 ? new Map<string, Target>() : claimedTargets(uncached);
    for (const { id, attempt, metadata } of cached.length === 0
      ? []
      : due.stillClaimed().all({ ids: JSON.stringify(cached) })) {
      const { job, row } = sending.get(id)!;
      const record = accounts.get(row.account);
      if (record !== null && job.attempt === attempt) targets.set(id, { job: { ...job, metadata }, row, record });
    }
    return targets;
  }

  /** Returns whether each claim was valid, in order. */
  function endActions(ends: readonly { claim: JobClaim; end: ActionEnd }[]): boolean[] {
    const targets = targetsOf(ends.map(({ claim }) => claim));
    return ends.map(({ claim, end }) => {
      const target = targets.get(claim.id);
      if (target === undefined || target.job.attempt !== claim.attempt) return false;
      // A claim can end only once.
      targets.delete(claim.id);
      write(decideEnd(target, end, facts));
      return true;
    });
  }

  /** Writes a decision about the target of a claim. False: the claim is void and nothing was written. */
  function writeClaimed(claim: JobClaim, decide: (target: Target) => readonly NetworkChange[]): boolean {
    const target = targetOfClaim(claim);
    if (target !== null) write(decide(target));
    return target !== null;
  }

  function markSending(claim: JobClaim, now: number): boolean {
    const target = targetOfClaim(claim);
    if (target === null) return false;
    const { outcome, changes } = decideSend(target, facts, now);
    write(changes);
    return outcome;
  }

  function renewLease(workspaceId: WorkspaceId, claim: JobClaim, leaseUntil: number): boolean {
    const target = targetOfClaim(claim);
    if (target === null) return false;
    const { outcome, changes } = decideRenewal(target, workspaceId, leaseUntil);
    write(changes);
    return outcome;
  }

  /** Removes the action of a claim from the cache once its end is written. */
  async function uncacheAfter<T>({ id }: JobClaim, write: Promise<T>): Promise<T> {
    const value = await write;
    sending.delete(id);
    return value;
  }

  const endBatched = gatherWrites(writer, endBatchSize, endActions);

  return {
    claimDue: claimAndCache,
    markSending: (claim, now) =>
      suppressions.knowing(
        () => [...claimedTargets([claim.id]).values()].map(({ row }) => personOf(row)),
        () => writer.write(() => markSending(claim, now)),
      ),
    endAction: (claim, end) => uncacheAfter(claim, endBatched({ claim, end })),
    defer: (claim, deferral) =>
      uncacheAfter(
        claim,
        writer.write(() => writeClaimed(claim, (target) => decideDeferral(target, deferral, facts))),
      ),
    delegate: (claim, delegation) =>
      uncacheAfter(
        claim,
        writer.write(() => writeClaimed(claim, (target) => decideDelegation(target, delegation))),
      ),
    claimForWorker: (request) =>
      claimWithSuppressions(
        () => waitingFor(request),
        (only) => writer.write(() => claimForWorker(request, only)),
      ),
    renewLease: (workspaceId, claim, leaseUntil) => writer.write(() => renewLease(workspaceId, claim, leaseUntil)),
  };
}

/** Takes a few milliseconds of the event loop. */
const endBatchSize = 128;
