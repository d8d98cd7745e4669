import { edenGC } from "bun:jsc";

/**
 * Returns a function that collects garbage: a young collection every `calls` calls, a full one every `callsOfFull` calls
 * or if `isMuch`, which restarts the count. For long streams of short-lived objects: the engine lets garbage grow with
 * the size of the machine, not of the work, and a process that needs 50 MB for an import would take 150 MB.
 *
 * A young collection stops its thread for about a millisecond, a full one for 10 to 40 ms. Objects that survive a young
 * collection stay until the next full one, so call this when little is alive: with no reference to a batch, and in a
 * separate turn of the event loop, where no stack refers to it.
 */
export function garbageCollector(calls: number, callsOfFull: number): (isMuch?: boolean) => void {
  let count = 0;
  return (isMuch = false) => {
    count = isMuch ? callsOfFull : count + 1;
    if (count >= callsOfFull) {
      count = 0;
      Bun.gc(true);
    } else if (count % calls === 0) edenGC();
  };
}

/**
 * Releases memory immediately instead of waiting for the garbage collector: buffers from another thread count as old,
 * so they would accumulate. The arrays are empty afterwards; some may already be.
 */
export function freeMemory(arrays: readonly ArrayBufferView[]): void {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
