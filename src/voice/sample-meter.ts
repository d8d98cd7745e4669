import { messagesOf, startThread } from "../threads.ts";
import type { AnalysisAnswer, AnalysisRequest } from "./threads/analysis-thread.ts";

/**
 * Measures samples in a thread, one request at a time: each takes a core, and some 150 MB. Others wait their turn.
 */
export class SampleMeter {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Requests that are served or wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** What the thread answers, as it comes. Throws the reason of the signal when it aborts, which ends the thread. */
  async *measure(request: AnalysisRequest, signal: AbortSignal): AsyncGenerator<AnalysisAnswer, void, void> {
    let done = (): void => {};
    const before = this.#last;
    this.#last = new Promise((resolve) => (done = resolve));
    this.#waiting += 1;
    try {
      await Promise.race([before, aborted(signal)]);
      signal.throwIfAborted();
      yield* answersTo(request, signal);
    } finally {
      this.#waiting -= 1;
      // Whoever gave up waiting must not let the next one in early.
      void before.finally(() => done());
    }
  }
}

async function* answersTo(request: AnalysisRequest, signal: AbortSignal): AsyncGenerator<AnalysisAnswer, void, void> {
  const thread = startThread<never, AnalysisAnswer>("voice-analysis", request);
  try {
    for await (const answer of messagesOf(thread, signal)) {
      yield answer;
      if (answer.kind === "done") return;
    }
  } finally {
    thread.stop();
    await thread.closed;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
