type Load<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Runs one request at a time, followed only by the latest of those requested in the meantime. When the user types, a
 * slow server is never more than one search behind; aborting a request would not save the server the work.
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
