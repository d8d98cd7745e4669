import type { Clock } from "../base/clock.ts";
import { diskFaultOf } from "../base/disk-fault.ts";
import type { Interruption } from "./interruption.ts";

/** How long to wait before retrying when the disk cannot be written to. Usually the operator has to free up space first. */
export const diskRetryMs = 5_000;

type Options = { clock: Clock; interruption: Interruption; onFault: (error: unknown) => void };

/**
 * Retries a write on disk faults until it succeeds, for results that only this process knows and that must not be lost.
 * Throws the fault when interrupted, and all other errors immediately. `onFault` is called for each failed attempt.
 */
export async function retryOnDiskFault<T>(
  write: () => Promise<T>,
  { clock, interruption, onFault }: Options,
): Promise<T> {
  for (;;)
    try {
      return await write();
    } catch (error) {
      if (interruption.isAborted || diskFaultOf(error) === null) throw error;
      onFault(error);
      await pause(clock, interruption.signal);
    }
}

/** Ends early when `signal` aborts. */
function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(diskRetryMs, end);
    signal.addEventListener("abort", end);
  });
}
