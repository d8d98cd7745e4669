import type { Clock } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import type { VoiceStore } from "./store.ts";
import type { VoiceEngines } from "./training-job.ts";

const batchSize = 20;
const firstRetryMs = 60_000;
const maxRetryMs = 24 * 3_600_000;
const timeoutMs = 30_000;

/** Deletes vendors' copies of deleted voices, retrying until they are gone. */
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

  /** Processes due removals. Never throws because of a vendor. */
  async run(): Promise<void> {
    const due = await this.#store.removals(batchSize, this.#clock.now());
    for (const { id, engine: name, artefact, failures } of due) {
      const retryAt = this.#clock.now() + Math.min(firstRetryMs * 2 ** failures, maxRetryMs);
      const engine = this.#engines[name];
      try {
        // Without its engine, the voice cannot be deleted until the engine is configured again.
        if (engine === undefined) throw new Error(`The engine ${name} is not configured`);
        await engine.remove(artefact, AbortSignal.timeout(timeoutMs));
        await this.#store.removalDone(id);
      } catch (error) {
        this.#log.warn({ err: error, engine: name, failures }, "could not delete voice at its vendor; retrying later");
        await this.#store.removalFailed(id, retryAt);
      }
    }
  }
}
