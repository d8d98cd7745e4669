import { runOutsideRequest } from "../../../lib/concurrency/outside-request.ts";
import { currentAttempt } from "./keyed-attempt.ts";

type Waiting<I, O> = { item: I; resolve: (value: O) => void; reject: (reason: unknown) => void };

/**
 * Lets many small writes of one kind share a transaction: all items that arrive while `writeAll` is running, at most
 * `most`, are passed to it next. It returns their results in order. If it throws, each item is written by itself, so that a
 * failing item does not affect the others. A write of a request with an Idempotency-Key, which stores the key, is always
 * by itself.
 */
export function gathered<I, O>(most: number, writeAll: (items: readonly I[]) => Promise<O[]>): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = [];
  let isWriting = false;

  async function writeAlone(item: I): Promise<O> {
    const [value] = await writeAll([item]);
    return value!;
  }

  async function write(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const values = await writeAll(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]!);
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const { item, resolve, reject } of batch) await writeAlone(item).then(resolve, reject);
    }
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) await write(waiting.splice(0, most));
    isWriting = false;
  }

  return (item) => {
    if (currentAttempt() !== null) return writeAlone(item);
    const { promise, resolve, reject } = Promise.withResolvers<O>();
    waiting.push({ item, resolve, reject });
    if (!isWriting) void runOutsideRequest(writeWaiting);
    return promise;
  };
}
