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
import type { ChangeWriter } from "./network-changes.ts";
import { createDueQueries } from "./network-due.ts";
import type { NetworkParts } from "./network-facts.ts";
import type { ActionRow } from "./network-tables.ts";
import { storedActionJob } from "./stored-job.ts";
import { personOf } from "./suppressions.ts";

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
   * What is being sent, by job, as its claim marked it. Until it ends, no write changes what is read here except for the
   * metadata of its job, so its end need not read it again.
   */
  const sending = new Map<string, Pick<Target, "job" | "row">>();

  function claimDue({ now, limit, leaseUntil }: ClaimRequest, only: ReadonlySet<string> | null) {
    const found = due.at(now, limit).filter(({ job }) => only?.has(job.id) ?? true);
    const { outcome, changes } = decideDue(found.flatMap(targetOf), facts, now, leaseUntil);
    write(changes);
    return { ...outcome, more: found.length >= limit };
  }

  async function claimAndRemember(request: ClaimRequest): ReturnType<NetworkStore["claimDue"]> {
    const { claimed, ...rest } = await claiming(
      () => due.at(request.now, request.limit),
      (only) => writer.write(() => claimDue(request, only)),
    );
    for (const { task, job, row } of claimed) if (task === "send") sending.set(job.id, { job, row });
    return { due: claimed.map(dueActionOf), ...rest };
  }

  /** Runs a claim among jobs whose people the do-not-contact list knows; `only` null: among all. */
  function claiming<T>(
    among: () => { job: Job; row: ActionRow }[],
    claim: (only: ReadonlySet<string> | null) => Promise<T>,
  ): Promise<T> {
    if (!suppressions.asksDirectories) return claim(null);
    const found = among();
    return suppressions.knowing(
      () => found.map(({ row }) => personOf(row)),
      () => claim(new Set(found.map(({ job }) => job.id))),
    );
  }

  function waitingFor({ userId, accountId }: WorkerClaim): { job: Job; row: ActionRow }[] {
    const workers = accounts.workersOf(userId, accountId);
    return workers.flatMap(({ seq }) =>
      due.forWorker.values({ account: seq, limit: mostWorkerCandidates }).map((values) => storedActionJob(values)),
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

  /** The actions of these jobs that are under a claim, by job; their attempt says whose. */
  function heldOf(ids: readonly string[]): Map<string, Target> {
    const rows = due.byJobs.values({ ids: JSON.stringify(ids) }).map((values) => storedActionJob(values));
    const targets = rows.flatMap(targetOf).filter(({ job }) => isHeld(job, job));
    return new Map(targets.map((target) => [target.job.id, target]));
  }

  /** The target of a claim that still holds. */
  function held({ id, attempt }: JobClaim): Target | null {
    const target = heldOf([id]).get(id);
    return target?.job.attempt === attempt ? target : null;
  }

  /** As `heldOf`, for the jobs of claims; of what is being sent it reads only what may have changed. */
  function targetsOf(claims: readonly JobClaim[]): Map<string, Target> {
    const isKnown = ({ id, attempt }: JobClaim): boolean => sending.get(id)?.job.attempt === attempt;
    const unknown = claims.filter((claim) => !isKnown(claim)).map(({ id }) => id);
    const known = claims.filter(isKnown).map(({ id }) => id);
    const targets = unknown.length === 0 ? new Map<string, Target>() : heldOf(unknown);
    for (const { id, attempt, metadata } of known.length === 0 ? [] : due.stillHeld.all(JSON.stringify(known))) {
      const { job, row } = sending.get(id)!;
      const record = accounts.get(row.account);
      if (record !== null && job.attempt === attempt)
        targets.set(id, { job: { ...job, metadata: JSON.parse(metadata) as Job["metadata"] }, row, record });
    }
    return targets;
  }

  /** Whether each claim held, in their order. */
  function endActions(ends: readonly { claim: JobClaim; end: ActionEnd }[]): boolean[] {
    const targets = targetsOf(ends.map(({ claim }) => claim));
    return ends.map(({ claim, end }) => {
      const target = targets.get(claim.id);
      if (target === undefined || target.job.attempt !== claim.attempt) return false;
      // A second end finds no claim.
      targets.delete(claim.id);
      write(decideEnd(target, end, facts));
      return true;
    });
  }

  /** Writes what is decided about the target of a claim. False: void claim, nothing was written. */
  function writeClaimed(claim: JobClaim, decide: (target: Target) => readonly NetworkChange[]): boolean {
    const target = held(claim);
    if (target !== null) write(decide(target));
    return target !== null;
  }

  function markSending(claim: JobClaim, now: number): boolean {
    const target = held(claim);
    if (target === null) return false;
    const { outcome, changes } = decideSend(target, facts, now);
    write(changes);
    return outcome;
  }

  function renewLease(userId: string, claim: JobClaim, leaseUntil: number): boolean {
    const target = held(claim);
    if (target === null) return false;
    const { outcome, changes } = decideRenewal(target, userId, leaseUntil);
    write(changes);
    return outcome;
  }

  /** What was claimed is over, whatever its outcome. */
  async function forgetting<T>({ id }: JobClaim, written: Promise<T>): Promise<T> {
    const value = await written;
    sending.delete(id);
    return value;
  }

  const endTogether = gatherWrites(writer, mostEnds, endActions);

  return {
    claimDue: claimAndRemember,
    markSending: (claim, now) =>
      suppressions.knowing(
        () => [...heldOf([claim.id]).values()].map(({ row }) => personOf(row)),
        () => writer.write(() => markSending(claim, now)),
      ),
    endAction: (claim, end) => forgetting(claim, endTogether({ claim, end })),
    defer: (claim, deferral) =>
      forgetting(
        claim,
        writer.writeForAnswer(() => writeClaimed(claim, (target) => decideDeferral(target, deferral, facts))),
      ),
    delegate: (claim, delegation) =>
      forgetting(
        claim,
        writer.write(() => writeClaimed(claim, (target) => decideDelegation(target, delegation))),
      ),
    claimForWorker: (request) =>
      claiming(
        () => waitingFor(request),
        (only) => writer.writeForAnswer(() => claimForWorker(request, only)),
      ),
    renewLease: (userId, claim, leaseUntil) => writer.writeForAnswer(() => renewLease(userId, claim, leaseUntil)),
  };
}

/** They keep the event loop busy for some milliseconds. */
const mostEnds = 128;
