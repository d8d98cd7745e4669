import { open, type FileHandle } from "node:fs/promises";
import { messagesOf, startThread } from "../threads.ts";
import type { AnalysisAnswer, AnalysisRequest, SampleToMeasure } from "./threads/analysis-thread.ts";

/** `measuredBefore`: frames of the clone's other samples, with which the voices are compared. */
export type Measurement = { samples: SampleToMeasure[]; measuredBefore: string[] };

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
  async *measure(request: Measurement, signal: AbortSignal): AsyncGenerator<AnalysisAnswer, void, void> {
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

async function* answersTo(
  { samples, measuredBefore }: Measurement,
  signal: AbortSignal,
): AsyncGenerator<AnalysisAnswer, void, void> {
  // Opened here and not in the thread, so that they are closed even when the thread is stopped in the middle.
  const files: FileHandle[] = [];
  try {
    for (const { path } of samples) files.push(await open(path));
    const opened = samples.map(({ path: _path, ...sample }, n) => ({ ...sample, descriptor: files[n]!.fd }));
    yield* answersOfThread({ samples: opened, measuredBefore }, signal);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

async function* answersOfThread(
  request: AnalysisRequest,
  signal: AbortSignal,
): AsyncGenerator<AnalysisAnswer, void, void> {
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
