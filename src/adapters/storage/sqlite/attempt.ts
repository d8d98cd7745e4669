import type { Ending, Fingerprint, KeyedAttempt, KeyedRequest } from "../../../platform/http/idempotency-store.ts";
import type { TransactionParticipant } from "../../../lib/group-commit/participant.ts";
import type { KeptRows } from "./kept-rows.ts";
import type { Writer } from "../../../lib/group-commit/writer.ts";

const nothingRead: Fingerprint = { hash: null, bytes: 0 };

/** A request with an Idempotency-Key under way, and the row that its writes have along. */
export class Attempt implements KeyedAttempt, TransactionParticipant {
  readonly #writer: Writer;
  readonly #rows: KeptRows;
  /** Of the row that it writes, and of the one that is there. */
  #seq: number | null = null;
  #committedSeq: number | null = null;
  #request: KeyedRequest | null = null;
  #body: Fingerprint = nothingRead;
  #ending: Ending = "unknown";
  #commit: PromiseWithResolvers<unknown> | null = null;
  #answer: unknown;
  #isInTransaction = false;
  #isSettledEarly = false;
  /** Why a write does not hold although its promise says so, and whether somebody was told. */
  #failure: { reason: unknown } | null = null;
  #isFailureTold = false;
  #isForgotten = false;

  constructor(writer: Writer, rows: KeptRows) {
    this.#writer = writer;
    this.#rows = rows;
  }

  get isOpen(): boolean {
    return this.#request !== null && this.#commit === null;
  }

  get hasChanged(): boolean {
    return this.#isInTransaction || this.#committedSeq !== null;
  }

  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  begin(request: KeyedRequest, body: Fingerprint): void {
    this.#request = request;
    this.#body = body;
  }

  // Not async: what is carried out beside many others has no turn to spare.
  end<T>(ending: Ending, answer: T): Promise<T> {
    const request = this.#request;
    if (request === null) return Promise.resolve(answer);
    if (!this.#isInTransaction) return this.#endAlone(request, ending, answer);
    this.#ending = this.#failure === null ? ending : "unknown";
    this.#answer = answer;
    this.#commit = Promise.withResolvers();
    return this.#commit.promise as Promise<T>;
  }

  async #endAlone<T>(request: KeyedRequest, ending: Ending, answer: T): Promise<T> {
    const fingerprint = this.#body;
    this.#close();
    if (this.#failure !== null) throw this.#failure.reason;
    if (ending === "unknown" || (ending === "undone" && !this.hasChanged)) return answer;
    await this.#writer.write(() => this.#write(request, fingerprint, ending)).catch(() => (this.#isForgotten = true));
    return answer;
  }

  wrote(): void {
    this.#isInTransaction = true;
  }

  settledEarly(): void {
    this.#isSettledEarly = true;
  }

  record(): void {
    if (this.#request !== null) this.#write(this.#request, this.#body, this.#ending);
  }

  committed(): void {
    if (this.#request !== null) this.#committedSeq = this.#seq;
    const answer = this.#answer;
    const commit = this.#leaveTransaction();
    if (this.#failure === null) commit?.resolve(answer);
    else commit?.reject(this.#failure.reason);
  }

  failed(reason: unknown): void {
    this.#seq = this.#committedSeq;
    const isTold = this.#isSettledEarly;
    const commit = this.#leaveTransaction();
    if (commit !== null) commit.reject(reason);
    // Whoever wrote it was told that it holds, and is not done yet: what comes next tells, and in any case the end.
    else if (isTold) this.#failure = { reason };
  }

  takeFailure(): { reason: unknown } | null {
    if (this.#failure === null || this.#isFailureTold) return null;
    this.#isFailureTold = true;
    return this.#failure;
  }

  #leaveTransaction(): PromiseWithResolvers<unknown> | null {
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
    this.#body = nothingRead;
    // A timer that was set on the way keeps the attempt, which shall not keep the answer.
    this.#answer = null;
    this.#commit = null;
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
