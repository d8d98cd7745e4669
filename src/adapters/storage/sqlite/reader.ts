import { startThread, type Thread } from "../../../threads.ts";
import type { HintsRead, HintsWanted } from "./lead-hints-reading.ts";
import type { ReadAnswer, ReadRequest } from "./reader-thread.ts";

type Waiting = { question: ReadRequest; resolve: (value: unknown) => void; reject: (reason: unknown) => void };
/** A thread and the query it is running. */
type Lane = { thread: Thread<ReadRequest, ReadAnswer>; current: Waiting | null; idle: Timer | undefined };

/** A thread that is idle for this long ends, which frees its memory and files. */
const idleEndMs = 60_000;
/** With three threads, two heavy queries leave room for a light one. Each thread takes 2 MB. */
const maxThreads = 3;

/**
 * Runs read-only queries in worker threads with separate connections, so that a count over millions of rows does not block
 * the event loop. A query sees what was committed when it starts. Threads start on demand, and each runs one query at a
 * time, in the order of arrival. Idle threads end.
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

  /** Rows as objects. `query` is the `toSQL()` of a drizzle query; the caller specifies the type of its rows. */
  all<Row>({ sql, params }: { sql: string; params: unknown[] }): Promise<Row[]> {
    return this.#ask({ sql, params }, false) as Promise<Row[]>;
  }

  /** See `readLeadHints`. */
  leadHints(wanted: HintsWanted): Promise<HintsRead | null> {
    return this.#ask({ leadHints: wanted }, false) as Promise<HintsRead | null>;
  }

  /** Moves committed pages from the write-ahead log to the database file, before any waiting query. */
  async checkpoint(): Promise<void> {
    await this.#ask({ checkpoint: true }, true);
  }

  /** Ends the threads. Running and waiting queries are rejected. */
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

  /** The thread closes its connection: terminating it would leave the files open. */
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
      // The thread is no longer free.
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

  // The next query starts a new thread: reads can be repeated.
  #ended(lane: Lane, reason: Error | null): void {
    this.#lanes.delete(lane);
    clearTimeout(lane.idle);
    lane.current?.reject(reason ?? new Error("The database is closed"));
    this.#dispatch();
  }
}
