import { edenGC } from "bun:jsc";

/**
 * Answers a function that collects garbage: what is young every `calls` calls, all there is every `callsOfFull`, and also
 * when it is told that it is much; then it counts anew. For long streams of short-lived objects: the engine lets garbage
 * grow by the size of the machine, not of the work, and a process that took 50 MB for an import would take 150.
 *
 * A young collection stops its thread for about a millisecond, a full one for 10 to 40. What is alive at a young one
 * counts as old and stays until the next full one, so call this where little is: with nothing of a batch in reach, and
 * in a turn of the event loop of its own, where no stack leads to it.
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
 * Gives memory back at once that would else wait for the garbage collector: what came from another thread counts as old
 * by then, and the next stands beside it. The arrays are empty from then on; some may be that already.
 */
export function freeMemory(arrays: readonly ArrayBufferView[]): void {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
