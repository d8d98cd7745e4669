import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import type { Connectors } from "../features/network/action-job.ts";
import type { VoiceEngines } from "../features/voice/training-job.ts";
import type { JobRunner } from "../platform/jobs/runner.ts";
import type { Maintenance } from "../platform/jobs/maintenance.ts";
import type { FirstRun } from "./first-run.ts";

/** Replacements for the outside world, for tests. */
export type Overrides = Partial<{
  clock: Clock;
  ids: Ids;
  log: Log;
  connectors: Partial<Connectors>;
  voiceEngines: VoiceEngines;
}>;

/** The whole service as a value. `start` and `stop` are safe to repeat. */
export type App = {
  /** Listens and runs jobs. Throws `StartError` if the address is in use. */
  start(): Promise<void>;
  /** Runs jobs without listening. */
  work(): Promise<void>;
  /** Handles a request without a network. */
  handle(request: Request): Promise<Response>;
  /**
   * Waits for running requests and jobs up to the configured time, flushes buffers, and releases the data directory.
   */
  stop(): Promise<void>;
  /** URL that the server listens on; "" before `start`. */
  readonly url: string;
  /** A global key that is valid as long as this process runs. */
  readonly localKey: string;
  /** The admin created by this start, with its API key, which is shown only once; null on later starts. */
  readonly firstRun: FirstRun | null;
  /** For tests, which control the clock. */
  readonly runner: JobRunner;
  readonly maintenance: Pick<Maintenance, "runNow">;
  /** Resolves when no due job is left. */
  idle(): Promise<void>;
};
