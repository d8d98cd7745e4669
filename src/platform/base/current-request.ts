import { AsyncLocalStorage } from "node:async_hooks";
import type { Participation } from "../../lib/group-commit/writer.ts";

/**
 * The request that the running code serves, if it has an Idempotency-Key. Only the pipeline sets it, and only the storage
 * engine reads it, so that stores need not pass the request on to each transaction.
 */
export const currentRequest = new AsyncLocalStorage<Participation>();
