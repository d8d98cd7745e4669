/**
 * Answers a function that collects garbage every `calls` calls. For long streams of short-lived objects: the engine lets
 * garbage grow by the size of the machine, not of the work, and a process that took 40 MB for an import would take 150.
 * A collection stops its thread for some milliseconds.
 */
export function garbageCollector(calls: number): () => void {
  let left = calls;
  return () => {
    if (--left > 0) return;
    left = calls;
    Bun.gc(true);
  };
}
