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
  /** Shared with those that are committed together with it. */
  group: object | null;
  /** Settles before the commit, if it has a participant. */
  isBeforeResponse: boolean;
  /** Would be done again after a power cut. */
  isRelaxed: boolean;
};
type Settled = { unit: Unit; value: unknown };
/** `participants` are those of units that changed something; `changes` is what was counted last, if that still holds. */
type Outcome = {
  done: Settled[];
  failed: Settled[];
  participants: Set<TransactionParticipant>;
  changes: number | null;
};

/** How many units share one commit at most, and how long they run: bounds how long one commit keeps the event loop. */
const maxBatch = 256;
const maxBatchMs = 10;

/**
 * So often a request's next writes are taken into the transaction of those before in any case, which is more than nearly
 * every route has; more often while there is time. What does not fit is a transaction of its own, and a crash between the
 * two leaves a request of which nobody knows the answer.
 */
const alwaysFollowed = 4;

const groups = new AsyncLocalStorage<object>();

/**
 * For so long a commit waits for the next turn of the event loop, as long as each brings more units: with what one turn
 * brings, half of those who are served at once are in a commit, and each commit writes nearly the same pages.
 */
const gatherMs = 5;

/**
 * The one writer of the database, with group commit: units that are queued until a turn of the event loop brings no
 * more run in one transaction, and no promise settles before the COMMIT that made its unit durable. A unit must be
 * synchronous.
 * A unit that throws is rolled back alone: the batch is undone and runs again, then with a savepoint for each unit. So
 * a unit must do the same when it runs twice. Savepoints for all would cost as much as many a unit itself.
 *
 * A unit with a participant (`participant.ts`) has it record something in the same transaction. With `writeBeforeResponse` its
 * promise settles before the COMMIT, and what follows without waiting for anything else is run, so that the participant
 * can record that as well; whoever has it along must not let anything out before the participant is `committed`. If what
 * follows is another such write, it is run in the same transaction, too. When that fails, so does whatever the
 * participant's work writes next.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #afterCommit: () => void;
  readonly #beforeBegin: (() => void)[] = [];
  readonly #beforeCommit: (() => void)[] = [];
  readonly #onRollBack: (() => void)[] = [];
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

  /** Resolves with what `run` answered, after its effect is on disk. */
  write<T>(run: () => T): Promise<T> {
    return this.#add(run);
  }

  /**
   * As `write`, for a step of long work that would be done again after a power cut, and that nobody has an answer of: a
   * commit of such steps alone does not wait for the disk. They get there in order, at the latest with the next commit
   * that waits, which is that of whoever tells of the work's end or builds on what it stored.
   */
  writeRelaxed<T>(run: () => T): Promise<T> {
    return this.#add(run, { isRelaxed: true });
  }

  /**
   * As `write`, for what an answer is put together from: a request's last write, or one that only others of these follow.
   * No other thread, file or host may be told of the effect, because for a request with a participant it may not be on disk
   * yet.
   */
  writeBeforeResponse<T>(run: () => T): Promise<T> {
    return this.#add(run, { isBeforeResponse: true });
  }

  /** All units that `work` queues before the next commit are in that commit, however long they take together. */
  together<T>(work: () => Promise<T>): Promise<T> {
    return groups.run({}, work);
  }

  /** `end` is called before each transaction: for what else is open on the connection. */
  beforeBegin(end: () => void): void {
    this.#beforeBegin.push(end);
  }

  /** `finish` is called in each transaction behind its units and what participants recorded: for what all of them leave to be written in one go. */
  beforeCommit(finish: () => void): void {
    this.#beforeCommit.push(finish);
  }

  /** `forget` is called when what a unit, or a whole batch, has written does not hold: for what was kept in memory of it. */
  onRollBack(forget: () => void): void {
    this.#onRollBack.push(forget);
  }

  /** `tell` is called after each COMMIT, once the promises of its units are settled. It must not throw. */
  onCommit(tell: () => void): void {
    this.#onCommit.push(tell);
  }

  /** `listener` hears of every commit: of how many units, and for how many seconds, their work included. */
  onBatch(listener: (units: number, seconds: number) => void): void {
    this.#onBatch = listener;
  }

  /** Commits what is queued and takes no more. */
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

  /** `gathered`: so many units have waited for a commit already. */
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
    // Of all whose units it has, not of the one who was first.
    runOutsideRequest(() => setImmediate(commitOnceGathered));
  }

  #commitBatch(): void {
    const batch = this.#queue.slice(0, withGroups(this.#queue, maxBatch));
    if (batch.length === 0) return;
    let outcome: Outcome;
    try {
      outcome = this.#runTogether(batch) ?? this.#transact(batch, (unit, into) => this.#runGuarded([unit], into));
    } catch (error) {
      this.#rollBack();
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

  /** Null when a unit failed: then nothing of the batch was written. */
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
      this.#rollBack();
      return null;
    }
  }

  /** As many units as fit into the time; the others are taken out of the batch. */
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
      this.#giveUpFollowing(batch.length);
      throw error;
    }
    this.#onBatch?.(batch.length, (performance.now() - startedAt) / 1000);
    return outcome;
  }

  /** Whether the next commit is to wait for the disk. */
  #sync(isWaiting: boolean): void {
    if (this.#isSynced === isWaiting) return;
    this.#connection.waitForDisk(isWaiting);
    this.#isSynced = isWaiting;
  }

  /** From here on nothing of the batch runs again. */
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
      // Not when it closes: that may come from a microtask, and there is nobody left to be answered.
      if (early.length === 0 || this.#isClosing) break;
      drainMicrotasks();
      const hasMore = this.#queue.length > batch.length;
      if (hasMore && (rounds < alwaysFollowed || performance.now() < endAt)) this.#runFollowing(batch, outcome);
    }
    for (const participant of participants) participant.record();
  }

  /** Takes into the batch, and runs, what those whose units were settled early have written besides. */
  #runFollowing(batch: Unit[], outcome: Outcome): void {
    const early = new Set(outcome.done.filter(({ unit }) => isSettledEarly(unit)).map(({ unit }) => unit.participant));
    const isFollowing = (unit: Unit): boolean => isSettledEarly(unit) && early.has(unit.participant);
    const { following = [], others = [] } = Object.groupBy(this.#queue.slice(batch.length), (unit) =>
      isFollowing(unit) ? "following" : "others",
    );
    if (following.length === 0) return;
    batch.push(...following);
    this.#queue = [...batch, ...others];
    // Should one of them fail, what was written before is not undone with it.
    this.#finish();
    this.#runGuarded(following, outcome);
  }

  /** What was written on the ground of something that does not hold; it is in the queue behind the first `from` units. */
  #giveUpFollowing(from: number): void {
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

  /** In a savepoint; should one of several fail, each in one of its own. */
  #runGuarded(units: readonly Unit[], outcome: Outcome): void {
    outcome.changes = null;
    this.#connection.setSavepoint();
    try {
      const done = units.map((unit) => ({ unit, value: this.#valueOf(unit, outcome) }));
      this.#finish();
      this.#connection.releaseSavepoint();
      outcome.done.push(...done);
    } catch (error) {
      // SQLite ends the whole transaction by itself on some errors, such as a full disk: then nothing of the batch holds.
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.rollbackToSavepoint();
      this.#connection.releaseSavepoint();
      this.#rolledBack();
      if (units.length > 1) for (const unit of units) this.#runGuarded([unit], outcome);
      else for (const unit of units) outcome.failed.push({ unit, value: error });
    }
  }

  #finish(): void {
    for (const finish of this.#beforeCommit) finish();
  }

  #rolledBack(): void {
    for (const forget of this.#onRollBack) forget();
  }

  #rollBack(): void {
    this.#rolledBack();
    if (!this.#connection.isInTransaction) return;
    try {
      this.#connection.rollback();
    } catch {
      // The connection is unusable; the batch is rejected with the first error, which says why.
    }
  }
}

/** How many units of the queue are taken, if at least `count` are: no group is torn apart. */
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
