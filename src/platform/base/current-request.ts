import { AsyncLocalStorage } from "node:async_hooks";
import type { Participation } from "../../lib/group-commit/writer.ts";

/** Its execution is what the engine's store has started; null until then. */
export type CurrentRequest = Participation & { readonly attempt: object | null };

/**
 * The request that the running code serves, if it has an Idempotency-Key. Only the pipeline sets it, and only the storage
 * engine reads it, so that stores need not pass the request on to each transaction.
 */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();
