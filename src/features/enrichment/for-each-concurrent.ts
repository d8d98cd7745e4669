import { pause } from "../../lib/concurrency/pause.ts";

/** Runs a function for each item, at most `limit` concurrently. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: Math.min(limit, items.length) }, async () => {
      for (const item of queue) {
        await run(item);
        // Items that complete without waiting must not starve other work.
        await pause();
      }
    }),
  );
}
