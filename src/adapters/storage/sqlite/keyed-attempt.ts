import type { TransactionParticipant, Writer } from "../../../lib/group-commit/writer.ts";
import type { Ending, Fingerprint, KeyedAttempt, StoredKey } from "../../../platform/http/idempotency-store.ts";
import type { KeyedRows } from "./keyed-rows.ts";

/** The execution of a request with an Idempotency-Key, and the row that each of its transactions writes. */
export class SqliteAttempt implements KeyedAttempt, TransactionParticipant {
  readonly #writer: Writer;
  readonly #rows: KeyedRows;
  readonly #key: StoredKey;
  readonly #body: Fingerprint;
  #isOpen = true;
  /** Number of the row, and of the row that is committed. */
  #seq: number | null = null;
  #committedSeq: number | null = null;

  constructor(writer: Writer, rows: KeyedRows, key: StoredKey, body: Fingerprint) {
    this.#writer = writer;
    this.#rows = rows;
    this.#key = key;
    this.#body = body;
  }

  get participant(): TransactionParticipant | null {
    return this.#isOpen ? this : null;
  }

  get hasChanged(): boolean {
    return this.#committedSeq !== null;
  }

  async end(ending: Ending): Promise<void> {
    this.#isOpen = false;
    if (ending === "unknown") return;
    if (ending !== "undone") await this.#writer.write(() => this.#put(ending));
    else if (this.#committedSeq !== null) {
      const seq = this.#committedSeq;
      await this.#writer.write(() => this.#rows.remove(this.#key.id, seq));
    }
  }

  beforeCommit(): void {
    // A write of background work may have been queued before the end; it must not replace the response.
    if (this.#isOpen) this.#put(null);
  }

  committed(): void {
    this.#committedSeq = this.#seq;
  }

  rolledBack(): void {
    this.#seq = this.#committedSeq;
  }

  #put(response: Parameters<KeyedRows["put"]>[3]): void {
    // Not the number from a transaction that failed: another row may have been committed after it.
    this.#seq = this.#committedSeq ?? this.#rows.newSeq(this.#key.id);
    this.#rows.put(this.#seq, this.#key, this.#body, response);
  }
}
