import { pause } from "../../lib/concurrency/pause.ts";

/** Runs for each item, at most `limit` at once. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: Math.min(limit, items.length) }, async () => {
      for (const item of queue) {
        await run(item);
        // Who answers without waiting must not keep everybody else waiting.
        await pause();
      }
    }),
  );
}
