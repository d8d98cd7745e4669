import type { FacetValue, FoundNumbers } from "../../../../features/prospecting/facets/search.ts";
import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import type { Database } from "bun:sqlite";
import { freeMemory } from "../../../../lib/concurrency/garbage.ts";
import { startThread, type Thread } from "../../../../threads.ts";
import type { Writer } from "../../../../lib/group-commit/writer.ts";
import { createIndexWriter } from "./index-writer.ts";
import {
  arraysOfWrite,
  type IndexAnswer,
  type IndexQuestion,
  type IndexRequest,
  type KeyHints,
  type StoredRows,
} from "./index-messages.ts";

type Waiting = { resolve: (result: unknown) => void; reject: (reason: unknown) => void };

/**
 * Searches directories in a separate thread, which follows commits on its own: an answer includes everything that was
 * committed before the question. The thread starts with the first question. Its writes are performed here.
 */
export class ProspectIndex {
  readonly #engine: { database: Database; writer: Writer };
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Thread<IndexRequest, IndexAnswer> | null = null;
  #writeWork: ReturnType<typeof createIndexWriter> | null = null;
  #lastId = 0;

  constructor(engine: { database: Database; writer: Writer }, path: string) {
    this.#engine = engine;
    this.#path = path;
  }

  search(owner: number, question: Omit<Extract<IndexQuestion, { kind: "search" }>, "kind">): Promise<FoundNumbers> {
    return this.#ask(owner, { kind: "search", ...question }) as Promise<FoundNumbers>;
  }

  facet(owner: number, question: Omit<Extract<IndexQuestion, { kind: "facet" }>, "kind">): Promise<FacetValue[]> {
    return this.#ask(owner, { kind: "facet", ...question }) as Promise<FacetValue[]>;
  }

  sample(owner: number, query: TermQuery, size: number): Promise<number[]> {
    return this.#ask(owner, { kind: "sample", query, size }) as Promise<number[]>;
  }

  matchCounts(owner: number, query: TermQuery, lists: string[][]): Promise<number[]> {
    return this.#ask(owner, { kind: "matchCounts", query, lists }) as Promise<number[]>;
  }

  /** `before`: one more than the number of the last committed prospect. Later ones need not be read. */
  find(owner: number, keys: readonly number[], most: number, before: number): Promise<KeyHints> {
    return this.#ask(owner, { kind: "find", keys: Float64Array.from(keys), most, before }) as Promise<KeyHints>;
  }

  /** The lowest numbers from `from` on that may have one of the keys, at most `most`; `before`: see `find`. */
  people(owner: number, keys: readonly number[], from: number, most: number, before: number): Promise<Uint32Array> {
    const question = { kind: "people", keys: Float64Array.from(keys), from, most, before } as const;
    return this.#ask(owner, question) as Promise<Uint32Array>;
  }

  /** Sends what was just committed to a running thread, so that it need not read it again. Transfers the arrays. */
  stored(owner: number, stored: StoredRows): void {
    this.#thread?.post({ owner, stored }, buffersOf(stored));
  }

  /** Resolves when the current index is on disk. If it were lost, it would be rebuilt. */
  async flush(owner: number): Promise<void> {
    await this.#ask(owner, { kind: "flush" });
  }

  /** Ends the thread. Pending questions are rejected. */
  async close(): Promise<void> {
    this.#thread?.stop();
    await this.#thread?.closed;
  }

  #ask(owner: number, question: IndexQuestion): Promise<unknown> {
    const thread = (this.#thread ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.post({ id, owner, question }, "keys" in question ? [question.keys.buffer as ArrayBuffer] : []);
    });
  }

  #start(): Thread<IndexRequest, IndexAnswer> {
    const thread = startThread<IndexRequest, IndexAnswer>("prospect-index", { path: this.#path }, { smol: true });
    thread.onMessage((answer) => {
      if ("write" in answer) return void this.#write(thread, answer);
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ("result" in answer) waiting?.resolve(answer.result);
      else waiting?.reject(new Error(answer.error));
    });
    void thread.closed.then((reason) => this.#ended(reason));
    return thread;
  }

  async #write(
    thread: Thread<IndexRequest, IndexAnswer>,
    { write, owner, work }: Extract<IndexAnswer, { write: number }>,
  ): Promise<void> {
    const writeWork = (this.#writeWork ??= createIndexWriter(this.#engine.database));
    // Relaxed: after a power failure, the index rebuilds what is missing. The thread handles failures: it knows what is not
    // written, and tries again.
    const result = await this.#engine.writer.writeRelaxed(() => writeWork(owner, work)).catch(() => null);
    freeMemory(arraysOfWrite(work));
    thread.post({ written: write, result });
  }

  // The next question starts a new thread, which rebuilds from the prospects what was not written.
  #ended(reason: Error | null): void {
    this.#thread = null;
    for (const { reject } of this.#waiting.values()) reject(reason ?? new Error("The database is closed"));
    this.#waiting.clear();
  }
}

function buffersOf({ places, found: { keys, keyCounts, beside, raws, rawCounts } }: StoredRows): ArrayBuffer[] {
  return [places, keys, keyCounts, beside, raws, rawCounts].map(({ buffer }) => buffer as ArrayBuffer);
}
