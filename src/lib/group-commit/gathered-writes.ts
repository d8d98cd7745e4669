import type { Writer } from "./writer.ts";

type Waiting<I, O> = { item: I; resolve: (value: O) => void; reject: (reason: unknown) => void };

/**
 * Combines many small writes of one kind into one unit: all items that arrive before the unit runs, at most `most`, are
 * passed to `writeAll`, which returns their results in order. If it throws, each item is written as a separate unit, so
 * that a failing item does not affect the others. A write with a participant is always a separate unit.
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

  return (item) => (writer.hasParticipant ? writer.write(() => writeAll([item])[0]!) : gathered(item));
}
