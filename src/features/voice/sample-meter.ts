import { open, type FileHandle } from "node:fs/promises";
import { FairQueue, type Place } from "../../lib/concurrency/fair-queue.ts";
import { messagesOf, startThread } from "../../threads.ts";
import type { AnalysisAnswer, AnalysisRequest, SampleToMeasure } from "./threads/analysis-thread.ts";

/** `measuredBefore`: frames files of the clone's other samples, for comparing voices. */
export type Measurement = { samples: SampleToMeasure[]; measuredBefore: string[] };

/** More checks would wait for minutes, each with up to 500 MB of recordings on disk. */
export const maxChecksPerUser = 6;
const maxChecks = 32;

/**
 * Measures samples in a thread, one request at a time, because each takes a core and about 150 MB. Other requests wait
 * in a fair queue.
 */
export class SampleMeter {
  /** Checks and trainings of a user have different owners, so that neither delays the other by more than one turn. */
  readonly queue = new FairQueue({ perOwner: maxChecksPerUser, total: maxChecks });

  /**
   * Waits for the turn of `place`, which the caller leaves afterward, then streams the responses of the thread. If the
   * signal aborts, stops the thread and throws the abort reason.
   */
  async *measure(
    { samples, measuredBefore }: Measurement,
    place: Place,
    signal: AbortSignal,
  ): AsyncGenerator<AnalysisAnswer, void, void> {
    await place.turn(signal);
    // Files are opened here, not in the thread, so that they are closed even if the thread is stopped.
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
