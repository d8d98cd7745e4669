import { Cron } from "croner";
import type { Log } from "../log.ts";

export type Chore = {
  name: string;
  /** Cron pattern with seconds, in UTC. */
  pattern: string;
  run: () => Promise<void> | void;
};

/** Recurring work inside the process. A chore that takes longer than its turn is not started a second time. */
export class Maintenance {
  readonly #chores: readonly Chore[];
  readonly #log: Log;
  #crons: Cron[] = [];

  constructor(chores: readonly Chore[], log: Log) {
    this.#chores = chores;
    this.#log = log;
  }

  start(): void {
    if (this.#crons.length > 0) return;
    this.#crons = this.#chores.map(
      ({ name, pattern, run }) =>
        new Cron(
          pattern,
          {
            protect: true,
            // Not `timezone`, which would work out local time by Intl at each turn.
            utcOffset: 0,
            catch: (error: unknown) => this.#log.error({ err: error, chore: name }, "a chore failed"),
          },
          run,
        ),
    );
  }

  /** Starts no chore any more; safe to call twice. */
  stop(): void {
    for (const cron of this.#crons) cron.stop();
    this.#crons = [];
  }
}
