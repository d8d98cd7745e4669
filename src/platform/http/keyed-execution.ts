import { BodyDigest } from "./body.ts";
import type { KeyedAttempt, KeyedRequest } from "./idempotency-store.ts";

const unnamed = new Uint8Array(0);

/** A request with an Idempotency-Key that is being carried out. */
export class KeyedExecution implements KeyedRequest {
  readonly header: string;
  readonly attempt: KeyedAttempt;
  readonly digest = new BodyDigest();
  /** Null until it was checked. */
  key: string | null = null;
  /** The user, or the global key, that sent it. */
  owner = "";
  name = "";
  id: Uint8Array = unnamed;
  userId: string | null = null;
  startedAt = 0;
  /** It has its name to itself. */
  isCarriedOut = false;
  /** Its attempt was told what it came to. */
  isEnded = false;

  constructor(header: string, attempt: KeyedAttempt) {
    this.header = header;
    this.attempt = attempt;
  }
}
