/** Longer than all parts of a page take to begin, shorter than anyone expects newer data after a change. */
const sharedForMs = 50;

type Shared<T> = { startedAt: number; result: Promise<T>; abort: AbortController; waiting: number };

const running = new Map<string, Shared<unknown>>();

/**
 * Sends requests that several parts of a page begin at the same time only once. The request is aborted when all that
 * wait for it have been.
 */
export async function shareRequest<T>(
  key: string,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const shared = (joinable(key) ?? start(key, send)) as Shared<T>;
  shared.waiting++;
  const aborted = Promise.withResolvers<never>();
  const leave = () => {
    aborted.reject(signal?.reason);
    if (--shared.waiting === 0) shared.abort.abort();
  };
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([shared.result, aborted.promise]);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

/** Requests from now on are sent again: something was changed. */
export function stopSharing(): void {
  running.clear();
}

function joinable(key: string): Shared<unknown> | null {
  const found = running.get(key);
  if (found === undefined || found.abort.signal.aborted) return null;
  return performance.now() - found.startedAt <= sharedForMs ? found : null;
}

function start<T>(key: string, send: (signal: AbortSignal) => Promise<T>): Shared<T> {
  const abort = new AbortController();
  const shared = { startedAt: performance.now(), result: send(abort.signal), abort, waiting: 0 };
  running.set(key, shared);
  const end = () => {
    if (running.get(key) === shared) running.delete(key);
  };
  shared.result.then(end, end);
  return shared;
}
