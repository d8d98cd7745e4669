import { isoTime } from "../../../platform/base/clock.ts";
import { shortReason } from "../../../platform/events/model.ts";
import type { Job } from "../../../platform/jobs/model.ts";
import type { JobClaim } from "../../../platform/jobs/store.ts";
import { actionKinds } from "../../../features/network/action-kinds.ts";
import { neverAt } from "../../../features/network/action-model.ts";
import { nextCoolDown } from "../../../features/network/cool-down.ts";
import type { ActionEnd, DueAction, Handed, NetworkStore, PutOff } from "../../../features/network/store.ts";
import type { Hold } from "../../../features/network/governor/slot.ts";
import type { Engine } from "./engine.ts";
import { gatherWrites } from "../../../lib/group-commit/gathered-writes.ts";
import { isHeld } from "./job-claim.ts";
import { createDueQueries } from "./network-due.ts";
import { createMarks } from "./network-marks.ts";
import { meterCode, type AccountRecord } from "./network-accounts.ts";
import { personOf } from "./network-objections.ts";
import type { ScheduleParts, Scheduling } from "./network-schedule.ts";
import { networkMeters, type ActionRow } from "./network-tables.ts";
import { storedActionJob } from "./stored-job.ts";

type DispatchStore = Pick<
  NetworkStore,
  "claimDue" | "markSending" | "endAction" | "putOff" | "hand" | "claimForWorker" | "renewLease"
>;
type ClaimRequest = Parameters<NetworkStore["claimDue"]>[0];
type WorkerClaim = Parameters<NetworkStore["claimForWorker"]>[0];
type Target = { job: Job; row: ActionRow; record: AccountRecord };

/** Decides at the last moment, and writes down what comes of an attempt. */
export function createDispatchStore(engine: Engine, parts: ScheduleParts, scheduling: Scheduling): DispatchStore {
  const { orm, database, writer } = engine;
  const { accounts, actions, jobRows, slots, campaigns, suppressions, objectionTo, events } = parts;
  const marks = createMarks(engine, parts);
  const due = createDueQueries(engine);
  /**
   * What is being sent, by job, as its claim marked it: until it ends nobody writes what is read here, but for the
   * metadata of its job, so that its end need not read it again.
   */
  const sending = new Map<string, Pick<Target, "job" | "row">>();
  const wait = database.query(
    "UPDATE jobs SET status = ?, run_at = ?, lease_until = ?, message = ?, updated_at = ? WHERE id = ?",
  );

  /** The job as it is once it has its lease. */
  function leased({ job, row, record }: Target, task: DueAction["task"], now: number, leaseUntil: number): DueAction {
    const lease = { status: "running", attempt: job.attempt + 1, leaseUntil, updatedAt: now } as const;
    return { task, job: Object.assign(job, lease), action: actions.actionOf(row), account: record.account };
  }

  /**
   * Back into the queue, with the moment at which it is looked at again. `keepsPlace`: the queue is about to be planned
   * again, and those behind it shall not pass it meanwhile.
   */
  function waitUntil(
    { job, row, record }: Target,
    { until, reason }: Hold,
    now: number,
    { keepsPlace = false, message = "" } = {},
  ): void {
    const isNever = !Number.isFinite(until);
    const slotAt = isNever || keepsPlace ? (row.slotAt ?? now) : until;
    actions.settle(row, "scheduled", { pendingReason: reason, used: 0, slotAt, now });
    wait.run("pending", isNever ? neverAt : until, null, message, now, job.id);
    accounts.countChange(record);
  }

  /** Whether an action is still to be sent; if not, it is ended. */
  function isWanted(target: Target, now: number): boolean {
    const { row, record } = target;
    // It was paused, and the action is still to be taken back; the campaign schedules it anew when it goes on.
    if (row.campaignId !== null && !campaigns.isRunning(row.campaignId)) {
      campaigns.beginAgain(row.jobId, now);
      scheduling.takeBack(row.jobId, now);
      return false;
    }
    const objection = objectionTo(record.seq, row, now);
    if (objection !== null) scheduling.skip(target, objection, now);
    return objection === null;
  }

  /** Whether an action may go at this moment; if not, it is put off or ended. `catchUp` as `slots.holdNow` has it. */
  function mayGo(target: Target, now: number, catchUp?: () => void): boolean {
    const { row, record } = target;
    if (!isWanted(target, now)) return false;
    const hold = slots.holdNow(record, row, now, catchUp);
    if (hold === null) return true;
    // A little later is the course of things. After a longer wait, or when the service was down, everything is planned
    // anew in the same order, so that what piled up does not go out at the shortest distance.
    const isLate = row.slotAt !== null && row.slotAt < now - shortDelayMs;
    const wantsPlan = Number.isFinite(hold.until) && (isLate || hold.until - now > shortWaitMs);
    waitUntil(target, hold, now, { keepsPlace: wantsPlan });
    if (wantsPlan) accounts.wantPlan(record);
    return false;
  }

  /** What is to be done for an action that is due; null: nothing now. `catchUp` as `mayGo` has it. */
  function taskOf(target: Target, now: number, catchUp: () => void): DueAction["task"] | null {
    const { job, row, record } = target;
    switch (row.state) {
      case "scheduled":
        if (record.account.connector === "worker" && record.account.state === "active") {
          actions.settle(row, "awaiting", { pendingReason: "awaitingWorker", used: 0, slotAt: row.slotAt, now });
          wait.run("running", job.runAt, null, "", now, job.id);
          return null;
        }
        if (!mayGo(target, now, catchUp)) return null;
        return row.actionType === "sendVoiceMessage" ? "prepare" : "send";
      case "awaiting":
        return "follow";
      default:
        if (row.pendingReason === "awaitingPerson") waitUntil(target, { until: now, reason: "queued" }, now);
        else interrupted(target, now);
        return null;
    }
  }

  /** Nobody can say what came of it: its runner or worker died on the way. */
  function interrupted(target: Target, now: number): void {
    const end: ActionEnd = {
      state: "unknown",
      message: `It was interrupted while it was being sent. ${notRepeated}`,
      metadata: { outcome: "unknown", reason: "interrupted" },
      reference: null,
      relation: null,
      at: now,
    };
    scheduling.end(target, end, target.row.slotAt ?? now);
  }

  /** `only`: the jobs of the people about whom `knowing` knows; null where that has nothing to find out. */
  function claimDue({ now, limit, leaseUntil }: ClaimRequest, only: ReadonlySet<string> | null) {
    const found = due.at(now, limit).filter(({ job }) => only?.has(job.id) ?? true);
    const taken: (Target & { task: DueAction["task"] })[] = [];
    let marked = 0;
    /** Marks those that were let go so far: what they take from their meters counts for those behind them. */
    const catchUp = (): void => {
      if (marked === taken.length) return;
      marks.markSending(
        taken.slice(marked).filter(({ task }) => task === "send"),
        now,
      );
      marked = taken.length;
    };
    for (const { job, row } of found) {
      const record = accounts.get(row.account);
      if (record === null) continue;
      const task = taskOf({ job, row, record }, now, catchUp);
      if (task !== null) taken.push({ job, row, record, task });
    }
    catchUp();
    const ids = taken.map(({ job }) => job.id);
    marks.lease(ids, now, leaseUntil);
    const wantsPlan = found.some(({ row }) => accounts.get(row.account)?.needsPlan);
    const claimed = taken.map((target) => leased(target, target.task, now, leaseUntil));
    return { taken, answer: { due: claimed, more: found.length >= limit, wantsPlan } };
  }

  /** Runs a claim among jobs about whose people `knowing` knows. */
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

  async function claimAndRemember(request: ClaimRequest) {
    const { taken, answer } = await claiming(
      () => due.at(request.now, request.limit),
      (only) => writer.write(() => claimDue(request, only)),
    );
    for (const { task, job, row } of taken) if (task === "send") sending.set(job.id, { job, row });
    return answer;
  }

  /** What was claimed is over, whatever came of it. */
  async function forgetting<T>({ id }: JobClaim, written: Promise<T>): Promise<T> {
    const value = await written;
    sending.delete(id);
    return value;
  }

  /** The actions of these jobs that are in somebody's hands, by job; in whose tells the attempt. */
  function heldOf(ids: readonly string[]): Map<string, Target> {
    const targets = new Map<string, Target>();
    for (const values of due.byJobs.values({ ids: JSON.stringify(ids) })) {
      const { job, row } = storedActionJob(values);
      const record = accounts.get(row.account);
      if (record !== null && isHeld(job, job)) targets.set(job.id, { job, row, record });
    }
    return targets;
  }

  /** The target of a claim that still holds. */
  function held({ id, attempt }: JobClaim): Target | null {
    const target = heldOf([id]).get(id);
    return target?.job.attempt === attempt ? target : null;
  }

  /** As `heldOf`, for the jobs of claims; of what is being sent only that is read which may have changed. */
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

  function markSending(claim: JobClaim, now: number): boolean {
    const target = held(claim);
    if (target?.row.state !== "scheduled" || !mayGo(target, now)) return false;
    marks.markSending([target], now);
    return true;
  }

  function putOff(claim: JobClaim, change: PutOff): boolean {
    const target = held(claim);
    if (target === null) return false;
    const { record, row, job } = target;
    if (change.kind === "retry") {
      const tries = job.failures + 1;
      if (tries >= job.maxAttempts) return giveUp(target, change.message, change.at);
      jobRows.write(job, { failures: tries });
      const until = Math.max(change.retryAt, change.at + 1);
      actions.notBefore(row, until);
      events.postponed(record, row, change.message, until, change.at);
      waitUntil(target, { until, reason: "retry" }, change.at, { message: change.message });
    } else if (change.kind === "limited") {
      const until = rest(record, row, change);
      events.postponed(record, row, change.reason, until, change.at);
      waitUntil(target, { until, reason: "cooldown" }, change.at, { keepsPlace: true });
      accounts.wantPlan(record);
    } else {
      if (record.account.state !== "needsReconnect")
        events.account("account.reconnect_required", record, change.at, { reason: shortReason(change.reason) });
      accounts.disconnect(record, change.reason, change.at);
      events.postponed(record, row, change.reason, neverAt, change.at);
      waitUntil(target, { until: Infinity, reason: "accountNeedsReconnect" }, change.at);
    }
    return true;
  }

  function giveUp(target: Target, reason: string, now: number): boolean {
    const message = `Given up after ${target.job.maxAttempts} attempts that had no effect. ${reason}`;
    const metadata = { outcome: "failed", reason };
    scheduling.end(target, { state: "failed", message, metadata, reference: null, relation: null, at: now });
    return true;
  }

  /** Lets the meter of an action rest, and answers until when. */
  function rest(record: AccountRecord, row: ActionRow, signal: Extract<PutOff, { kind: "limited" }>): number {
    const { meter } = actionKinds[row.actionType];
    const before = record.governed.coolDowns.find((coolDown) => coolDown.meter === meter);
    const coolDown = nextCoolDown(meter, before, signal);
    const change = {
      coolUntil: coolDown.until,
      coolLevel: coolDown.level,
      coolReason: coolDown.reason,
      coolSince: coolDown.since,
    };
    orm
      .insert(networkMeters)
      .values({ account: record.seq, meter: meterCode(meter), ...change })
      .onConflictDoUpdate({ target: [networkMeters.account, networkMeters.meter], set: change })
      .run();
    const told = { meter, until: isoTime(coolDown.until), reason: shortReason(coolDown.reason) };
    events.account("account.limit_reached", record, signal.at, told);
    return coolDown.until;
  }

  function hand(claim: JobClaim, { to, reference, checkAt, message, at: now }: Handed): boolean {
    const target = held(claim);
    if (target === null) return false;
    const pendingReason = to === "person" ? "awaitingPerson" : "awaitingVendor";
    const { row, job } = target;
    actions.settle(row, "awaiting", { pendingReason, used: 1, slotAt: row.slotAt, now });
    if (reference !== null) actions.refer(row, reference);
    // A parked job; its lease ends when it is time to ask after it.
    wait.run("running", job.runAt, checkAt, message, now, job.id);
    return true;
  }

  function waitingFor({ userId, accountId }: WorkerClaim): { job: Job; row: ActionRow }[] {
    const workers = accounts.workersOf(userId, accountId);
    return workers.flatMap(({ seq }) => due.forWorker.all({ account: seq, limit: workerLook }));
  }

  function claimForWorker(
    { userId, accountId, now, leaseUntil }: WorkerClaim,
    only: ReadonlySet<string> | null,
  ): Awaited<ReturnType<NetworkStore["claimForWorker"]>> {
    let retryAt: number | null = null;
    for (const { seq } of accounts.workersOf(userId, accountId)) {
      for (const { job, row } of due.forWorker.all({ account: seq, limit: workerLook })) {
        const record = accounts.get(seq);
        if (record === null || only?.has(job.id) === false) continue;
        const target = { job, row, record };
        if (!isWanted(target, now)) continue;
        const hold = slots.holdNow(record, row, now);
        if (hold === null) {
          marks.markSending([target], now, true);
          marks.lease([job.id], now, leaseUntil);
          return { claimed: leased(target, "send", now, leaseUntil) };
        }
        if (Number.isFinite(hold.until)) retryAt = Math.min(retryAt ?? hold.until, hold.until);
      }
    }
    return { claimed: null, retryAt };
  }

  /** Whether each claim held, in their order. */
  function endActions(ends: readonly { claim: JobClaim; end: ActionEnd }[]): boolean[] {
    const targets = targetsOf(ends.map(({ claim }) => claim));
    return ends.map(({ claim, end }) => {
      const target = targets.get(claim.id);
      if (target === undefined || target.job.attempt !== claim.attempt) return false;
      // Who ends it a second time finds no claim any more.
      targets.delete(claim.id);
      // It counts from when it went out, which the network may have answered late.
      scheduling.end(target, end, target.row.used === 1 ? (target.row.slotAt ?? end.at) : end.at);
      return true;
    });
  }

  const endInTurn = gatherWrites(writer, endsTogether, endActions);

  return {
    claimDue: claimAndRemember,
    markSending: (claim, now) =>
      suppressions.knowing(
        () => [...heldOf([claim.id]).values()].map(({ row }) => personOf(row)),
        () => writer.write(() => markSending(claim, now)),
      ),
    endAction: (claim, end) => forgetting(claim, endInTurn({ claim, end })),
    putOff: (claim, change) =>
      forgetting(
        claim,
        writer.writeForAnswer(() => putOff(claim, change)),
      ),
    hand: (claim, handed) =>
      forgetting(
        claim,
        writer.write(() => hand(claim, handed)),
      ),
    claimForWorker: (request) =>
      claiming(
        () => waitingFor(request),
        (only) => writer.writeForAnswer(() => claimForWorker(request, only)),
      ),
    renewLease: (userId, claim, leaseUntil) =>
      writer.writeForAnswer(() => {
        const target = held(claim);
        const isWorkers = target?.row.state === "sending" && target.row.pendingReason === "awaitingWorker";
        if (target?.row.userId !== userId || !isWorkers) return false;
        jobRows.write(target.job, { leaseUntil });
        return true;
      }),
  };
}

/** They keep the event loop for some milliseconds. */
const endsTogether = 128;
/** A wait that is shorter than this does not disturb the plan. */
const shortWaitMs = 15 * 60_000;
/** An action that is later than this was not held up by those before it. */
const shortDelayMs = 60_000;
/** How many of an account's actions a worker's claim looks at: behind one that is capped, another kind may be free. */
const workerLook = 50;
const notRepeated =
  "It may or may not have had its effect, so it is not repeated. Look at the profile, then tell the outcome.";
