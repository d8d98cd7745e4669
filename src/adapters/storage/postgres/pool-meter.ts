import type { Sql } from "postgres";
import type { PoolUse } from "../../../platform/cluster/model.ts";

/**
 * Measures a pool, which the driver does not report. It opens a connection when all of its connections are busy and it
 * has fewer than it may have, so what it was given to do says what it has.
 */
export class PoolMeter {
  readonly #size: number;
  #open = 0;
  #running = 0;

  constructor(size: number) {
    this.#size = size;
  }

  use(): PoolUse {
    const busy = Math.min(this.#running, this.#size);
    return { size: this.#size, open: this.#open, busy, waiting: this.#running - busy };
  }

  /** A connection ended, or could not be opened. */
  connectionClosed(): void {
    this.#open = Math.max(0, this.#open - 1);
  }

  /** The same pool, whose statements and transactions are counted while they run. */
  watch(client: Sql): Sql {
    const counted = <Args extends unknown[], Running extends PromiseLike<unknown>>(run: (...args: Args) => Running) => {
      return (...args: Args): Running => {
        const running = run(...args);
        this.#started();
        const ended = () => void this.#running--;
        running.then(ended, ended);
        return running;
      };
    };
    const replaced = { unsafe: counted(client.unsafe), begin: counted(client.begin) };
    return new Proxy(client, {
      get: (target, name) => Reflect.get(name in replaced ? replaced : target, name) as unknown,
    });
  }

  #started(): void {
    this.#running++;
    this.#open = Math.max(this.#open, Math.min(this.#running, this.#size));
  }
}
