import type { SQLQueryBindings } from "bun:sqlite";
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
import { HashIndex } from "./hash-index.ts";
import { createOwners, type Owners } from "./owners.ts";
import { RowInserter } from "./row-inserter.ts";
import type { Writer } from "./writer.ts";

type Row = {
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

export function createIdempotencyStore(engine: Parts): IdempotencyStore {
  const { database, writer, shared } = engine;
  const rows = new KeptRows(engine);
  const oldest = database.query<Forgotten, [number, number]>(
    `SELECT seq, lower(hex(id)) AS id FROM (SELECT seq, id, started_at FROM idempotent_requests ORDER BY seq LIMIT +?2)
       WHERE started_at < ?1 ORDER BY id`,
  );
  return {
    attempt: (work) => {
      const attempt = new Attempt(writer, rows);
      return accompanied(attempt, () => work(attempt));
    },
    find: (id) => (rows.isNew(id) ? null : Promise.try(() => shared.read(() => rows.find(id)))),
    forget: (startedBefore, limit) =>
      writer.write(() => {
        const forgotten = oldest.all(startedBefore, limit);
        for (const { id, seq } of forgotten) rows.remove(id, seq);
        return forgotten.length;
      }),
  };
}

/** Requests that are kept. Those of a transaction are written together at its end. */
class KeptRows {
  readonly #lookUp;
  readonly #last;
  readonly #drop;
  readonly #inserter: RowInserter;
  readonly #keys: HashIndex;
  readonly #owners: Owners;
  readonly #values: SQLQueryBindings[] = [];
  #lastSeq: number | null = null;

  constructor(engine: Pick<Parts, "database" | "writer">) {
    const { database, writer } = engine;
    this.#lookUp = database.query<Row, [number, Uint8Array]>(
      "SELECT started_at, fingerprint, bytes, status, headers, body FROM idempotent_requests WHERE seq = ? AND id = ?",
    );
    this.#last = database.prepare<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM idempotent_requests");
    this.#drop = database.prepare("DELETE FROM idempotent_requests WHERE seq = ?");
    const columns = "seq, id, owner, started_at, fingerprint, bytes, status, headers, body";
    this.#inserter = new RowInserter(database, `INSERT OR REPLACE INTO idempotent_requests (${columns})`, 9);
    this.#owners = createOwners(engine);
    const first = database.prepare<{ seq: number | null }, []>("SELECT min(seq) AS seq FROM idempotent_requests");
    const firstKept = (): number => first.get()?.seq ?? Infinity;
    // Ids are random: to index each with its row would write one more page for each, three times what the row costs.
    this.#keys = new HashIndex(engine, { table: "idempotent_request_keys", row: "seq", firstKept });
    void this.#keys.expectNew();
    writer.beforeCommit(() => this.#write());
    writer.onRollBack(() => this.#takeBack());
  }

  /** Without a look at the tables. False is no promise that the id is there. */
  isNew(id: string): boolean {
    return this.#keys.isSurelyNew(keyOf(id));
  }

  /** The newest with this id. */
  find(id: string): KeptRequest | null {
    const bytes = Uint8Array.fromHex(id);
    const rows = this.#keys.find(keyOf(id)).sort((one, other) => other - one);
    const row = rows.map((seq) => this.#lookUp.get(seq, bytes)).find((found) => found !== null);
    return row === undefined ? null : keptRequest(id, row);
  }

  /** Inside the transaction that writes the row, so that rows are committed in the order of their numbers. */
  newSeq(id: string): number {
    this.#lastSeq ??= this.#last.get()?.seq ?? 0;
    const seq = ++this.#lastSeq;
    this.#keys.add(keyOf(id), seq);
    return seq;
  }

  /** Inside a transaction, in place of what has this number. */
  put(
    seq: number,
    { id, startedAt, userId }: KeyedRequest,
    { hash, bytes }: Fingerprint,
    answer: KeptAnswer | null,
  ): void {
    const { status, headers, body } = answer ?? { status: null, headers: null, body: null };
    const told = headers && JSON.stringify(headers);
    const owner = userId && this.#owners(userId);
    this.#values.push(seq, Uint8Array.fromHex(id), owner, startedAt, hash, bytes, status, told, body);
  }

  /** Inside a transaction. */
  remove(id: string, seq: number): void {
    this.#drop.run(seq);
    this.#keys.remove(keyOf(id), seq);
  }

  #write(): void {
    if (this.#values.length === 0) return;
    this.#inserter.insert(this.#values.splice(0));
    this.#keys.write();
  }

  #takeBack(): void {
    this.#values.splice(0);
    this.#keys.takeBack();
  }
}

const digitsOfKey = 13;
const [codeOf0, codeOf9, codeOfA] = [48, 57, 97];

/**
 * Ids are 32 random hex digits: the first 13 are a hash of 52 bits. By their codes: to cut the text out and to parse it
 * takes twenty times as long.
 */
function keyOf(id: string): number {
  let key = 0;
  for (let at = 0; at < digitsOfKey; at++) {
    const code = id.charCodeAt(at);
    key = key * 16 + (code <= codeOf9 ? code - codeOf0 : code - codeOfA + 10);
  }
  return key;
}

const nothingRead = (): Fingerprint => ({ hash: null, bytes: 0 });

class Attempt implements KeyedAttempt, Companion {
  readonly #writer: Writer;
  readonly #rows: KeptRows;
  /** Of the row that it writes, and of the one that is there. */
  #seq: number | null = null;
  #committedSeq: number | null = null;
  #request: KeyedRequest | null = null;
  #read: () => Fingerprint = nothingRead;
  #ending: Ending = "unknown";
  #commit: PromiseWithResolvers<boolean> | null = null;
  #isInTransaction = false;
  #isSettledEarly = false;
  /** Why a write does not hold although its promise says so. */
  #failure: { reason: unknown } | null = null;
  hasChanged = false;

  constructor(writer: Writer, rows: KeptRows) {
    this.#writer = writer;
    this.#rows = rows;
  }

  get isOpen(): boolean {
    return this.#request !== null;
  }

  begin(request: KeyedRequest, read: () => Fingerprint): void {
    this.#request = request;
    this.#read = read;
  }

  // Not async: what is carried out beside many others has no turn to spare.
  end(ending: Ending): Promise<boolean> {
    const request = this.#request;
    if (request === null) return Promise.resolve(false);
    if (!this.#isInTransaction) return this.#endAlone(request, ending);
    this.#ending = ending;
    this.#commit = Promise.withResolvers();
    return this.#commit.promise;
  }

  async #endAlone(request: KeyedRequest, ending: Ending): Promise<boolean> {
    const fingerprint = this.#read();
    this.#close();
    if (this.#failure !== null) throw this.#failure.reason;
    if (ending === "unknown" || (ending === "undone" && !this.hasChanged)) return true;
    const written = this.#writer.write(() => this.#write(request, fingerprint, ending));
    return written.then(
      () => {
        this.#committedSeq = this.#seq;
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
    if (this.#request !== null) this.#committedSeq = this.#seq;
    this.#leaveTransaction()?.resolve(true);
  }

  failed(reason: unknown): void {
    this.#seq = this.#committedSeq;
    const isTold = this.#isSettledEarly;
    const commit = this.#leaveTransaction();
    if (commit !== null) commit.reject(reason);
    // Whoever wrote it was told that it holds, and is not done yet: the end tells.
    else if (isTold) this.#failure = { reason };
  }

  #leaveTransaction(): PromiseWithResolvers<boolean> | null {
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
      if (this.#seq !== null) this.#rows.remove(request.id, this.#seq);
      return;
    }
    // Not one from a transaction that failed: another row may have been committed behind it since.
    this.#seq = this.#committedSeq ?? this.#rows.newSeq(request.id);
    this.#rows.put(this.#seq, request, fingerprint, ending === "unknown" ? null : ending);
  }
}

function keptRequest(
  id: string,
  { started_at: startedAt, fingerprint: hash, bytes, status, headers, body }: Row,
): KeptRequest {
  const told = JSON.parse(headers ?? "{}") as Record<string, string>;
  const answer = status === null ? null : { status, headers: told, body };
  return { id, startedAt, fingerprint: { hash, bytes }, answer };
}
