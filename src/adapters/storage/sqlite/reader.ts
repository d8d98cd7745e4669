import { startThread, type Thread } from "../../../threads.ts";
import type { HintsRead, HintsWanted } from "./lead-hints-reading.ts";
import type { ReadAnswer, ReadRequest } from "./reader-thread.ts";

type Waiting = { question: ReadRequest; resolve: (value: unknown) => void; reject: (reason: unknown) => void };
/** A thread with the one question that it works on. */
type Lane = { thread: Thread<ReadRequest, ReadAnswer>; current: Waiting | null; idle: Timer | undefined };

/** A thread that nobody asked anything for so long gives its memory and its open files back. */
const idleEndMs = 60_000;
/** Two heavy queries at once still leave room for a light one. A thread more takes 2 MB, and cores are few. */
const maxThreads = 3;

/**
 * Runs read-only queries in worker threads with connections of their own, so that a count over millions of rows keeps
 * nobody waiting. A query sees what was committed when it starts. Threads start when they are first needed; each works
 * on one query at a time, and those that wait are taken in the order in which they came. Idle threads end after a while.
 */
export class Reader {
  readonly #path: string;
  readonly #lanes = new Set<Lane>();
  readonly #waiting: Waiting[] = [];
  readonly #idleMs: number;

  constructor(path: string, idleMs = idleEndMs) {
    this.#path = path;
    this.#idleMs = idleMs;
  }

  /** Rows as objects by column name. `query` is a drizzle query's `toSQL()`; the caller names the type of its rows. */
  all<Row>({ sql, params }: { sql: string; params: unknown[] }): Promise<Row[]> {
    return this.#ask({ sql, params }, false) as Promise<Row[]>;
  }

  /** See `readLeadHints`. */
  leadHints(wanted: HintsWanted): Promise<HintsRead | null> {
    return this.#ask({ leadHints: wanted }, false) as Promise<HintsRead | null>;
  }

  /** Moves what is committed from the write-ahead log into the database file, beside the writer and before any query. */
  async checkpoint(): Promise<void> {
    await this.#ask({ checkpoint: true }, true);
  }

  /** Ends the threads; queries under way and those that wait are rejected. */
  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("The database is closed"));
    const lanes = [...this.#lanes];
    for (const { thread, idle } of lanes) {
      clearTimeout(idle);
      thread.stop();
    }
    await Promise.all(lanes.map(({ thread }) => thread.closed));
  }

  #ask(question: ReadRequest, first: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { question, resolve, reject };
      if (first) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const lane = this.#freeLane();
      if (lane === null) return;
      clearTimeout(lane.idle);
      lane.current = this.#waiting.shift()!;
      lane.thread.post(lane.current.question);
    }
  }

  /** Its connection is closed inside: to end the thread alone would leave its files open. */
  #endIfIdle(lane: Lane): void {
    lane.current = { question: { close: true }, resolve: () => {}, reject: () => {} };
    lane.thread.post(lane.current.question);
  }

  #freeLane(): Lane | null {
    for (const lane of this.#lanes) if (lane.current === null) return lane;
    return this.#lanes.size < maxThreads ? this.#start() : null;
  }

  #start(): Lane {
    const thread = startThread<ReadRequest, ReadAnswer>("sqlite-reader", { path: this.#path });
    const lane: Lane = { thread, current: null, idle: undefined };
    this.#lanes.add(lane);
    thread.onMessage((answer) => {
      const { current } = lane;
      // Not free any more.
      if (current !== null && "close" in current.question) return thread.stop();
      lane.current = null;
      if ("value" in answer) current?.resolve(answer.value);
      else current?.reject(Object.assign(new Error(answer.error), { code: answer.code }));
      lane.idle = setTimeout(() => this.#endIfIdle(lane), this.#idleMs);
      lane.idle.unref();
      this.#dispatch();
    });
    void thread.closed.then((reason) => this.#ended(lane, reason));
    return lane;
  }

  // The next query starts a new thread: a read is safe to ask for again.
  #ended(lane: Lane, reason: Error | null): void {
    this.#lanes.delete(lane);
    clearTimeout(lane.idle);
    lane.current?.reject(reason ?? new Error("The database is closed"));
    this.#dispatch();
  }
}
