import { AsyncLocalStorage } from "node:async_hooks";

const outside = AsyncLocalStorage.snapshot();

/**
 * Runs `work` as if no request had asked for it. For what outlives the request that happens to set it off, or is to be
 * done again with it: what it writes is none of the request's own.
 */
export function runOutsideRequest<T>(work: () => T): T {
  return outside(work);
}
