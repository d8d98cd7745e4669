import type { Readable } from "node:stream";

const lineFeed = 0x0a;
const blank = /^[\t\r ]*$/;

/**
 * Passes on each non-blank line of a stream as bytes, because a lenient decoder would replace invalid bytes with other
 * characters. Calls `onEnd` after the last line. The returned function stops reading.
 */
export function eachLine(input: Readable, onEnd: () => void, take: (line: Uint8Array) => void): () => void {
  let pieces: Uint8Array[] = [];

  function give(last: Uint8Array): void {
    const line = Buffer.concat([...pieces, last]);
    pieces = [];
    if (!blank.test(line.toString("latin1"))) take(line);
  }

  function add(chunk: Uint8Array): void {
    let from = 0;
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      give(chunk.subarray(from, to));
      from = to + 1;
    }
    if (from < chunk.length) pieces.push(chunk.slice(from));
  }

  function end(): void {
    give(new Uint8Array(0));
    onEnd();
  }

  input.on("data", add).once("end", end).once("close", onEnd);
  return () => void input.off("data", add).pause();
}
