import type { Statement } from "bun:sqlite";
import type {
  Ending,
  Fingerprint,
  IdempotencyStore,
  KeptRequest,
  KeyedAttempt,
  KeyedRequest,
} from "../../http/idempotency-store.ts";
import { accompanied, type Companion } from "./companion.ts";
import type { Engine } from "./engine.ts";
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

export function createIdempotencyStore({ database, writer }: Pick<Engine, "database" | "writer">): IdempotencyStore {
  const find = database.query<Row, [Uint8Array]>(
    "SELECT id, started_at, fingerprint, bytes, status, headers, body FROM idempotent_requests WHERE id = ?",
  );
  // The newest row has the largest seq, also one that takes the place of a row that is too old to hold.
  const keep = database.prepare(
    `INSERT OR REPLACE INTO idempotent_requests (id, started_at, fingerprint, bytes, status, headers, body)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const drop = database.prepare("DELETE FROM idempotent_requests WHERE id = ?");
  const forget = database.prepare(
    `DELETE FROM idempotent_requests WHERE started_at < ?
       AND seq IN (SELECT seq FROM idempotent_requests ORDER BY seq LIMIT +?)`,
  );
  return {
    attempt: (work) => {
      const attempt = new Attempt(writer, { keep, drop });
      return accompanied(attempt, () => work(attempt));
    },
    find: async (id) => {
      const row = find.get(id);
      return row === null ? null : keptRequest(row);
    },
    forget: (startedBefore, limit) => writer.write(() => forget.run(startedBefore, limit).changes),
  };
}

const nothingRead = (): Fingerprint => ({ hash: null, bytes: 0 });

class Attempt implements KeyedAttempt, Companion {
  readonly #writer: Writer;
  readonly #statements: Record<"keep" | "drop", Statement>;
  #request: KeyedRequest | null = null;
  #read: () => Fingerprint = nothingRead;
  #ending: Ending = "unknown";
  #commit: PromiseWithResolvers<void> | null = null;
  #isInTransaction = false;
  #isSettledEarly = false;
  /** Why a write does not hold although its promise says so. */
  #failure: { reason: unknown } | null = null;
  hasChanged = false;

  constructor(writer: Writer, statements: Record<"keep" | "drop", Statement>) {
    this.#writer = writer;
    this.#statements = statements;
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
      () => true,
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
    this.#leaveTransaction()?.resolve();
  }

  failed(reason: unknown): void {
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

  #write({ id, startedAt }: KeyedRequest, { hash, bytes }: Fingerprint, ending: Ending): void {
    const { keep, drop } = this.#statements;
    if (ending === "undone") drop.run(id);
    else if (ending === "unknown") keep.run(id, startedAt, hash, bytes, null, null, null);
    else keep.run(id, startedAt, hash, bytes, ending.status, JSON.stringify(ending.headers), ending.body);
  }
}

function keptRequest({ id, started_at: startedAt, fingerprint: hash, bytes, status, headers, body }: Row): KeptRequest {
  const told = JSON.parse(headers ?? "{}") as Record<string, string>;
  const answer = status === null ? null : { status, headers: told, body };
  return { id, startedAt, fingerprint: { hash, bytes }, answer };
}
