import type { Clock } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import type { VoiceStore } from "./store.ts";
import type { VoiceEngines } from "./training-job.ts";

const atOnce = 20;
const firstRetryMs = 60_000;
const longestRetryMs = 24 * 3_600_000;
const patienceMs = 30_000;

/** Deletes what vendors still keep of voices that are gone, and asks again until they have. */
export class VoiceRemovals {
  readonly #store: VoiceStore;
  readonly #engines: VoiceEngines;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(store: VoiceStore, engines: VoiceEngines, clock: Clock, log: Log) {
    this.#store = store;
    this.#engines = engines;
    this.#clock = clock;
    this.#log = log;
  }

  /** What is due now. Never throws for a vendor that fails. */
  async run(): Promise<void> {
    const due = await this.#store.removals(atOnce, this.#clock.now());
    for (const { id, engine: name, artefact, failures } of due) {
      const retryAt = this.#clock.now() + Math.min(firstRetryMs * 2 ** failures, longestRetryMs);
      const engine = this.#engines[name];
      try {
        // Without its engine the voice can't be deleted; it is when the engine is set up again.
        if (engine === undefined) throw new Error(`The engine ${name} is not set up`);
        await engine.remove(artefact, AbortSignal.timeout(patienceMs));
        await this.#store.removalDone(id);
      } catch (error) {
        this.#log.warn({ err: error, engine: name, failures }, "could not delete a voice at its vendor; tried again");
        await this.#store.removalFailed(id, retryAt);
      }
    }
  }
}
