import { pause } from "./pause.ts";

/** Milliseconds of work between two pauses: other requests of the process wait no longer than this. */
const sliceMs = 3;

/** Runs long work, letting other work run whenever a few milliseconds have passed. */
export async function inSlices<T>(steps: Generator<void, T, void>): Promise<T> {
  let sliceEnd = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < sliceEnd) continue;
    await pause();
    sliceEnd = performance.now() + sliceMs;
  }
}

/** Runs it without a pause, for threads that have nothing else to do. */
export function finished<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
