/** Resolves in the next turn of the event loop: what others wait for comes first, between two slices of long work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
