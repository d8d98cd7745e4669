import { setTimeout as sleep } from "node:timers/promises";
import { RefusedError, type Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { createProgress } from "./progress.ts";

/** What all jobs have in common, as returned by the API. */
export type WatchedJob = {
  id: string;
  type?: string;
  status: "pending" | "running" | "completed" | "failed";
  progress: number;
  message: string;
};

type WatchOptions<J> = {
  userId: string | undefined;
  /** Aborting it stops polling (`AbortError`), not the job. */
  signal: AbortSignal;
  onProgress: (job: J) => Promise<void>;
  /** A job of another type, whose ID was passed by mistake, is returned as it is. */
  isExpected: (job: J) => boolean;
};

// For a remote server, half of the default rate limit per minute, so that watching a job leaves room for other work.
// The local key has no limit.
const longestPauseMs = { remote: 2000, running: 500, own: 500 } as const;

/** Polls a job until it has ended. */
export async function followJob<J extends WatchedJob>(
  api: Api,
  jobId: string,
  { userId, signal, onProgress, isExpected }: WatchOptions<J>,
): Promise<J> {
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs[api.connection.kind])) {
    const job = await patiently(signal, () =>
      api.get<J>(`/users/jobs/${encodeURIComponent(jobId)}`, { userId }, signal),
    );
    if (job.status === "completed" || job.status === "failed" || !isExpected(job)) return job;
    await onProgress(job);
    await sleep(pauseMs, undefined, { signal });
  }
}

/** Waits for a job of any type, and shows its result. Throws `CommandError` if it failed. */
export function watchJob(api: Api, jobId: string, userId: string | undefined, context: CommandContext): Promise<void> {
  return interruptible(context, async (signal) => {
    const progress = createProgress(context);
    const onProgress = ({ id, progress: percent, message }: WatchedJob) =>
      progress.show({ percent, text: message, document: { phase: "job", jobId: id, percent, message } });
    let job: WatchedJob;
    try {
      job = await followJob(api, jobId, { userId, signal, onProgress, isExpected: () => true });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CommandError(exitCodes.interrupted, stillRunning(api, jobId));
    } finally {
      progress.clear();
    }
    await present(context, { event: "finished", job }, job.message);
    if (job.status === "failed") throw new CommandError(exitCodes.failed, `The job failed: ${job.message}`);
  });
}

function stillRunning({ connection }: Api, jobId: string): string {
  const where =
    connection.kind === "own"
      ? "The job continues once a server runs on this data directory (outreachd serve)."
      : "The job continues on the server.";
  return `${where} To follow it: outreachd jobs watch ${jobId}. To stop it: outreachd jobs cancel ${jobId}`;
}

/** Runs `work` with a signal that Ctrl-C aborts. */
export async function interruptible(
  context: CommandContext,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interrupt = new AbortController();
  const release = context.signals.listen(() => interrupt.abort());
  try {
    await work(interrupt.signal);
  } finally {
    release();
  }
}

/** Repeats a rate-limited request when the server allows it. */
async function patiently<T>(signal: AbortSignal, look: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 429 || error.retryAfterSeconds === null) throw error;
      await sleep(error.retryAfterSeconds * 1000, undefined, { signal });
    }
}
