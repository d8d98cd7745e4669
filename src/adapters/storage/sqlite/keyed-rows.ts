import type { SQLQueryBindings } from "bun:sqlite";
import type {
  Fingerprint,
  StoredResponse,
  StoredRequest,
  StoredKey,
} from "../../../platform/http/idempotency-store.ts";
import type { TransactionParticipant, Writer } from "../../../lib/group-commit/writer.ts";
import type { Engine } from "./engine.ts";
import type { KeyIndex } from "../../../lib/key-index/key-index.ts";
import { createKeyIndex } from "./key-index.ts";
import { createOwners, type Owners } from "./owners.ts";
import { prepared, RowInserter } from "./prepared.ts";

type Row = {
  started_at: number;
  fingerprint: Uint8Array | null;
  bytes: number;
  status: number | null;
  headers: string | null;
  body: string | Uint8Array | null;
};

/** Rows of requests with an Idempotency-Key. Rows of a transaction are written together at its end. */
export class KeyedRows implements TransactionParticipant {
  readonly #writer: Writer;
  readonly #lookUp;
  readonly #last;
  readonly #drop;
  readonly #inserter: RowInserter;
  readonly #keys: KeyIndex;
  readonly #owners: Owners;
  readonly #values: SQLQueryBindings[] = [];
  #lastSeq: number | null = null;

  constructor(engine: Pick<Engine, "database" | "orm" | "writer">) {
    const { database, writer } = engine;
    this.#writer = writer;
    this.#lookUp = prepared<Row, [number, Uint8Array]>(
      database,
      "SELECT started_at, fingerprint, bytes, status, headers, body FROM idempotent_requests WHERE seq = ? AND id = ?",
    );
    this.#last = prepared<{ seq: number | null }, []>(database, "SELECT max(seq) AS seq FROM idempotent_requests");
    this.#drop = prepared(database, "DELETE FROM idempotent_requests WHERE seq = ?");
    const columns = "seq, id, owner, started_at, fingerprint, bytes, status, headers, body";
    this.#inserter = new RowInserter(database, `INSERT OR REPLACE INTO idempotent_requests (${columns})`, 9);
    this.#owners = createOwners(engine);
    const first = prepared<{ seq: number | null }, []>(database, "SELECT min(seq) AS seq FROM idempotent_requests");
    const firstRow = (): number => first.get()?.seq ?? Infinity;
    // IDs are random: an index on them would write another page for each row, three times the cost of the row.
    this.#keys = createKeyIndex(engine, { table: "idempotent_request_keys", row: "seq", firstRow });
    void this.#keys.expectNew();
  }

  /** Does not read the tables. False does not mean that the ID exists. */
  isNew(id: Uint8Array): boolean {
    return this.#keys.isSurelyNew(keyOfRequest(id));
  }

  /** The newest row with this ID. */
  find(id: Uint8Array): StoredRequest | null {
    const rows = this.#keys.find(keyOfRequest(id)).sort((one, other) => other - one);
    const row = rows.map((seq) => this.#lookUp.get(seq, id)).find((found) => found !== null);
    return row === undefined ? null : storedRequest(id, row);
  }

  /** Called inside the transaction that writes the row, so that rows are committed in the order of their numbers. */
  newSeq(id: Uint8Array): number {
    this.#lastSeq ??= this.#last.get()?.seq ?? 0;
    const seq = ++this.#lastSeq;
    this.#keys.add(keyOfRequest(id), seq);
    return seq;
  }

  /** Called inside a transaction. Replaces the row with this number. */
  put(
    seq: number,
    { id, startedAt, workspaceId }: StoredKey,
    { hash, bytes }: Fingerprint,
    response: StoredResponse | null,
  ): void {
    const { status, headers, body } = response ?? { status: null, headers: null, body: null };
    const storedHeaders = headers && JSON.stringify(headers);
    const owner = workspaceId && this.#owners(workspaceId);
    this.#writer.join(this);
    this.#values.push(seq, id, owner, startedAt, hash, bytes, status, storedHeaders, body);
  }

  /** Called inside a transaction. */
  remove(id: Uint8Array, seq: number): void {
    this.#drop.run(seq);
    this.#keys.remove(keyOfRequest(id), seq);
  }

  beforeCommit(): void {
    if (this.#values.length === 0) return;
    this.#inserter.insert(this.#values.splice(0));
  }

  rolledBack(): void {
    this.#values.splice(0);
  }
}

/** IDs are random, so their first 52 bits serve as a hash. */
export function keyOfRequest(id: Uint8Array): number {
  const high = (id[0]! << 16) | (id[1]! << 8) | id[2]!;
  return high * 2 ** 28 + ((id[3]! << 20) | (id[4]! << 12) | (id[5]! << 4) | (id[6]! >>> 4));
}

function storedRequest(
  id: Uint8Array,
  { started_at: startedAt, fingerprint: hash, bytes, status, headers, body }: Row,
): StoredRequest {
  const parsedHeaders = JSON.parse(headers ?? "{}") as Record<string, string>;
  const response = status === null ? null : { status, headers: parsedHeaders, body };
  return { id, startedAt, fingerprint: { hash, bytes }, response, node: null };
}
