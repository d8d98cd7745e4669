import type { KeyedAttempt } from "../../src/platform/http/idempotency-store.ts";
import { KeyedRequest } from "../../src/platform/http/keyed-request.ts";

/** A request with an Idempotency-Key that is being executed, as the pipeline shows it to the storage engine. */
export function executing(attempt: KeyedAttempt): KeyedRequest {
  return Object.assign(new KeyedRequest("key"), { attempt });
}
