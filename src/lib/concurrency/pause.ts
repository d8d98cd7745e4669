/** Resolves in the next turn of the event loop, so that other work can run between two slices of long work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
