import type { TransactionParticipant } from "../../lib/group-commit/writer.ts";
import type { CurrentRequest } from "../base/current-request.ts";
import { invalid } from "../base/errors.ts";
import { BodyDigest } from "./body-digest.ts";
import type { KeyedAttempt } from "./idempotency-store.ts";

export const idempotencyHeader = "idempotency-key";

/** State of a request with an Idempotency-Key. */
export class KeyedRequest implements CurrentRequest {
  readonly key: string;
  readonly digest = new BodyDigest();
  /** The user or global key that sent it, and its name among the requests of all callers. */
  owner = "";
  name = "";
  /** Null until the request is executed, rather than replayed or refused. */
  attempt: KeyedAttempt | null = null;
  /** Position in the order in which requests were executed. */
  serial = 0;
  /** Text of a JSON response, once it is rendered. */
  text: string | null = null;

  constructor(key: string) {
    this.key = key;
  }

  get participant(): TransactionParticipant | null {
    return this.attempt?.participant ?? null;
  }
}

/** The Idempotency-Key of a request; null if there is none. Throws VALIDATION_ERROR for an invalid one. */
export function keyedRequestOf({ method, headers }: Request): KeyedRequest | null {
  const header = method === "POST" ? headers.get(idempotencyHeader) : null;
  return header === null ? null : new KeyedRequest(idempotencyKeyIn(header));
}

/**
 * Printable ASCII, either plain or as a structured string (RFC 8941, section 3.3.3), whose value is what it quotes.
 * A comma outside quotes separates two headers of the same name (RFC 9110, section 5.3).
 */
function idempotencyKeyIn(header: string): string {
  const text = header.trim();
  const isQuoted = /^"(?:[^"\\]|\\["\\])*"$/.test(text);
  const key = isQuoted ? text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : text;
  if (/^[\x20-\x7e]{1,255}$/.test(key) && (isQuoted || !/^"|,/.test(text))) return key;
  const isList = !isQuoted && text.includes(",");
  throw invalid([{ path: "Idempotency-Key", message: isList ? severalKeys : malformedKey }]);
}

const malformedKey = "Expected 1 to 255 printable ASCII characters, such as a UUID, with or without double quotes.";
const severalKeys =
  'Expected one key, got several. Send the header once. Put a key that contains commas in double quotes: "a,b".';
