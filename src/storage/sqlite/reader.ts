import { startThread, type Thread } from "../../threads.ts";
import type { ReadAnswer, ReadRequest } from "./reader-thread.ts";

type Question = { sql: string; params: unknown[] } | { checkpoint: true };
type Waiting = { resolve: (rows: unknown[]) => void; reject: (reason: unknown) => void };

/**
 * Runs read-only queries in a worker thread with its own connection, so that a count over millions of rows keeps
 * nobody waiting. It sees what was committed when the query starts. The thread starts with the first query.
 */
export class Reader {
  readonly #path: string;
  #thread: Thread<ReadRequest, ReadAnswer> | null = null;
  #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Rows as objects by column name. `query` is a drizzle query's `toSQL()`; the caller names the type of its rows. */
  all<Row>({ sql, params }: { sql: string; params: unknown[] }): Promise<Row[]> {
    return this.#ask({ sql, params }) as Promise<Row[]>;
  }

  /** Moves what is committed from the write-ahead log into the database file, beside the writer. */
  async checkpoint(): Promise<void> {
    await this.#ask({ checkpoint: true });
  }

  /** Ends the thread; queries under way are rejected. */
  async close(): Promise<void> {
    this.#thread?.stop();
    await this.#thread?.closed;
  }

  #ask(request: Question): Promise<unknown[]> {
    const thread = (this.#thread ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.post({ ...request, id });
    });
  }

  #start(): Thread<ReadRequest, ReadAnswer> {
    const thread = startThread<ReadRequest, ReadAnswer>("sqlite-reader", { path: this.#path });
    thread.onMessage((answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ("rows" in answer) waiting?.resolve(answer.rows);
      else waiting?.reject(Object.assign(new Error(answer.error), { code: answer.code }));
    });
    void thread.closed.then((reason) => this.#ended(reason));
    return thread;
  }

  // The next query starts a new thread: a read is safe to ask for again.
  #ended(reason: Error | null): void {
    this.#thread = null;
    for (const { reject } of this.#waiting.values()) reject(reason ?? new Error("The database is closed"));
    this.#waiting.clear();
  }
}
