import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type {
  Ending,
  Fingerprint,
  IdempotencyStore,
  KeptAnswer,
  KeptRequest,
  KeyedAttempt,
  KeyedRequest,
} from "../../http/idempotency-store.ts";
import { accompanied, type Companion } from "./companion.ts";
import type { Engine } from "./engine.ts";
import { IdempotencyIndex } from "./idempotency-index.ts";
import { RowInserter } from "./row-inserter.ts";
import type { Writer } from "./writer.ts";

type Row = {
  id: Uint8Array;
  started_at: number;
  fingerprint: Uint8Array | null;
  bytes: number;
  status: number | null;
  headers: string | null;
  body: string | Uint8Array | null;
};

/** What is known of old rows when they are forgotten. */
type Forgotten = { seq: number; id: string };

type Parts = Pick<Engine, "database" | "writer" | "shared">;

export function createIdempotencyStore({ database, writer, shared }: Parts): IdempotencyStore {
  const find = database.query<Row, [number]>(
    "SELECT id, started_at, fingerprint, bytes, status, headers, body FROM idempotent_requests WHERE seq = ?",
  );
  const drop = database.prepare("DELETE FROM idempotent_requests WHERE seq = ?");
  const oldest = database.query<Forgotten, [number, number]>(
    `SELECT seq, lower(hex(id)) AS id FROM (SELECT seq, id, started_at FROM idempotent_requests ORDER BY seq LIMIT +?2)
       WHERE started_at < ?1 ORDER BY id`,
  );
  const first = database.query<{ seq: number | null }, []>("SELECT min(seq) AS seq FROM idempotent_requests");
  const index = new IdempotencyIndex(database, writer);
  const kept = new KeptRows(database, writer);
  const findNow = (id: string): KeptRequest | null => {
    const seq = index.seqOf(id);
    const row = seq === null ? null : find.get(seq);
    return row === null ? null : keptRequest(row);
  };
  return {
    attempt: (work) => {
      const attempt = new Attempt(writer, index, kept, drop);
      return accompanied(attempt, () => work(attempt));
    },
    find: (id) => (index.isNew(id) ? null : Promise.try(() => shared.read(() => findNow(id)))),
    async forget(startedBefore, limit) {
      const forgotten = await writer.write(() => {
        const rows = oldest.all(startedBefore, limit);
        for (const { id, seq } of rows) {
          drop.run(seq);
          index.remove(id, seq);
        }
        return rows;
      });
      for (const { id, seq } of forgotten) index.removed(id, seq);
      if (forgotten.length > 0) index.oldestIs(first.get()?.seq ?? null);
      return forgotten.length;
    },
  };
}

/** Rows of a transaction, which are written together at its end. */
class KeptRows {
  readonly #inserter: RowInserter;
  readonly #values: SQLQueryBindings[] = [];

  constructor(database: Database, writer: Writer) {
    const columns = "seq, id, started_at, fingerprint, bytes, status, headers, body";
    this.#inserter = new RowInserter(database, `INSERT OR REPLACE INTO idempotent_requests (${columns})`, 8);
    writer.beforeCommit(() => this.#insert());
    writer.onRollBack(() => this.#values.splice(0));
  }

  /** Inside a transaction. */
  add(seq: number, { id, startedAt }: KeyedRequest, { hash, bytes }: Fingerprint, answer: KeptAnswer | null): void {
    const { status, headers, body } = answer ?? { status: null, headers: null, body: null };
    this.#values.push(
      seq,
      Uint8Array.fromHex(id),
      startedAt,
      hash,
      bytes,
      status,
      headers && JSON.stringify(headers),
      body,
    );
  }

  #insert(): void {
    if (this.#values.length > 0) this.#inserter.insert(this.#values.splice(0));
  }
}

const nothingRead = (): Fingerprint => ({ hash: null, bytes: 0 });

class Attempt implements KeyedAttempt, Companion {
  readonly #writer: Writer;
  readonly #index: IdempotencyIndex;
  readonly #kept: KeptRows;
  readonly #drop: Statement;
  /** Of the row that it writes, and of the one that is there. */
  #seq: number | null = null;
  #committedSeq: number | null = null;
  #request: KeyedRequest | null = null;
  #read: () => Fingerprint = nothingRead;
  #ending: Ending = "unknown";
  #commit: PromiseWithResolvers<void> | null = null;
  #isInTransaction = false;
  #isSettledEarly = false;
  /** Why a write does not hold although its promise says so. */
  #failure: { reason: unknown } | null = null;
  hasChanged = false;

  constructor(writer: Writer, index: IdempotencyIndex, kept: KeptRows, drop: Statement) {
    this.#writer = writer;
    this.#index = index;
    this.#kept = kept;
    this.#drop = drop;
  }

  get isOpen(): boolean {
    return this.#request !== null;
  }

  begin(request: KeyedRequest, read: () => Fingerprint): void {
    this.#request = request;
    this.#read = read;
  }

  async end(ending: Ending): Promise<boolean> {
    const request = this.#request;
    if (request === null) return false;
    if (this.#isInTransaction) {
      this.#ending = ending;
      this.#commit = Promise.withResolvers();
      await this.#commit.promise;
      return true;
    }
    const fingerprint = this.#read();
    this.#close();
    if (this.#failure !== null) throw this.#failure.reason;
    if (ending === "unknown" || (ending === "undone" && !this.hasChanged)) return true;
    const written = this.#writer.write(() => this.#write(request, fingerprint, ending));
    return written.then(
      () => {
        this.#written(request.id, ending);
        return true;
      },
      () => false,
    );
  }

  wrote(): void {
    this.#isInTransaction = true;
    this.hasChanged = true;
  }

  settledEarly(): void {
    this.#isSettledEarly = true;
  }

  record(): void {
    if (this.#request !== null) this.#write(this.#request, this.#read(), this.#ending);
  }

  committed(): void {
    if (this.#request !== null) this.#written(this.#request.id, this.#ending);
    this.#leaveTransaction()?.resolve();
  }

  failed(reason: unknown): void {
    this.#seq = this.#committedSeq;
    const isTold = this.#isSettledEarly;
    const commit = this.#leaveTransaction();
    if (commit !== null) commit.reject(reason);
    // Whoever wrote it was told that it holds, and is not done yet: the end tells.
    else if (isTold) this.#failure = { reason };
  }

  #leaveTransaction(): PromiseWithResolvers<void> | null {
    this.#isInTransaction = false;
    this.#isSettledEarly = false;
    const commit = this.#commit;
    if (commit !== null) this.#close();
    return commit;
  }

  /** What a runner that was poked by the request goes on to write is none of its own. */
  #close(): void {
    this.#request = null;
    this.#ending = "unknown";
    this.#read = nothingRead;
  }

  #write(request: KeyedRequest, fingerprint: Fingerprint, ending: Ending): void {
    if (ending === "undone") {
      if (this.#seq === null) return;
      this.#drop.run(this.#seq);
      this.#index.remove(request.id, this.#seq);
      return;
    }
    // Not one from a transaction that failed: another row may have been committed behind it since.
    this.#seq = this.#committedSeq ?? this.#index.nextSeq();
    this.#kept.add(this.#seq, request, fingerprint, ending === "unknown" ? null : ending);
  }

  #written(id: string, ending: Ending): void {
    if (this.#seq === null) return;
    if (ending === "undone") this.#index.removed(id, this.#seq);
    else if (this.#committedSeq === null) this.#index.added(id, this.#seq);
    this.#committedSeq = this.#seq;
  }
}

function keptRequest({ id, started_at: startedAt, fingerprint: hash, bytes, status, headers, body }: Row): KeptRequest {
  const told = JSON.parse(headers ?? "{}") as Record<string, string>;
  const answer = status === null ? null : { status, headers: told, body };
  return { id: id.toHex(), startedAt, fingerprint: { hash, bytes }, answer };
}
