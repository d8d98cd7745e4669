import type { Clock } from "../platform/base/clock.ts";
import type { Ids } from "../platform/base/ids.ts";
import type { Log } from "../platform/base/log.ts";
import type { Connectors } from "../features/network/action-job.ts";
import type { VoiceEngines } from "../features/voice/training-job.ts";
import type { JobRunner } from "../platform/jobs/runner.ts";
import type { RelationService } from "../features/network/relation-service.ts";
import type { FirstRun } from "./first-run.ts";

/** What tests put in the place of the real world. */
export type Overrides = Partial<{
  clock: Clock;
  ids: Ids;
  log: Log;
  connectors: Partial<Connectors>;
  voiceEngines: VoiceEngines;
}>;

/** The whole service as a value. `start` and `stop` are safe to repeat. */
export type App = {
  /** Listens and runs jobs. Throws `StartError` when the address is taken. */
  start(): Promise<void>;
  /** Runs jobs without listening. */
  work(): Promise<void>;
  /** Answers a request without a network in between. */
  handle(request: Request): Promise<Response>;
  /** Lets running requests and jobs end, within the configured time, writes what is buffered and lets go of the data. */
  stop(): Promise<void>;
  /** Where it listens, after `start`; "" before. */
  readonly url: string;
  /** A global key that lives as long as this process. */
  readonly localKey: string;
  /** The admin that this start made, with the key that is shown only now; null on every later start. */
  readonly firstRun: FirstRun | null;
  /** For tests, which move time by hand. */
  readonly runner: JobRunner;
  readonly relations: RelationService;
  /** Resolves when nothing that is due is left to be done. */
  idle(): Promise<void>;
};
