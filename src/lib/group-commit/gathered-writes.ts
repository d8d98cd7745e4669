import { currentParticipant } from "./participant.ts";
import type { Writer } from "./writer.ts";

type Waiting<I, O> = { item: I; resolve: (value: O) => void; reject: (reason: unknown) => void };

/**
 * Many small writes of one kind as one unit: all items that come before the unit runs, at most `most`, are handed to
 * `writeAll`, which answers for each in their order. When it throws, each item is written as a unit of its own, so that
 * one that can't be written keeps back no other. What is written for a request with a participant is a unit of its own.
 */
export function gatherWrites<I, O>(
  writer: Writer,
  most: number,
  writeAll: (items: readonly I[]) => O[],
): (item: I) => Promise<O> {
  let open: Waiting<I, O>[] | null = null;

  async function write(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const values = await writer.write(() => {
        if (open === batch) open = null;
        return writeAll(batch.map(({ item }) => item));
      });
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]!);
    } catch (error) {
      if (open === batch) open = null;
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const waiting of batch) void write([waiting]);
    }
  }

  const gathered = (item: I) =>
    new Promise<O>((resolve, reject) => {
      const waiting = { item, resolve, reject };
      if (open !== null && open.length < most) return void open.push(waiting);
      open = [waiting];
      void write(open);
    });

  return (item) => {
    const isBeforeResponse = currentParticipant() !== null;
    return isBeforeResponse ? writer.writeBeforeResponse(() => writeAll([item])[0]!) : gathered(item);
  };
}
