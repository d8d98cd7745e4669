import type { Statement } from "bun:sqlite";
import type {
  Fingerprint,
  IdempotencyStore,
  KeptAnswer,
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

export function createIdempotencyStore({ database, writer }: Engine): IdempotencyStore {
  const find = database.query<Row, [Uint8Array]>(
    "SELECT id, started_at, fingerprint, bytes, status, headers, body FROM idempotent_requests WHERE id = ?",
  );
  // The newest row has the largest seq, also one that takes the place of a row that is too old to hold.
  const keep = database.prepare(
    `INSERT OR REPLACE INTO idempotent_requests (id, started_at, fingerprint, bytes, status, headers, body)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = database.prepare(
    `DELETE FROM idempotent_requests WHERE started_at < ?
       AND seq IN (SELECT seq FROM idempotent_requests ORDER BY seq LIMIT +?)`,
  );
  return {
    attempt: (work) => {
      const attempt = new Attempt(writer, keep);
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
  readonly #keep: Statement;
  #request: KeyedRequest | null = null;
  #read: () => Fingerprint = nothingRead;
  #answer: KeptAnswer | null = null;
  #commit: PromiseWithResolvers<void> | null = null;
  #isInTransaction = false;
  hasChanged = false;

  constructor(writer: Writer, keep: Statement) {
    this.#writer = writer;
    this.#keep = keep;
  }

  get isOpen(): boolean {
    return this.#request !== null;
  }

  begin(request: KeyedRequest, read: () => Fingerprint): void {
    this.#request = request;
    this.#read = read;
  }

  async end(answer: KeptAnswer | null): Promise<boolean> {
    const request = this.#request;
    if (request === null) return false;
    if (this.#isInTransaction) {
      this.#answer = answer;
      this.#commit = Promise.withResolvers();
      await this.#commit.promise;
      return true;
    }
    const fingerprint = this.#read();
    this.#close();
    if (answer === null) return true;
    const keep = this.#writer.write(() => this.#write(request, fingerprint, answer));
    return keep.then(
      () => true,
      () => false,
    );
  }

  wrote(): void {
    this.#isInTransaction = true;
    this.hasChanged = true;
  }

  record(): void {
    if (this.#request !== null) this.#write(this.#request, this.#read(), this.#answer);
  }

  committed(): void {
    this.#leaveTransaction()?.resolve();
  }

  failed(reason: unknown): void {
    this.#leaveTransaction()?.reject(reason);
  }

  #leaveTransaction(): PromiseWithResolvers<void> | null {
    this.#isInTransaction = false;
    const commit = this.#commit;
    if (commit !== null) this.#close();
    return commit;
  }

  /** What a runner that was poked by the request goes on to write is none of its own. */
  #close(): void {
    this.#request = null;
    this.#answer = null;
    this.#read = nothingRead;
  }

  #write({ id, startedAt }: KeyedRequest, { hash, bytes }: Fingerprint, answer: KeptAnswer | null): void {
    const { status = null, headers = null, body = null } = answer ?? {};
    this.#keep.run(id, startedAt, hash, bytes, status, headers && JSON.stringify(headers), body);
  }
}

function keptRequest({ id, started_at: startedAt, fingerprint: hash, bytes, status, headers, body }: Row): KeptRequest {
  const told = JSON.parse(headers ?? "{}") as Record<string, string>;
  const answer = status === null ? null : { status, headers: told, body };
  return { id, startedAt, fingerprint: { hash, bytes }, answer };
}
