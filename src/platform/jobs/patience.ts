import type { Clock } from "../base/clock.ts";
import { diskFaultOf } from "../base/disk-fault.ts";
import type { Interruption } from "./interruption.ts";

/** How long to wait before the next try when the disk took no writes: somebody has to make room first. */
export const diskRetryMs = 5_000;

type Patience = { clock: Clock; interruption: Interruption; onFault: (error: unknown) => void };

/**
 * Repeats a write that the disk does not take until it does, for what is known only here and must not be lost.
 * Throws the fault once it is interrupted, and every other error at once; `onFault` hears of each try that failed.
 */
export async function untilWritten<T>(write: () => Promise<T>, { clock, interruption, onFault }: Patience): Promise<T> {
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
