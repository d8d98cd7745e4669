import { Cron } from "croner";
import type { Log } from "../base/log.ts";

export type Chore = {
  name: string;
  /** Cron pattern with seconds, in UTC. */
  pattern: string;
  run: () => Promise<void> | void;
  /** Run by every node; other chores are run by the node that has the lead. */
  onEachNode?: true;
};

/**
 * Recurring work in this process. A chore that is still running is not started again. A failing chore is logged once, and
 * again when it recovers or the error changes, because some chores run every second.
 */
export class Maintenance {
  readonly #chores: readonly Chore[];
  readonly #log: Log;
  readonly #onFailure: (error: unknown) => void;
  readonly #hasLead: () => boolean;
  readonly #problems = new Map<string, string>();
  #crons: Cron[] = [];

  /**
   * `onFailure` is called for every failure, including those that are not logged again. `hasLead`: whether this process
   * runs the chores of all nodes.
   */
  constructor(
    chores: readonly Chore[],
    log: Log,
    onFailure: (error: unknown) => void = () => {},
    hasLead: () => boolean = () => true,
  ) {
    this.#hasLead = hasLead;
    this.#onFailure = onFailure;
    this.#chores = chores;
    this.#log = log;
  }

  start(): void {
    if (this.#crons.length > 0) return;
    this.#crons = this.#chores.map(
      (chore) =>
        // Not `timezone`, which would compute local time with Intl on every run.
        new Cron(chore.pattern, { protect: true, utcOffset: 0 }, () => this.#run(chore)),
    );
  }

  /** Stops starting chores. Safe to call twice. */
  stop(): void {
    for (const cron of this.#crons) cron.stop();
    this.#crons = [];
  }

  /** Runs a chore out of turn. Unlike a scheduled run, it throws what the chore throws. */
  async runNow(name: string): Promise<void> {
    const chore = this.#chores.find((each) => each.name === name);
    if (chore === undefined) throw new Error(`Unknown chore ${name}`);
    await chore.run();
  }

  async #run({ name, run, onEachNode }: Chore): Promise<void> {
    if (onEachNode !== true && !this.#hasLead()) return;
    try {
      await run();
      if (this.#problems.delete(name)) this.#log.info({ chore: name }, "chore recovered");
    } catch (error) {
      // After a stop, a running chore may fail because its dependencies are closed.
      if (this.#crons.length === 0) return;
      this.#onFailure(error);
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#problems.get(name) === problem) return;
      this.#problems.set(name, problem);
      this.#log.error({ err: error, chore: name }, "chore failed");
    }
  }
}
