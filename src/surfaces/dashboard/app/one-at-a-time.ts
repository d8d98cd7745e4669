type Load<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Lets one request run at a time, and then only the latest of those that were asked for meanwhile. A server that
 * searches for every letter that somebody types is never behind by more than one search, however slow it is; to abort
 * the request would not spare it the work.
 */
export function oneAtATime(): <T>(load: Load<T>) => Load<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (load) => (signal) => {
    const next = last.then(() => {
      signal.throwIfAborted();
      return load(new AbortController().signal);
    });
    last = next.catch(() => {});
    return next;
  };
}
