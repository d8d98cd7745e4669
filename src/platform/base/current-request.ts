import { AsyncLocalStorage } from "node:async_hooks";

/** What the storage engine needs of a request context: the attempt that its transactions record. */
type RecordedRequest = { readonly keyed: { readonly attempt: object | null } | null };

/**
 * The context of the request that the running code serves, if it has an Idempotency-Key. Only the pipeline sets it, and
 * only the storage engine reads it, so that stores need not pass the request on to each transaction.
 */
export const currentRequest = new AsyncLocalStorage<RecordedRequest>();
