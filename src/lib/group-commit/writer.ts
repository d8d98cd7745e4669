import { AsyncLocalStorage } from "node:async_hooks";
import { drainMicrotasks } from "bun:jsc";
import { runOutsideRequest } from "../concurrency/outside-request.ts";
import type { Connection } from "./connection.ts";
import { currentParticipant, type TransactionParticipant } from "./participant.ts";

type Unit = {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  participant: TransactionParticipant | null;
  /** Shared by units that must be committed together. */
  group: object | null;
  /** Settles before the commit if it has a participant. */
  isBeforeResponse: boolean;
  /** Would be repeated after a power failure. */
  isRelaxed: boolean;
};
type Settled = { unit: Unit; value: unknown };
/** `participants`: those of units that changed something. `changes`: the last count, if it is still valid. */
type Outcome = {
  done: Settled[];
  failed: Settled[];
  participants: Set<TransactionParticipant>;
  changes: number | null;
};

/** Maximum number and run time of the units in one commit. They limit how long a commit blocks the event loop. */
const maxBatch = 256;
const maxBatchMs = 10;

/**
 * How many times the next writes of a request join the transaction of its previous ones in any case, which is enough
 * for nearly every route; more if there is time. The rest goes to a second transaction, and a crash between the two
 * leaves a request whose response is unknown.
 */
const alwaysFollowed = 4;

const groups = new AsyncLocalStorage<object>();

/**
 * How long a commit waits for further turns of the event loop, as long as each brings more units. The units of a single
 * turn are only half of those of concurrent requests, and each commit writes nearly the same pages.
 */
const gatherMs = 5;

/**
 * The only writer of a database, with group commit: units that are queued within a few turns of the event loop run in
 * one transaction, and no promise settles before the COMMIT that made its unit durable. A unit must be synchronous. A
 * unit that throws is rolled back alone: the batch is rolled back and runs again with a savepoint for each unit. So a
 * unit must have the same effect if it runs twice. Always using savepoints would cost as much as a small unit.
 *
 * The participant of a unit (`participant.ts`) records a row in the same transaction. With `writeBeforeResponse`, the
 * promise of a unit settles before the COMMIT, and code that follows without waiting for anything else runs, so that
 * the participant can record its result as well. No result may leave the process before the participant is `committed`.
 * If another such write follows, it runs in the same transaction. If that fails, the participant's next write fails
 * too.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #afterCommit: () => void;
  readonly #beforeBegin: (() => void)[] = [];
  readonly #beforeCommit: (() => void)[] = [];
  readonly #onRollback: (() => void)[] = [];
  readonly #onCommit: (() => void)[] = [];
  #onBatch: ((units: number, seconds: number) => void) | null = null;
  #queue: Unit[] = [];
  #scheduled = false;
  #isSynced = true;
  #isClosing = false;
  #closed = false;

  /** `afterCommit` is called after each COMMIT. */
  constructor(connection: Connection, afterCommit: () => void = () => {}) {
    this.#connection = connection;
    this.#afterCommit = afterCommit;
  }

  /** Resolves with the result of `run` once its effect is on disk. */
  write<T>(run: () => T): Promise<T> {
    return this.#add(run);
  }

  /**
   * Like `write`, for a step of long work that would be repeated after a power failure and whose result is not reported
   * to anyone. A commit that contains only such steps does not wait for the disk. They become durable in order, at the
   * latest with the next commit that waits: the one that reports the end of the work, or builds on it.
   */
  writeRelaxed<T>(run: () => T): Promise<T> {
    return this.#add(run, { isRelaxed: true });
  }

  /**
   * Like `write`, for the last write of a request, or one that is followed only by others like it, from which the
   * response is built. Its effect must not reach another thread, file, or host, because with a participant it may not
   * be on disk yet.
   */
  writeBeforeResponse<T>(run: () => T): Promise<T> {
    return this.#add(run, { isBeforeResponse: true });
  }

  /** All units that `work` queues before the next commit are part of that commit, however long they take. */
  together<T>(work: () => Promise<T>): Promise<T> {
    return groups.run({}, work);
  }

  /** Calls `end` before each transaction, to end what else is open on the connection. */
  beforeBegin(end: () => void): void {
    this.#beforeBegin.push(end);
  }

  /**
   * Calls `finish` in each transaction after its units and participants, for writes that they have deferred to the end.
   */
  beforeCommit(finish: () => void): void {
    this.#beforeCommit.push(finish);
  }

  /** Calls `forget` when a unit or a whole batch was rolled back, to discard what is in memory about it. */
  onRollback(forget: () => void): void {
    this.#onRollback.push(forget);
  }

  /** Calls `tell` after each COMMIT, once the promises of its units have settled. It must not throw. */
  onCommit(tell: () => void): void {
    this.#onCommit.push(tell);
  }

  /** Calls `listener` for every commit with the number of units and the seconds that it took, including their work. */
  onBatch(listener: (units: number, seconds: number) => void): void {
    this.#onBatch = listener;
  }

  /** Commits what is queued and rejects further writes. */
  close(): void {
    this.#isClosing = true;
    while (this.#queue.length > 0) this.#commitBatch();
    this.#closed = true;
  }

  #add<T>(run: () => T, { isBeforeResponse = false, isRelaxed = false } = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("The database is closed"));
    const participant = currentParticipant();
    const lost = participant === null ? null : participant.takeFailure();
    if (lost !== null) return Promise.reject(lost.reason);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run,
        resolve: resolve as (value: unknown) => void,
        reject,
        participant,
        group: groups.getStore() ?? null,
        isBeforeResponse,
        isRelaxed,
      });
      this.#schedule();
    });
  }

  /** `gathered`: number of units that already wait for a commit. */
  #schedule(gathered = 0): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const gatherUntil = performance.now() + gatherMs;
    const commitOnceGathered = (): void => {
      const hasMore = this.#queue.length > gathered && this.#queue.length < maxBatch;
      gathered = this.#queue.length;
      if (hasMore && !this.#isClosing && performance.now() < gatherUntil) {
        setImmediate(commitOnceGathered);
        return;
      }
      this.#scheduled = false;
      this.#commitBatch();
      if (this.#queue.length > 0) this.#schedule(this.#queue.length);
    };
    // The commit belongs to all of its units, not to the request of the first one.
    runOutsideRequest(() => setImmediate(commitOnceGathered));
  }

  #commitBatch(): void {
    const batch = this.#queue.slice(0, withGroups(this.#queue, maxBatch));
    if (batch.length === 0) return;
    let outcome: Outcome;
    try {
      outcome = this.#runTogether(batch) ?? this.#transact(batch, (unit, into) => this.#runGuarded([unit], into));
    } catch (error) {
      this.#rollback();
      this.#queue.splice(0, batch.length);
      for (const unit of batch) unit.reject(error);
      return;
    }
    this.#queue.splice(0, batch.length);
    for (const participant of outcome.participants) participant.committed();
    for (const { unit, value } of outcome.done) unit.resolve(value);
    for (const { unit, value } of outcome.failed) unit.reject(value);
    this.#afterCommit();
    for (const tell of this.#onCommit) tell();
  }

  /** Returns null if a unit failed; nothing of the batch was written then. */
  #runTogether(batch: Unit[]): Outcome | null {
    let hasFailed = false;
    try {
      return this.#transact(batch, (unit, outcome) => {
        hasFailed = true;
        outcome.done.push({ unit, value: this.#valueOf(unit, outcome) });
        hasFailed = false;
      });
    } catch (error) {
      if (!hasFailed) throw error;
      this.#rollback();
      return null;
    }
  }

  /** Runs as many units as fit into the time and removes the others from the batch. */
  #transact(batch: Unit[], run: (unit: Unit, into: Outcome) => void): Outcome {
    const outcome: Outcome = { done: [], failed: [], participants: new Set(), changes: null };
    for (const end of this.#beforeBegin) end();
    this.#sync(!batch.every(({ isRelaxed }) => isRelaxed));
    this.#connection.begin();
    const startedAt = performance.now();
    const endAt = startedAt + maxBatchMs;
    for (const [index, unit] of batch.entries()) {
      if (index > 0 && performance.now() > endAt && withGroups(batch, index) === index) batch.length = index;
      else run(unit, outcome);
    }
    try {
      if (outcome.participants.size > 0) this.#record(batch, outcome, endAt);
      this.#finish();
      this.#connection.commit();
    } catch (error) {
      for (const participant of outcome.participants) participant.failed(error);
      this.#rejectFollowing(batch.length);
      throw error;
    }
    this.#onBatch?.(batch.length, (performance.now() - startedAt) / 1000);
    return outcome;
  }

  /** Sets whether the next commit waits for the disk. */
  #sync(isWaiting: boolean): void {
    if (this.#isSynced === isWaiting) return;
    this.#connection.waitForDisk(isWaiting);
    this.#isSynced = isWaiting;
  }

  /** From here on, no unit of the batch runs again. */
  #record(batch: Unit[], outcome: Outcome, endAt: number): void {
    const { done, participants } = outcome;
    for (let settled = 0, rounds = 0; settled < done.length; rounds++) {
      for (const participant of participants) participant.wrote();
      const early = done.slice(settled).filter(({ unit }) => isSettledEarly(unit));
      settled = done.length;
      for (const { unit, value } of early) {
        unit.participant?.settledEarly();
        unit.resolve(value);
      }
      // Not while closing, which may itself be called from a microtask; no request is waiting then.
      if (early.length === 0 || this.#isClosing) break;
      drainMicrotasks();
      const hasMore = this.#queue.length > batch.length;
      if (hasMore && (rounds < alwaysFollowed || performance.now() < endAt)) this.#runFollowing(batch, outcome);
    }
    for (const participant of participants) participant.record();
  }

  /** Adds the follow-up writes of units that have settled early to the batch, and runs them. */
  #runFollowing(batch: Unit[], outcome: Outcome): void {
    const early = new Set(outcome.done.filter(({ unit }) => isSettledEarly(unit)).map(({ unit }) => unit.participant));
    const isFollowing = (unit: Unit): boolean => isSettledEarly(unit) && early.has(unit.participant);
    const { following = [], others = [] } = Object.groupBy(this.#queue.slice(batch.length), (unit) =>
      isFollowing(unit) ? "following" : "others",
    );
    if (following.length === 0) return;
    batch.push(...following);
    this.#queue = [...batch, ...others];
    // So that a failure of one of them does not undo earlier writes.
    this.#finish();
    this.#runGuarded(following, outcome);
  }

  /** Rejects writes that build on rolled-back ones. They are in the queue after the first `from` units. */
  #rejectFollowing(from: number): void {
    const failures = new Map<TransactionParticipant, { reason: unknown }>();
    this.#queue = this.#queue.filter(({ participant, reject }, at) => {
      if (at < from || participant === null) return true;
      const failure = failures.get(participant) ?? participant.takeFailure();
      if (failure === null) return true;
      failures.set(participant, failure);
      reject(failure.reason);
      return false;
    });
  }

  #valueOf({ run, participant }: Unit, outcome: Outcome): unknown {
    const before = participant === null ? null : (outcome.changes ?? this.#connection.countChanges());
    outcome.changes = null;
    const value = run();
    if (value instanceof Promise) throw new TypeError("A write unit must be synchronous");
    if (participant === null || before === null) return value;
    outcome.changes = this.#connection.countChanges();
    if (outcome.changes > before) outcome.participants.add(participant);
    return value;
  }

  /** Runs units in a savepoint. If one of several fails, runs each in its own. */
  #runGuarded(units: readonly Unit[], outcome: Outcome): void {
    outcome.changes = null;
    this.#connection.setSavepoint();
    try {
      const done = units.map((unit) => ({ unit, value: this.#valueOf(unit, outcome) }));
      this.#finish();
      this.#connection.releaseSavepoint();
      outcome.done.push(...done);
    } catch (error) {
      // SQLite ends the whole transaction on some errors, such as a full disk. Nothing of the batch is written then.
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.rollbackToSavepoint();
      this.#connection.releaseSavepoint();
      this.#notifyRollback();
      if (units.length > 1) for (const unit of units) this.#runGuarded([unit], outcome);
      else for (const unit of units) outcome.failed.push({ unit, value: error });
    }
  }

  #finish(): void {
    for (const finish of this.#beforeCommit) finish();
  }

  #notifyRollback(): void {
    for (const forget of this.#onRollback) forget();
  }

  #rollback(): void {
    this.#notifyRollback();
    if (!this.#connection.isInTransaction) return;
    try {
      this.#connection.rollback();
    } catch {
      // The connection is unusable; the batch is rejected with the first error, which says why.
    }
  }
}

/** Returns how many units of the queue to take, starting from `count`, so that no group is split. */
function withGroups(queue: readonly Unit[], count: number): number {
  let taken = Math.min(count, queue.length);
  for (let from = 0; from < taken;) {
    const started = new Set(queue.slice(from, taken).map(({ group }) => group));
    started.delete(null);
    from = taken;
    if (started.size > 0) taken = 1 + queue.findLastIndex(({ group }, at) => at < from || started.has(group));
  }
  return taken;
}

function isSettledEarly({ isBeforeResponse, participant }: Unit): boolean {
  return isBeforeResponse && participant !== null;
}
