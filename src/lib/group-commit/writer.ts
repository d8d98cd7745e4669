import { AsyncLocalStorage } from "node:async_hooks";
import type { Connection } from "./connection.ts";

/**
 * Takes part in transactions: a request that records its progress in each transaction with its writes, or a table whose
 * rows are collected and written at the end.
 */
export type TransactionParticipant = {
  /** Called inside the open transaction, after its units, to write what belongs to it. */
  beforeCommit(): void;
  /** Called once the promises of the units have settled. Must not throw. */
  committed?(): void;
  /** The transaction, or the unit that joined, was rolled back: discards what is in memory about it. */
  rolledBack(): void;
};

/** What the running code belongs to, such as a request. Each unit that it queues has its participant. */
export type Participation = { readonly participant: TransactionParticipant | null };

/** Receives the number of units of each commit and the seconds it took, including their work: histograms, for example. */
export type CommitMetrics = Record<"units" | "seconds", { observe(value: number): void }>;

type Unit = {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  participant: TransactionParticipant | null;
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

/** Runs what belongs to no caller. */
const outside = AsyncLocalStorage.snapshot();

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
 * A participant of the code that queues a unit is part of each transaction in which one of its units changed something.
 * Other participants join from inside a unit.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #current: AsyncLocalStorage<Participation>;
  /** Participants that have joined the running transaction. */
  #joined = new Set<TransactionParticipant>();
  readonly #onRollback: (() => void)[] = [];
  #metrics: CommitMetrics | null = null;
  #queue: Unit[] = [];
  #scheduled = false;
  #isSynced = true;
  #isClosing = false;
  #closed = false;

  constructor(connection: Connection, current = new AsyncLocalStorage<Participation>()) {
    this.#connection = connection;
    this.#current = current;
  }

  /** Whether the running code has a participant. */
  get hasParticipant(): boolean {
    return (this.#current.getStore()?.participant ?? null) !== null;
  }

  /** Called inside a unit: the participant takes part in the running transaction. */
  join(participant: TransactionParticipant): void {
    this.#joined.add(participant);
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
    return this.#add(run, true);
  }

  /** Calls `forget` when a unit or a whole batch was rolled back, to discard what is in memory about it. */
  onRollback(forget: () => void): void {
    this.#onRollback.push(forget);
  }

  measure(metrics: CommitMetrics): void {
    this.#metrics = metrics;
  }

  /** Commits what is queued and rejects further writes. */
  close(): void {
    this.#isClosing = true;
    while (this.#queue.length > 0) this.#commitBatch();
    this.#closed = true;
  }

  #add<T>(run: () => T, isRelaxed = false): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("The database is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run,
        resolve: resolve as (value: unknown) => void,
        reject,
        participant: this.#current.getStore()?.participant ?? null,
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
    outside(() => setImmediate(commitOnceGathered));
  }

  #commitBatch(): void {
    const batch = this.#queue.slice(0, maxBatch);
    if (batch.length === 0) return;
    let outcome: Outcome;
    try {
      outcome = this.#runTogether(batch) ?? this.#transact(batch, (unit, into) => this.#runGuarded(unit, into));
    } catch (error) {
      this.#rollback();
      this.#queue.splice(0, batch.length);
      for (const unit of batch) unit.reject(error);
      return;
    }
    this.#queue.splice(0, batch.length);
    for (const participant of outcome.participants) participant.committed?.();
    for (const { unit, value } of outcome.done) unit.resolve(value);
    for (const { unit, value } of outcome.failed) unit.reject(value);
    const joined = this.#joined;
    this.#joined = new Set();
    for (const participant of joined) participant.committed?.();
    this.#connection.maintain();
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
    this.#sync(!batch.every(({ isRelaxed }) => isRelaxed));
    this.#connection.begin();
    const startedAt = performance.now();
    const endAt = startedAt + maxBatchMs;
    for (const [index, unit] of batch.entries()) {
      if (index > 0 && performance.now() > endAt) batch.length = index;
      else run(unit, outcome);
    }
    try {
      for (const participant of outcome.participants) participant.beforeCommit();
      this.#finish();
      this.#connection.commit();
    } catch (error) {
      for (const participant of outcome.participants) participant.rolledBack();
      throw error;
    }
    this.#metrics?.units.observe(batch.length);
    this.#metrics?.seconds.observe((performance.now() - startedAt) / 1000);
    return outcome;
  }

  /** Sets whether the next commit waits for the disk. */
  #sync(isWaiting: boolean): void {
    if (this.#isSynced === isWaiting) return;
    this.#connection.waitForDisk(isWaiting);
    this.#isSynced = isWaiting;
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

  /** Runs a unit in a savepoint. */
  #runGuarded(unit: Unit, outcome: Outcome): void {
    outcome.changes = null;
    this.#connection.setSavepoint();
    try {
      const value = this.#valueOf(unit, outcome);
      this.#finish();
      this.#connection.releaseSavepoint();
      outcome.done.push({ unit, value });
    } catch (error) {
      // SQLite ends the whole transaction on some errors, such as a full disk. Nothing of the batch is written then.
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.rollbackToSavepoint();
      this.#connection.releaseSavepoint();
      this.#notifyRollback();
      outcome.failed.push({ unit, value: error });
    }
  }

  #finish(): void {
    for (const participant of this.#joined) participant.beforeCommit();
  }

  #notifyRollback(): void {
    for (const participant of this.#joined) participant.rolledBack();
    for (const forget of this.#onRollback) forget();
  }

  #rollback(): void {
    this.#notifyRollback();
    this.#joined = new Set();
    if (!this.#connection.isInTransaction) return;
    try {
      this.#connection.rollback();
    } catch {
      // The connection is unusable; the batch is rejected with the first error, which says why.
    }
  }
}
