import { Cron } from "croner";
import type { Log } from "../base/log.ts";

export type Chore = {
  name: string;
  /** Cron pattern with seconds, in UTC. */
  pattern: string;
  run: () => Promise<void> | void;
};

/**
 * Recurring work inside the process. A chore that takes longer than its turn is not started a second time. One that
 * fails is told of once, and again when it works or when something else is wrong: some are tried every second.
 */
export class Maintenance {
  readonly #chores: readonly Chore[];
  readonly #log: Log;
  readonly #onFailure: (error: unknown) => void;
  readonly #problems = new Map<string, string>();
  #crons: Cron[] = [];

  /** `onFailure` hears of every failure, also of those that are not logged again. */
  constructor(chores: readonly Chore[], log: Log, onFailure: (error: unknown) => void = () => {}) {
    this.#onFailure = onFailure;
    this.#chores = chores;
    this.#log = log;
  }

  start(): void {
    if (this.#crons.length > 0) return;
    this.#crons = this.#chores.map(
      (chore) =>
        // Not `timezone`, which would work out local time by Intl at each turn.
        new Cron(chore.pattern, { protect: true, utcOffset: 0 }, () => this.#run(chore)),
    );
  }

  /** Starts no chore any more; safe to call twice. */
  stop(): void {
    for (const cron of this.#crons) cron.stop();
    this.#crons = [];
  }

  async #run({ name, run }: Chore): Promise<void> {
    try {
      await run();
      if (this.#problems.delete(name)) this.#log.info({ chore: name }, "a chore works again");
    } catch (error) {
      // What a chore that is under way needs may be gone with the stop.
      if (this.#crons.length === 0) return;
      this.#onFailure(error);
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#problems.get(name) === problem) return;
      this.#problems.set(name, problem);
      this.#log.error({ err: error, chore: name }, "a chore failed");
    }
  }
}
