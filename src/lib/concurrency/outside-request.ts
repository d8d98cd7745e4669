import { AsyncLocalStorage } from "node:async_hooks";

const outside = AsyncLocalStorage.snapshot();

/**
 * Runs `work` outside the context of the current request. For work that outlives the request that triggers it, or that
 * must not be repeated with it: its writes do not belong to the request.
 */
export function runOutsideRequest<T>(work: () => T): T {
  return outside(work);
}
