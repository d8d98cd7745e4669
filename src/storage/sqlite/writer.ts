import type { Database, Statement } from "bun:sqlite";

type Unit = { run: () => unknown; resolve: (value: unknown) => void; reject: (reason: unknown) => void };
type Settled = { unit: Unit; value: unknown };
type Outcome = { done: Settled[]; failed: Settled[] };

/** Prepared once: compiling them anew for each unit would cost as much as a small write. */
const controls = {
  begin: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  rollBack: "ROLLBACK",
  enter: "SAVEPOINT unit",
  leave: "RELEASE unit",
  undo: "ROLLBACK TO unit",
};

/** How many units share one commit at most, and how long they run: bounds how long one commit keeps the event loop. */
const maxBatch = 256;
const maxBatchMs = 10;

/**
 * The one writer of the database, with group commit: all units queued in a turn of the event loop run in one
 * transaction, and no promise settles before the COMMIT that made its unit durable. A unit must be synchronous.
 * A unit that throws is rolled back alone: the batch is undone and runs again, then with a savepoint for each unit. So
 * a unit must do the same when it runs twice. Savepoints for all would cost as much as many a unit itself.
 */
export class Writer {
  readonly #database: Database;
  readonly #afterCommit: () => void;
  readonly #statements: Record<keyof typeof controls, Statement>;
  readonly #onRollBack: (() => void)[] = [];
  #queue: Unit[] = [];
  #scheduled = false;
  #closed = false;

  /** `afterCommit` is called after each COMMIT. */
  constructor(database: Database, afterCommit: () => void = () => {}) {
    this.#database = database;
    this.#afterCommit = afterCommit;
    const prepared = Object.entries(controls).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#statements = Object.fromEntries(prepared) as Record<keyof typeof controls, Statement>;
  }

  /** Resolves with what `run` answered, after its effect is on disk. */
  write<T>(run: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("The database is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** `forget` is called when what a unit, or a whole batch, has written does not hold: for what was kept in memory of it. */
  onRollBack(forget: () => void): void {
    this.#onRollBack.push(forget);
  }

  /** Commits what is queued and takes no more. */
  close(): void {
    while (this.#queue.length > 0) this.#commitBatch();
    this.#closed = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commitBatch();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #commitBatch(): void {
    const batch = this.#queue.slice(0, maxBatch);
    if (batch.length === 0) return;
    let outcome: Outcome;
    try {
      outcome = this.#runTogether(batch) ?? this.#transact(batch, (unit, into) => this.#runAlone(unit, into));
    } catch (error) {
      this.#rollBack();
      this.#queue.splice(0, batch.length);
      for (const unit of batch) unit.reject(error);
      return;
    }
    this.#queue.splice(0, batch.length);
    for (const { unit, value } of outcome.done) unit.resolve(value);
    for (const { unit, value } of outcome.failed) unit.reject(value);
    this.#afterCommit();
  }

  /** Null when a unit failed: then nothing of the batch was written. */
  #runTogether(batch: Unit[]): Outcome | null {
    let hasFailed = false;
    try {
      return this.#transact(batch, (unit, { done }) => {
        hasFailed = true;
        done.push({ unit, value: valueOf(unit) });
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
    const outcome: Outcome = { done: [], failed: [] };
    this.#statements.begin.run();
    const endAt = performance.now() + maxBatchMs;
    for (const [index, unit] of batch.entries()) {
      if (index > 0 && performance.now() > endAt) batch.length = index;
      else run(unit, outcome);
    }
    this.#statements.commit.run();
    return outcome;
  }

  #runAlone(unit: Unit, { done, failed }: Outcome): void {
    this.#statements.enter.run();
    try {
      const value = valueOf(unit);
      this.#statements.leave.run();
      done.push({ unit, value });
    } catch (error) {
      // SQLite ends the whole transaction by itself on some errors, such as a full disk: then nothing of the batch holds.
      if (!this.#database.inTransaction) throw error;
      this.#statements.undo.run();
      this.#statements.leave.run();
      this.#rolledBack();
      failed.push({ unit, value: error });
    }
  }

  #rolledBack(): void {
    for (const forget of this.#onRollBack) forget();
  }

  #rollBack(): void {
    this.#rolledBack();
    if (!this.#database.inTransaction) return;
    try {
      this.#statements.rollBack.run();
    } catch {
      // The connection is unusable; the batch is rejected with the first error, which says why.
    }
  }
}

function valueOf(unit: Unit): unknown {
  const value = unit.run();
  if (value instanceof Promise) throw new TypeError("A write unit must be synchronous");
  return value;
}
