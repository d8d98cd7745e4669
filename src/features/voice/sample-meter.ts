import { open, type FileHandle } from "node:fs/promises";
import { FairQueue, type Place } from "../../lib/concurrency/fair-queue.ts";
import { messagesOf, startThread } from "../../threads.ts";
import type { AnalysisAnswer, AnalysisRequest, SampleToMeasure } from "./threads/analysis-thread.ts";

/** `measuredBefore`: frames of the clone's other samples, with which the voices are compared. */
export type Measurement = { samples: SampleToMeasure[]; measuredBefore: string[] };

/** A check that arrives behind more than these would wait for minutes, with up to 500 MB of recordings on disk. */
export const maxChecksPerUser = 6;
const maxChecks = 32;

/**
 * Measures samples in a thread, one request at a time: each takes a core, and some 150 MB. The others wait, and get
 * their turns fairly.
 */
export class SampleMeter {
  /** Checks and trainings of a user join as different owners, so that neither delays the other by more than a turn. */
  readonly queue = new FairQueue({ perOwner: maxChecksPerUser, total: maxChecks });

  /**
   * The thread's answers, as they come, once it is the turn of `place`, which the caller then leaves. Throws the reason
   * of the signal when it aborts, which ends the thread.
   */
  async *measure(
    { samples, measuredBefore }: Measurement,
    place: Place,
    signal: AbortSignal,
  ): AsyncGenerator<AnalysisAnswer, void, void> {
    await place.turn(signal);
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
